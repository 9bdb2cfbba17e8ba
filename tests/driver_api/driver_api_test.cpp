// The driver API: contexts and errors as the driver has them, and the same memory, streams and launches as the Runtime API.
#include "abi/api.h"
#include "driver_api/entry_points.h"
#include "driver_api/frame.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace warplens::runtime {
extern "C" {
CUresult cuInit(unsigned);
CUresult cuDeviceGet(CUdevice*, int);
CUresult cuDeviceGetName(char*, int, CUdevice);
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice);
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned*, int*);
CUresult cuCtxCreate_v2(CUcontext*, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxGetCurrent(CUcontext*);
CUresult cuCtxPushCurrent_v2(CUcontext);
CUresult cuCtxPopCurrent_v2(CUcontext*);
CUresult cuMemAlloc_v2(CUdeviceptr*, std::size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyDtoH_v2(void*, CUdeviceptr, std::size_t);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void*, std::size_t);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, std::size_t);
CUresult cuMemsetD16_v2(CUdeviceptr, unsigned short, std::size_t);
CUresult cuMemsetD2D32_v2(CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t);
CUresult cuMemGetAddressRange_v2(CUdeviceptr*, std::size_t*, CUdeviceptr);
CUresult cuPointerGetAttribute(void*, int, CUdeviceptr);
CUresult cuPointerGetAttributes(unsigned, const int*, void**, CUdeviceptr);
CUresult cuModuleLoadData(CUmodule*, const void*);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        cudaStream_t, void**, void**);
CUresult cuFuncGetAttribute(int*, int, CUfunction);
CUresult cuOccupancyMaxPotentialBlockSize(int*, int*, CUfunction, std::size_t (*)(int), std::size_t, int);
CUresult cuLinkCreate_v2(unsigned, const int*, void**, struct LinkState**);
CUresult cuLinkAddData_v2(struct LinkState*, int, const void*, std::size_t, const char*, unsigned, const int*,
                          void**);
