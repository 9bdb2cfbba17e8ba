// Kernels registered as clang-built programs register them: a wrapper around bare PTX text.
#include "abi/api.h"
#include "runtime/state.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace warplens::runtime {
namespace {

constexpr char ptx[] = R"(.version 7.8
.target sm_75
.address_size 64
.visible .const .align 4 .u32 bias;
.global .attribute(.managed) .align 4 .b8 counts[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
.visible .entry add(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 bra done;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.const.u32 %r3, [bias];
  add.u32 %r4, %r3, %r1;
  st.global.u32 [%rd3], %r4;
done:
  ret;
}
.visible .entry tuned() .reqntid 64, 2 { ret; }
.visible .entry bounded() .maxntid 64, 2 { ret; }
)";

class Launch : public testing::Test {
protected:
  static void SetUpTestSuite() {
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host_add, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFunction(handle, &host_gone, nullptr, "gone", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFunction(handle, &host_tuned, nullptr, "tuned", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFunction(handle, &host_bounded, nullptr, "bounded", -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterVar(handle, &host_bias, nullptr, "bias", 0, 4, 1, 0);
    __cudaRegisterManagedVar(handle, &host_counts, nullptr, "counts", 0, 16, 0, 0);
  }
  static void TearDownTestSuite() { __cudaUnregisterFatBinary(handle); }
  void TearDown() override {
    cudaDeviceReset();
    cudaGetLastError();
  }
  static cudaError_t add(void* out, u32 n, Dim3 grid, Dim3 block, std::size_t shared = 0) {
    void* arguments[] = {&out, &n};
    return cudaLaunchKernel(&host_add, grid, block, arguments, shared, nullptr);
  }
  static inline FatbinWrapper wrapper{FatbinWrapper::right_magic, 1, reinterpret_cast<const std::byte*>(ptx),
                                      nullptr};
  static inline void** handle = nullptr;
  static inline char host_add, host_gone, host_tuned, host_bounded, host_bias;
  static inline void* host_counts = nullptr;
};

TEST_F(Launch, RunsAKernelOnVariablesAndMemory) {
  void* out = nullptr;
  u32 bias = 100;
  std::vector<u32> result(64);
  ASSERT_EQ(cudaMalloc(&out, 256), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(&host_bias, &bias, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(&host_bias, &bias, 4, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&bias, &bias, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&host_bias, &bias, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(add(out, 50, {1, 1, 1}, {64, 1, 1}), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(result.data(), out, 256, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(result[49], 149u);
  EXPECT_EQ(result[50], 0u);
}

TEST_F(Launch, ManagedVariablesAreThereForTheHost) {
  host_counts = nullptr;
  EXPECT_EQ(__cudaInitModule(handle), 1);
  ASSERT_NE(host_counts, nullptr);
  EXPECT_EQ(static_cast<int*>(host_counts)[1], 2);
}

TEST_F(Launch, IsCheckedAsADriverDoes) {
  EXPECT_EQ(add(nullptr, 0, {1, 1, 1}, {2048, 1, 1}), cudaErrorInvalidValue);
  EXPECT_EQ(add(nullptr, 0, {0, 1, 1}, {32, 1, 1}), cudaErrorInvalidValue);
  EXPECT_EQ(add(nullptr, 0, {1, 1, 1}, {1, 1, 65}), cudaErrorInvalidValue);
  EXPECT_EQ(add(nullptr, 0, {1, 1, 1}, {32, 1, 1}, 49153), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&host_add, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000),
            cudaSuccess);
  EXPECT_EQ(add(nullptr, 0, {1, 1, 1}, {32, 1, 1}, 49153), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&host_add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
            cudaErrorInvalidValue);
  EXPECT_EQ(add(nullptr, 0, {1, 1, 1}, {32, 1, 1}, ~std::size_t{0}), cudaErrorInvalidValue);
  void* none[] = {nullptr};
  auto gone = reinterpret_cast<cudaStream_t>(0x12345);
  EXPECT_EQ(cudaLaunchKernel(&host_add, {1, 1, 1}, {32, 1, 1}, none, 0, gone),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(&host_gone, {}, {}, none, 0, nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(&wrapper, {}, {}, none, 0, nullptr), cudaErrorInvalidDeviceFunction);
}

TEST_F(Launch, AWrongShapeHasTheErrorOfTheRuntimeThatTheProgramContains) {
  static char host_older;
  void** older = __cudaRegisterFatBinary_11(&wrapper);
  __cudaRegisterFunction(older, &host_older, nullptr, "tuned", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  EXPECT_EQ(cudaLaunchKernel(&host_older, {0, 1, 1}, {64, 2, 1}, nullptr, 0, nullptr),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&host_tuned, {0, 1, 1}, {64, 2, 1}, nullptr, 0, nullptr), cudaErrorInvalidValue);
  __cudaUnregisterFatBinary(older);
}

// PTX's .reqntid is a shape, .maxntid a number of threads.
TEST_F(Launch, TakesTheBlocksThatTheKernelWasCompiledFor) {
  auto launch = [](const char& kernel, Dim3 block) {
    return cudaLaunchKernel(&kernel, {1, 1, 1}, block, nullptr, 0, nullptr);
  };
  EXPECT_EQ(launch(host_tuned, {64, 2, 1}), cudaSuccess);
  for (Dim3 block : {Dim3{128, 2, 1}, Dim3{64, 1, 1}, Dim3{128, 1, 1}, Dim3{64, 2, 2}})
    EXPECT_EQ(launch(host_tuned, block), cudaErrorInvalidValue) << block.x << ' ' << block.y;
  for (Dim3 block : {Dim3{64, 2, 1}, Dim3{128, 1, 1}, Dim3{32, 1, 1}})
    EXPECT_EQ(launch(host_bounded, block), cudaSuccess) << block.x << ' ' << block.y;
  EXPECT_EQ(launch(host_bounded, {64, 2, 2}), cudaErrorInvalidValue);
}

// Beyond what the clock can count to there is no limit.
TEST_F(Launch, TimeLimitsOfAnySize) {
  void* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, 4096), cudaSuccess);
  for (double seconds : {3600.0, 9.3e9, 1e19, 1e300, HUGE_VAL}) {
    Runtime::get().options.timeout = seconds;
    EXPECT_EQ(add(out, 32, {200000}, {32}), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << seconds;
  }
  Runtime::get().options.timeout = 0;
}

TEST_F(Launch, AFaultIsStickyAndShowsAtTheNextWait) {
  EXPECT_EQ(add(reinterpret_cast<void*>(0x10000), 1, {1, 1, 1}, {32, 1, 1}), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  void* out = nullptr;
  EXPECT_EQ(cudaMalloc(&out, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(add(out, 0, {1, 1, 1}, {32, 1, 1}), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(cudaMalloc(&out, 4), cudaSuccess);
}

TEST_F(Launch, AttributesOfAnOlderMajorEndEarlier) {
  cudaFuncAttributes attributes;
  std::memset(&attributes, 0x7f, sizeof attributes);
  EXPECT_EQ(cudaFuncGetAttributes_11(&attributes, &host_add), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.clusterDimMustBeSet, 0x7f7f7f7f);
  EXPECT_EQ(cudaFuncGetAttributes_12(&attributes, &host_add), cudaSuccess);
  EXPECT_EQ(attributes.clusterDimMustBeSet, 0);
  EXPECT_EQ(attributes.reserved[15], 0);
}

TEST_F(Launch, OccupancyIsTheLeastOfAllLimits) {
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_add, 1024, 0), cudaSuccess);
  EXPECT_EQ(blocks, 2); // 2048 threads
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_add, 32, 0), cudaSuccess);
  EXPECT_EQ(blocks, 32); // blocks per multiprocessor
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &host_add, 32, 48 << 10), cudaSuccess);
  EXPECT_EQ(blocks, 4); // 228 KiB of shared memory, 1 KiB reserved for each block
}

} // namespace
} // namespace warplens::runtime
