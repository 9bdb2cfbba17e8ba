// Memory pools, batches, virtual memory and words that streams write: what is checked before anything is done, and what both APIs
// say of it. Whole programs: tests/scripts/mapping_test.sh.
#include "driver_api/frame.h"
#include "runtime/batch.h"
#include "runtime/stream_memory.h"
#include "runtime/virtual_memory.h"
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace warplens::runtime {
extern "C" {
CUresult cuInit(unsigned);
CUresult cuCtxCreate_v2(CUcontext*, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuMemCreate(unsigned long long*, std::size_t, const PhysicalProperties*, unsigned long long);
CUresult cuMemGetAllocationGranularity(std::size_t*, const PhysicalProperties*, int);
CUresult cuStreamWaitValue32_v2(cudaStream_t, CUdeviceptr, u32, unsigned);
CUresult cuStreamWriteValue64_v2(cudaStream_t, CUdeviceptr, u64, unsigned);
}
namespace {

class Management : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    cuCtxDestroy_v2(context_);
    cudaDeviceReset();
    cudaGetLastError();
  }
  static u64 used(cudaMemPool_t pool, cudaMemPoolAttr attribute = cudaMemPoolAttrUsedMemCurrent) {
    u64 value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  CUcontext context_ = nullptr;
};

TEST_F(Management, APoolCountsItsOwnAllocations) {
  cudaMemPool_t pool = nullptr, standard = nullptr;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 4096;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&standard, 0), cudaSuccess);
  void *a = nullptr, *b = nullptr, *c = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&a, 3000, pool, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&b, 3000, pool, nullptr),
            cudaErrorMemoryAllocation); // more than it may hold
  ASSERT_EQ(cudaMallocAsync(&c, 100, nullptr), cudaSuccess);
  EXPECT_EQ(used(pool), 3000u);
  EXPECT_EQ(used(standard), 100u);
  EXPECT_EQ(cudaFreeAsync(nullptr, nullptr), cudaSuccess); // as an H200's runtime (13.0)
  ASSERT_EQ(cudaFreeAsync(a, nullptr), cudaSuccess);
  EXPECT_EQ(used(pool), 0u);
  EXPECT_EQ(used(pool, cudaMemPoolAttrUsedMemHigh), 3000u);
  u64 none = 0;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), cudaSuccess);
  EXPECT_EQ(used(pool, cudaMemPoolAttrUsedMemHigh), 0u);
  ASSERT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&a, 8, pool, nullptr), cudaErrorInvalidValue);
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor; // for another process, if any ever asks
  EXPECT_EQ(cudaMemPoolCreate(&pool, &properties), cudaSuccess);
  cudaMemLocation host{cudaMemLocationTypeHost, 0};
  EXPECT_EQ(cudaMemGetDefaultMemPool(&pool, &host, cudaMemAllocationTypePinned), cudaErrorNotSupported);
}

TEST_F(Management, ABatchSaysWhichCopyFailed) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  u32 words[4] = {1, 2, 3, 4};
  void* to[3] = {device, static_cast<u32*>(device) + 2, static_cast<u32*>(device) + 15};
  const void* from[3] = {words, words + 2, words};
  std::size_t sizes[3] = {8, 8, 8}, first = 0, failed = 7; // the last one ends behind the allocation
  cudaMemcpyAttributes attributes{cudaMemcpySrcAccessOrderStream, {}, {}, 0};
  EXPECT_EQ(cudaMemcpyBatchAsync_12(to, from, sizes, 3, &attributes, &first, 1, &failed, stream),
            cudaErrorInvalidValue);
  EXPECT_EQ(failed, 2u);
  u32 back[4] = {};
  ASSERT_EQ(cudaMemcpy(back, device, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(std::memcmp(back, words, 16), 0);
  EXPECT_EQ(cudaMemcpyBatchAsync_12(to, from, sizes, 2, &attributes, &first, 1, &failed, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(failed, SIZE_MAX);
}

TEST_F(Management, ABatchCopiesBoxes) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  ASSERT_EQ(cudaMemset(device, 0, 64), cudaSuccess);
  unsigned char box[6];
  std::iota(box, box + 6, static_cast<unsigned char>(1));
  cudaMemcpy3DBatchOp op{};
  op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr = {box, 0, 0, {}}; // tightly packed
  op.dst.op.ptr = {device, 16, 0, {}};
  op.extent = {3, 2, 1};
  op.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  ASSERT_EQ(cudaMemcpy3DBatchAsync_13(1, &op, 0, stream), cudaSuccess);
  unsigned char back[32];
  ASSERT_EQ(cudaMemcpy(back, device, 32, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back[2], 3);
  EXPECT_EQ(back[3], 0);
  EXPECT_EQ(back[16], 4);
  op.dst.op.ptr.rowLength = 2; // shorter than a row of the copy
  EXPECT_EQ(cudaMemcpy3DBatchAsync_13(1, &op, 0, stream), cudaErrorInvalidValue);
}

TEST_F(Management, HintsAreForManagedMemory) {
  void *managed = nullptr, *device = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 256, 1), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 256), cudaSuccess);
  std::size_t size = 256, first = 0;
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemPrefetchBatchAsync(&managed, &size, 1, &here, &first, 1, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchBatchAsync(&device, &size, 1, &here, &first, 1, 0, nullptr),
            cudaErrorInvalidValue);
  size = 512;
  EXPECT_EQ(cudaMemPrefetchBatchAsync(&managed, &size, 1, &here, &first, 1, 0, nullptr),
            cudaErrorInvalidValue);
}

TEST_F(Management, ThereIsNoOtherDevice) {
  int value = 0;
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidValue);
}

TEST_F(Management, PagesAreCountedAndGivenBack) {
  PhysicalProperties properties;
  properties.type = 1;
  properties.location = {cudaMemLocationTypeDevice, 0};
  std::size_t page = 0, before = 0, now = 0, total = 0;
  ASSERT_EQ(cuMemGetAllocationGranularity(&page, &properties, 1), CUDA_SUCCESS);
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  unsigned long long handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, page + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, total + page, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(cuMemCreate(&handle, page, &properties, 0), CUDA_SUCCESS);
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before - page);
  properties.handle_types = 1; // for another process, if any ever asks
  unsigned long long other = 0;
  EXPECT_EQ(cuMemCreate(&other, page, &properties, 0), CUDA_SUCCESS);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess); // takes everything along
  ASSERT_EQ(cudaMemGetInfo(&now, &total), cudaSuccess);
  EXPECT_EQ(now, before);
}

TEST_F(Management, ConditionsOfWordsAreCyclic) {
  void* raw = nullptr;
  ASSERT_EQ(cudaMallocManaged(&raw, 8, 1), cudaSuccess);
  const auto at = reinterpret_cast<CUdeviceptr>(raw);
  constexpr unsigned at_least = 0, equal = 1, any_bit = 2, not_all_bits = 3;
  ASSERT_EQ(cuStreamWriteValue64_v2(nullptr, at, 0x1'0000'0005, 0), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<u64*>(raw), 0x1'0000'0005u);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 5, equal), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 0xffff'fff0, at_least),
            CUDA_SUCCESS); // 21 behind, the short way round
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 4, any_bit), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 0xf0, not_all_bits), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at + 2, 0, equal), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(nullptr, at, 0, 1u << 30),
            CUDA_ERROR_NOT_SUPPORTED); // flushes of other devices' writes
}

} // namespace
} // namespace warplens::runtime