CUresult cuLinkComplete(struct LinkState*, void**, std::size_t*);
CUresult cuLinkDestroy(struct LinkState*);
CUresult cuGetErrorName(int, const char**);
CUresult cuGetErrorString(int, const char**);
CUresult cuGetProcAddress(const char*, void**, int, u64);
CUresult cuGetProcAddress_v2(const char*, void**, int, u64, int*);
CUresult cuGreenCtxCreate();
CUresult cuCtxSetCacheConfig(int);
CUresult cuCtxGetCacheConfig(int*);
CUresult cuStreamCreate(cudaStream_t*, unsigned);
CUresult cuStreamGetCtx(cudaStream_t, CUcontext*);
CUresult cuMemAllocAsync(CUdeviceptr*, std::size_t, cudaStream_t);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, std::size_t, cudaStream_t);
CUresult cuMemsetD32_v2(CUdeviceptr, unsigned, std::size_t);
}
namespace {

// Rows FORWARD are in the table alone.
template <class Function> Function* forwarded(const char* name) {
  auto named = [&](const DriverExport& row) { return std::string_view(row.name) == name; };
  return reinterpret_cast<Function*>(std::ranges::find_if(driver_exports(), named)->function);
}
const auto cuCtxSynchronize = forwarded<CUresult()>("cuCtxSynchronize");
const auto cuDeviceGetAttribute = forwarded<CUresult(int*, int, CUdevice)>("cuDeviceGetAttribute");
const auto cuDeviceGetByPCIBusId = forwarded<CUresult(CUdevice*, const char*)>("cuDeviceGetByPCIBusId");
const auto cuDeviceGetPCIBusId = forwarded<CUresult(char*, int, CUdevice)>("cuDeviceGetPCIBusId");
const auto cuEventCreate = forwarded<CUresult(cudaEvent_t*, unsigned)>("cuEventCreate");
const auto cuEventRecord = forwarded<CUresult(cudaEvent_t, cudaStream_t)>("cuEventRecord");
const auto cuFuncSetAttribute = forwarded<CUresult(CUfunction, int, int)>("cuFuncSetAttribute");
const auto cuMemFreeAsync = forwarded<CUresult(CUdeviceptr, cudaStream_t)>("cuMemFreeAsync");
const auto cuModuleGetFunction =
    forwarded<CUresult(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction");
const auto cuModuleGetGlobal_v2 =
    forwarded<CUresult(CUdeviceptr*, std::size_t*, CUmodule, const char*)>("cuModuleGetGlobal_v2");
const auto cuModuleUnload = forwarded<CUresult(CUmodule)>("cuModuleUnload");
const auto cuStreamSynchronize = forwarded<CUresult(cudaStream_t)>("cuStreamSynchronize");

constexpr char code[] = R"(.version 7.8
.target sm_75
.address_size 64
.visible .global .align 4 .u32 step = 5;
.visible .entry f(.param .u64 out, .param .u32 scale)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r4, [scale];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [step];
  mad.lo.u32 %r3, %r1, %r4, %r2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

class Driver : public testing::Test {
protected:
  static void SetUpTestSuite() {
    // Nothing before cuInit; in this process that can be seen only once.
    int value = 0;
    if (Runtime::get().device == nullptr) {
      EXPECT_EQ(cuDeviceGetAttribute(&value, 10, 0), CUDA_ERROR_NOT_INITIALIZED);
    }
    EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  }
  void SetUp() override { ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS); }
  void TearDown() override {
    cuCtxDestroy_v2(context);
    cudaDeviceReset();
    cudaGetLastError();
  }
  static CUdeviceptr allocate(std::size_t size) {
    CUdeviceptr out = 0;
    EXPECT_EQ(cuMemAlloc_v2(&out, size), CUDA_SUCCESS);
    return out;
  }
  static CUfunction load(const char* text, const char* name, CUmodule* module) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadData(module, text), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, *module, name), CUDA_SUCCESS);
    return function;
  }
  static std::vector<u32> read(CUdeviceptr from, std::size_t count) {
    std::vector<u32> out(count);
    EXPECT_EQ(cuMemcpyDtoH_v2(out.data(), from, count * 4), CUDA_SUCCESS);
    return out;
  }
  CUcontext context = nullptr;
};

TEST_F(Driver, AModulesFunctionRunsWithItsParametersOneByOneOrPacked) {
  CUmodule module = nullptr;
  CUfunction f = load(code, "f", &module);
  CUdeviceptr out = allocate(128);
  u32 scale = 10;
  void* arguments[] = {&out, &scale};
  ASSERT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read(out, 32)[31], 315u);

  CUdeviceptr step = 0;
  std::size_t size = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&step, &size, module, "step"), CUDA_SUCCESS);
  EXPECT_EQ(size, 4u);
  u32 seven = 7;
  ASSERT_EQ(cuMemcpyHtoD_v2(step, &seven, 4), CUDA_SUCCESS);
  std::byte packed[12];
  std::memcpy(packed, &out, 8), std::memcpy(packed + 8, &scale, 4);
  std::size_t bytes = sizeof packed;
  void* extra[] = {reinterpret_cast<void*>(1), packed, reinterpret_cast<void*>(2), &bytes, nullptr};
  ASSERT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  EXPECT_EQ(read(out, 32)[31], 317u);
  bytes = 8; // the second parameter is not in it
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);

  CUfunction none = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&none, module, "g"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, BothApisShareMemoryAndKernels) {
  void* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 128), cudaSuccess);
  CUmodule module = nullptr;
  CUfunction f = load(code, "f", &module);
  u32 scale = 1;
  void* arguments[] = {&pointer, &scale};
  ASSERT_EQ(cudaLaunchKernel(f, {1}, {32}, arguments, 0, nullptr), cudaSuccess);
  EXPECT_EQ(read(reinterpret_cast<CUdeviceptr>(pointer), 32)[31], 36u);
  EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pointer)), CUDA_SUCCESS);
}

