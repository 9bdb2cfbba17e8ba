// CUDA's calls for memory, devices, streams and errors, as a program makes them: results and error codes.
#include "abi/api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace warplens::runtime {
namespace {

TEST(Memory, ACopyMustLieInOneAllocationAndGoTheWayItSays) {
  void* device = nullptr;
  std::vector<int> host(256, 7);
  ASSERT_EQ(cudaMalloc(&device, 1024), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 1024, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 1025, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 8, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(device, device, 8, cudaMemcpyHostToDevice), cudaSuccess); // its memory is known
  host.assign(256, 0);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 1024, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host[255], 7);
  EXPECT_EQ(cudaFree(static_cast<char*>(device) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device, host.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Memory, TooMuchIsOutOfMemory) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
  cudaGetLastError();
}

TEST(Memory, PitchedRowsKeepTheirDistance) {
  void* device = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, 100, 3), cudaSuccess);
  EXPECT_EQ(pitch, 512u);
  std::vector<char> in(300), out(300);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i);
  EXPECT_EQ(cudaMemcpy2D(device, pitch, in.data(), 100, 100, 3, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(out.data(), 100, device, pitch, 100, 3, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaMemcpy2D(out.data(), 99, device, pitch, 100, 3, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  cudaGetLastError();
}

TEST(Memory, PointersTellWhereTheyPoint) {
  void *device = nullptr, *managed = nullptr, *pinned = nullptr;
  int local = 0;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 4, 1), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 4, 0), cudaSuccess);
  auto type = [](const void* pointer) {
    cudaPointerAttributes attributes;
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type(device), cudaMemoryTypeDevice);
  EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
  EXPECT_EQ(type(&local), cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  cudaFree(device);
  cudaFree(managed);
  std::vector<int> buffer(64);
  EXPECT_EQ(cudaHostRegister(buffer.data(), 256, 0), cudaSuccess);
  EXPECT_EQ(type(buffer.data()), cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostRegister(buffer.data(), 256, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(buffer.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(buffer.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

// Sizes whose product or sum does not fit into 64 bits must not pass as small ones.
TEST(Memory, SizesThatWrapRoundAreRefused) {
  void* device = nullptr;
  std::vector<char> host(4096);
  ASSERT_EQ(cudaMalloc(&device, 4096), cudaSuccess);
  for (std::size_t pitch : {~std::size_t{0}, std::size_t{1} << 63, ~std::size_t{0} / 2 + 1}) {
    EXPECT_EQ(cudaMemcpy2D(device, pitch, host.data(), pitch, 1, 2, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy2D(device, pitch, host.data(), 64, 64, 3, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset2D(device, pitch, 0, 16, 3), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset3D({device, pitch, 16, 2}, 0, {16, 2, 2}), cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaMemset2D(device, 16, 0, 16, std::size_t{1} << 60), cudaErrorInvalidValue);
  cudaMemcpy3DParms parms{};
  parms.dstPtr = {device, 64, 64, 2}, parms.srcPtr = {host.data(), 64, 64, 2};
  parms.extent = {16, 2, 1}, parms.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&parms), cudaSuccess);
  parms.dstPos = {0, ~std::size_t{0} / 64 + 1, 0};
  EXPECT_EQ(cudaMemcpy3D(&parms), cudaErrorInvalidValue);
  parms.dstPos = {0, 0, ~std::size_t{0}};
  EXPECT_EQ(cudaMemcpy3D(&parms), cudaErrorInvalidValue);
  cudaFree(device);
  cudaGetLastError();
}

TEST(Memory, OnlyMemoryCanBeRegistered) {
  auto at = [](std::size_t address) { return reinterpret_cast<void*>(address); };
  EXPECT_EQ(cudaHostRegister(at(0x10000), 4096, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(at(4096), std::size_t{1} << 47, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(at(4096), ~std::size_t{0}, 0), cudaErrorInvalidValue);
  static const char constant[8192] = {1};
  EXPECT_EQ(cudaHostRegister(const_cast<char*>(constant), 64, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(const_cast<char*>(constant), 64, 8), cudaErrorNotSupported);
  std::vector<char> memory(8192);
  EXPECT_EQ(cudaHostRegister(memory.data(), memory.size(), 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(memory.data(), memory.size(), 8), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(memory.data()), cudaSuccess);
  cudaGetLastError();
}

TEST(Device, LimitsAreThoseOfADevice) {
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10), cudaSuccess);
  for (int limit = 0; limit <= 6; ++limit)
    EXPECT_NE(cudaDeviceSetLimit(cudaLimit(limit), ~std::size_t{0}), cudaSuccess) << limit;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimit(7), 1), cudaErrorUnsupportedLimit);
  cudaDeviceReset();
  cudaGetLastError();
}

TEST(Streams, WorkNeedsOneThatExists) {
  void* device = nullptr;
  int value = 1;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device, &value, 4, cudaMemcpyHostToDevice, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(device, &value, 4, cudaMemcpyHostToDevice, stream),
            cudaErrorInvalidResourceHandle);
  cudaFree(device);
  cudaGetLastError();
}

TEST(Errors, TheLastOneIsKeptUntilAskedFor) {
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(cudaError_t(12345)), "unrecognized error code");
}

TEST(Device, IsTheReferencePartOfTheArchitecture) {
  int count = 0, multiprocessors = 0, shared = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(multiprocessors, 132);
  EXPECT_EQ(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties_13(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, static_cast<std::size_t>(shared));
  EXPECT_EQ(cudaGetDeviceProperties_13(&properties, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&count, cudaDeviceAttr(0), 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Device, PropertiesOfAnOlderMajorEndEarlier) {
  cudaDeviceProp12 properties;
  std::memset(&properties, 0x7f, sizeof properties);
  EXPECT_EQ(cudaGetDeviceProperties_11(&properties, 0), cudaSuccess);
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.reservedSharedMemPerBlock, 1024u);
  EXPECT_EQ(properties.hostRegisterSupported, 0x7f7f7f7f);
}

TEST(Memory, WhatOlderMajorsLackIsNotWritten) {
  cudaPointerAttributes attributes;
  std::memset(&attributes, 0x7f, sizeof attributes);
  int local = 0;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &local), cudaSuccess);
  EXPECT_EQ(attributes.hostPointer, &local);
  EXPECT_EQ(attributes.reserved[0], 0x7f7f7f7f7f7f7f7f);
}

TEST(Streams, RunHostFunctionsAndForgetDestroyedOnes) {
  cudaStream_t stream = nullptr;
  int calls = 0;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(
                stream, [](void* data) { ++*static_cast<int*>(data); }, &calls),
            cudaSuccess);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  cudaGetLastError();
}

TEST(Events, NeedToBeRecordedToMeasure) {
  cudaEvent_t start = nullptr, end = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorInvalidResourceHandle);
  cudaEventRecord(start, nullptr);
  cudaEventRecord(end, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  cudaEventDestroy(start);
  EXPECT_EQ(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
  cudaEventDestroy(end);
  cudaGetLastError();
}

} // namespace
} // namespace warplens::runtime