TEST_F(Driver, ItsErrorsAreNotTheRuntimesLastError) {
  EXPECT_EQ(cuMemFree_v2(12345), CUDA_ERROR_INVALID_VALUE);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry f( {}"),
            static_cast<CUresult>(cudaErrorInvalidPtx));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Driver, WithoutAContextNothingIsAllocated) {
  CUcontext popped = nullptr, current = nullptr;
  ASSERT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context);
  CUdeviceptr out = 0;
  EXPECT_EQ(cuMemAlloc_v2(&out, 16), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr);
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&out, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&out, 16), CUDA_SUCCESS);
}

// As measured on an H200: a stream of the program's own has its context with it, and so has what is freed.
TEST_F(Driver, WhatHasAContextNeedsNoCurrentOne) {
  constexpr int context_of = 1; // CU_POINTER_ATTRIBUTE_CONTEXT
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  while (cuCtxPopCurrent_v2(nullptr) == CUDA_SUCCESS) {
  }
  CUcontext made = nullptr, told = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&made, 0, 0), CUDA_SUCCESS);
  cudaStream_t stream = nullptr;
  CUdeviceptr memory = 0, later = 0;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&memory, 64), CUDA_SUCCESS);
  int config = 0;
  EXPECT_EQ(cuCtxSetCacheConfig(2), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCacheConfig(&config), CUDA_SUCCESS);
  EXPECT_EQ(config, 2);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCacheConfig(&config), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemAllocAsync(&later, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocAsync(&later, 64, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemsetD32Async(memory, 1, 16, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(memory, 1, 16), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamGetCtx(stream, &told), CUDA_SUCCESS);
  EXPECT_EQ(told, made);
  EXPECT_EQ(cuPointerGetAttribute(&told, context_of, memory), CUDA_SUCCESS);
  EXPECT_EQ(told, made);
  EXPECT_EQ(cuPointerGetAttribute(&told, context_of, later), CUDA_SUCCESS);
  EXPECT_EQ(told, nullptr);
  EXPECT_EQ(cuMemFreeAsync(later, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
}

TEST_F(Driver, ItsBusIsFoundHoweverItIsWritten) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  char text[32];
  ASSERT_EQ(cuDeviceGetPCIBusId(text, sizeof text, 0), CUDA_SUCCESS);
  int bus = 0;
  constexpr int bus_attribute = 33; // CU_DEVICE_ATTRIBUTE_PCI_BUS_ID
  ASSERT_EQ(cuDeviceGetAttribute(&bus, bus_attribute, 0), CUDA_SUCCESS);
  EXPECT_EQ(bus, 1);
  for (const char* name : {static_cast<const char*>(text), "0:1:0", "0:1:0.0", "01:00.0", "0000:01:00"}) {
    CUdevice found = 7;
    EXPECT_EQ(cuDeviceGetByPCIBusId(&found, name), CUDA_SUCCESS) << name;
    EXPECT_EQ(found, 0);
  }
  CUdevice found = 7;
  EXPECT_EQ(cuDeviceGetByPCIBusId(&found, "0:2:0"), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&found, "here"), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, ContextsAreEachThreadsOwn) {
  std::thread([&] {
    CUcontext current = context;
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 16), cudaSuccess); // makes the primary one current
    CUcontext primary = nullptr;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, primary);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  }).join();
  CUcontext current = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
}

TEST_F(Driver, ThePrimaryContextIsRetainedAndReleased) {
  CUcontext a = nullptr, b = nullptr;
  unsigned flags = 0;
  int active = 0;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&a, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&b, 0), CUDA_SUCCESS);
  EXPECT_EQ(a, b);
  ASSERT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&a, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxDestroy_v2(b), CUDA_ERROR_INVALID_CONTEXT); // the primary one is not destroyed
}

TEST_F(Driver, FillsTakeWordsOfEveryWidth) {
  CUdeviceptr out = allocate(64);
  ASSERT_EQ(cuMemsetD8_v2(out, 0x11, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD16_v2(out + 2, 0xabcd, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D32_v2(out + 16, 16, 0xdeadbeef, 2, 2), CUDA_SUCCESS);
  EXPECT_EQ(read(out, 12),
            (std::vector<u32>{0xabcd1111, 0x11111111, 0x11111111, 0x11111111, 0xdeadbeef, 0xdeadbeef,
                              0x11111111, 0x11111111, 0xdeadbeef, 0xdeadbeef, 0x11111111, 0x11111111}));
  EXPECT_EQ(cuMemsetD16_v2(out + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD16_v2(out, 0, 33), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, AddressesTellWhatTheyBelongTo) {
  CUdeviceptr out = allocate(1000), base = 0;
  std::size_t size = 0;
  ASSERT_EQ(cuMemGetAddressRange_v2(&base, &size, out + 500), CUDA_SUCCESS);
  EXPECT_EQ(base, out);
  EXPECT_EQ(size, 1000u);
  int type = 0, here = 0;
  ASSERT_EQ(cuPointerGetAttribute(&type, 2, out), CUDA_SUCCESS);
  EXPECT_EQ(type, 2);
  EXPECT_EQ(cuPointerGetAttribute(&type, 2, reinterpret_cast<CUdeviceptr>(&here)), CUDA_ERROR_INVALID_VALUE);
  u64 start = 1;
  int attributes[] = {11, 2};
  void* values[] = {&start, &type};
  ASSERT_EQ(cuPointerGetAttributes(2, attributes, values, reinterpret_cast<CUdeviceptr>(&here)),
            CUDA_SUCCESS);
  EXPECT_EQ(start, 0u);
  EXPECT_EQ(type, 0);
}

TEST_F(Driver, FunctionsHaveAttributesAndFit) {
  CUmodule module = nullptr;
  CUfunction f = load(code, "f", &module);
  int value = -1, grid = 0, block = 0;
  ASSERT_EQ(cuFuncGetAttribute(&value, 0, f), CUDA_SUCCESS);
  EXPECT_EQ(value, 1024);
  ASSERT_EQ(cuFuncSetAttribute(f, 8, 100000), CUDA_SUCCESS);
  ASSERT_EQ(cuFuncGetAttribute(&value, 8, f), CUDA_SUCCESS);
  EXPECT_EQ(value, 100000);
  EXPECT_EQ(cuFuncGetAttribute(&value, 99, f), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 132); // 2048 threads on each of an H100's multiprocessors
}

TEST_F(Driver, WhatIsLinkedIsOneModuleWhereverItsImageIsMoved) {
  const std::string callee =
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".visible .func (.param .b32 r) twice(.param .b32 x) {\n.reg .b32 %r<3>;\n"
      "ld.param.b32 %r1, [x];\nadd.u32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n";
  const std::string caller = ".version 7.8\n.target sm_75\n.address_size 64\n"
                             ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                             ".visible .entry g(.param .u64 out) {\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n"
                             "mov.u32 %r1, 21;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
                             "call (b), twice, (a);\nld.param.b32 %r2, [b];\n}\n"
                             "ld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
  struct LinkState* state = nullptr;
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &state), CUDA_SUCCESS);
  for (const std::string* text : {&caller, &callee})
    ASSERT_EQ(cuLinkAddData_v2(state, 1, text->c_str(), text->size() + 1, "", 0, nullptr, nullptr),
              CUDA_SUCCESS);
  EXPECT_EQ(cuLinkAddData_v2(state, 3, "object", 6, "", 0, nullptr, nullptr), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuLinkAddData_v2(state, 1, "no end", ~std::size_t{0}, "", 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkAddData_v2(state, 4, "!<arch>\n", 8, "", 0, nullptr, nullptr),
            CUDA_SUCCESS); // an empty library
  EXPECT_EQ(cuLinkAddData_v2(state, 5, "nvvm", 4, "", 0, nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  void* image = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(cuLinkComplete(state, &image, &size), CUDA_SUCCESS);
  std::vector<char> moved(static_cast<char*>(image), static_cast<char*>(image) + size);
  ASSERT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = nullptr;
  CUfunction g = load(moved.data(), "g", &module);
  CUdeviceptr out = allocate(4);
  void* arguments[] = {&out};
  ASSERT_EQ(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(read(out, 1)[0], 42u);
}

TEST_F(Driver, ErrorsHaveNamesAndTexts) {
  const char* text = nullptr;
  ASSERT_EQ(cuGetErrorName(201, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_INVALID_CONTEXT");
  ASSERT_EQ(cuGetErrorString(2, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(12345, &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(as_result(cudaErrorInvalidConfiguration), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(as_result(cudaErrorIllegalAddress), 700);
}

void* entry(const char* name, int version) {
  void* out = nullptr;
  int status = -1;
  EXPECT_EQ(cuGetProcAddress_v2(name, &out, version, 0, &status), CUDA_SUCCESS) << name;
  EXPECT_EQ(status == 0, out != nullptr) << name;
  void *before_12 = &status, *untouched = before_12;
  EXPECT_EQ(cuGetProcAddress(name, &before_12, version, 0), out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND)
      << name;
  EXPECT_EQ(before_12, out ? out : untouched) << name;
  return out;
}

TEST_F(Driver, FunctionsAreFoundByNameAndVersion) {
  EXPECT_EQ(entry("cuMemAlloc", 13000), reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_EQ(entry("cuMemAlloc_v2", 13000), reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_EQ(entry("cuCtxCreate", 11030), reinterpret_cast<void*>(&cuCtxCreate_v2));
  EXPECT_NE(entry("cuCtxCreate", 13000), reinterpret_cast<void*>(&cuCtxCreate_v2));
  EXPECT_EQ(entry("cuNothing", 13000), nullptr);
  EXPECT_NE(entry("cuGreenCtxCreate", 13000), nullptr);
  EXPECT_EQ(cuGreenCtxCreate(), CUDA_ERROR_NOT_SUPPORTED);
  void* out = nullptr;
  int status = -1;
  ASSERT_EQ(cudaGetDriverEntryPoint_13("cuInit", &out, 0, &status), cudaSuccess);
  EXPECT_EQ(out, reinterpret_cast<void*>(&cuInit));
  EXPECT_EQ(status, 0);
  ASSERT_EQ(cudaGetDriverEntryPoint_13("cuNothing", &out, 0, &status), cudaSuccess);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(status, 1);
}

// As rows FORWARD they leave that to the Runtime API.
TEST_F(Driver, QuestionsAboutAStreamWantAPlaceForTheAnswer) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  for (const char* question : {"cuStreamGetPriority", "cuStreamGetFlags", "cuStreamGetId"}) {
    const auto ask = forwarded<CUresult(cudaStream_t, u64*)>(question);
    u64 answer = 0;
    EXPECT_EQ(ask(stream, nullptr), CUDA_ERROR_INVALID_VALUE) << question;
    EXPECT_EQ(ask(stream, &answer), CUDA_SUCCESS) << question;
  }
}

// Events have their context with them, and so has a stream of the program's own; the default stream is the current context's.
TEST_F(Driver, ForwardedFunctionsAskForAContextWhereTheirFrameDoes) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetAttribute(&value, -1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Driver, TheTableHasEachNameOnce) {
  std::set<std::string> names;
  for (const DriverExport& row : driver_exports()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  EXPECT_GT(names.size(), 600u);
}

} // namespace
} // namespace warplens::runtime
