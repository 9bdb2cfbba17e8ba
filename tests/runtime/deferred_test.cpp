// --proofs: a launch that was counted by folding writes its results when somebody asks for them, not
// before, and every program still reads what it would have read. Device memory is host memory here, so a
// test can look at it without the runtime noticing.
#include "abi/api.h"
#include "runtime/state.h"
#include <gtest/gtest.h>
#include <numeric>

namespace warplens::runtime {
namespace {

// add: out[i] = in[i] + bias. increment: p[i] += 1. spread: p[p[i]] = i, whose addresses depend on data. bias_is_3: writes the constant.
// by_bias: p[bias] = 9.
constexpr char ptx[] = R"(.version 7.8
.target sm_75
.address_size 64
.visible .const .align 4 .u32 bias;
.visible .entry add(.param .u64 out, .param .u64 in)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3; ld.global.u32 %r4, [%rd4]; ld.const.u32 %r5, [bias]; add.u32 %r4, %r4, %r5;
  add.s64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r4;
  ret;
}
.visible .entry increment(.param .u64 p, .param .u64 unused)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
  ld.param.u64 %rd1, [p]; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4]; add.u32 %r4, %r4, 1; st.global.u32 [%rd4], %r4;
  ret;
}
.visible .entry bias_is_3(.param .u64 p, .param .u64 unused)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 3;
  ret;
}
.visible .entry by_bias(.param .u64 p, .param .u64 unused)
{
  .reg .b32 %r<2>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p]; ld.const.u32 %r1, [bias]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 9;
  ret;
}
.visible .entry spread(.param .u64 to, .param .u64 by)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
  ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [by]; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r4, [%rd4]; and.b32 %r4, %r4, 4095; mul.wide.u32 %rd5, %r4, 4; add.s64 %rd6, %rd1, %rd5;
  st.global.u32 [%rd6], %r1;
  ret;
}
)";

constexpr u32 ctas = 64, threads = 64, words = ctas * threads, bytes = words * 4;

class Deferred : public testing::Test {
protected:
  static void SetUpTestSuite() {
    handle = __cudaRegisterFatBinary(&wrapper);
    auto function = [](char* host, const char* name) {
      __cudaRegisterFunction(handle, host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    };
    function(&host_add, "add");
    function(&host_increment, "increment");
    function(&host_spread, "spread");
    function(&host_bias_is_3, "bias_is_3");
    function(&host_by_bias, "by_bias");
    __cudaRegisterVar(handle, &host_bias, nullptr, "bias", 0, 4, 1, 0);
  }
  static void TearDownTestSuite() { __cudaUnregisterFatBinary(handle); }
  void SetUp() override {
    Runtime::get().options.proofs = "always";
    a = device(), b = device(), c = device();
    set(a, 1), set(b, 2), set(c, 3);
  }
  void TearDown() override {
    cudaDeviceReset();
    cudaGetLastError();
    Runtime::get().options.proofs = "auto";
  }
  static u32* device(u64 size = bytes) {
    void* out = nullptr;
    EXPECT_EQ(cudaMalloc(&out, size), cudaSuccess);
    return static_cast<u32*>(out);
  }
  static void set(u32* p, u32 value) {
    std::vector<u32> data(words, value);
    EXPECT_EQ(cudaMemcpy(p, data.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  }
  static void set_bias(u32 value) {
    EXPECT_EQ(cudaMemcpyToSymbol(&host_bias, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  }
  // Every word of the buffer, as the program sees it.
  static u32 read(u32* p) {
    std::vector<u32> data(words);
    EXPECT_EQ(cudaMemcpy(data.data(), p, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    for (u32 word : data) EXPECT_EQ(word, data[0]);
    return data[0];
  }
  static const Kernel& untried(char& host) {
    Kernel& out = *Runtime::get().binaries.kernel(&host);
    out.is_unprovable = false, out.failed_proofs = 0;
    return out;
  }
  static u64 ran() { return Runtime::get().deferrals.ran(); }
  static u32 peek(const u32* p) { return p[words - 1]; }
  static void launch(char& kernel, u32* first, u32* second = nullptr, u32 blocks = ctas) {
    void* arguments[] = {&first, &second};
    EXPECT_EQ(cudaLaunchKernel(&kernel, {blocks, 1, 1}, {threads, 1, 1}, arguments, 0, nullptr), cudaSuccess);
  }
  static inline FatbinWrapper wrapper{FatbinWrapper::right_magic, 1, reinterpret_cast<const std::byte*>(ptx),
                                      nullptr};
  static inline void** handle = nullptr;
  static inline char host_add, host_increment, host_spread, host_bias_is_3, host_by_bias, host_bias;
  u32 *a = nullptr, *b = nullptr, *c = nullptr;
};

TEST_F(Deferred, AResultIsThereWhenTheHostReadsIt) {
  set_bias(10);
  launch(host_add, b, a);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(peek(b), 2u); // nobody looked
  EXPECT_EQ(read(b), 11u);
}

TEST_F(Deferred, ALaunchThatALaterOneOverwritesIsNotRun) {
  set_bias(10);
  for (int i = 0; i < 100; ++i) launch(host_add, b, a);
  u64 before = ran();
  EXPECT_EQ(read(b), 11u);
  EXPECT_EQ(ran(), before + 1);
}

TEST_F(Deferred, ALaunchWhoseResultIsReadBeforeItIsOverwrittenRuns) {
  set_bias(10);
  launch(host_add, b, a); // b = 11
  launch(host_add, c, b); // c = 21
  launch(host_increment, a);
  launch(host_add, b, a); // b = 12
  EXPECT_EQ(read(c), 21u);
  EXPECT_EQ(read(b), 12u);
  for (int i = 0; i < 3; ++i) launch(host_increment, b); // each reads what the one before wrote
  EXPECT_EQ(read(b), 15u);
}

TEST_F(Deferred, OnlyWhatIsReadIsComputed) {
  set_bias(10);
  launch(host_add, b, a);
  launch(host_increment, c);
  EXPECT_EQ(read(b), 11u);
  EXPECT_EQ(peek(c), 3u);
  EXPECT_EQ(read(a), 1u);
  EXPECT_EQ(peek(c), 3u);
  EXPECT_EQ(read(c), 4u);
}

TEST_F(Deferred, AChainOfLaunchesRunsInOrder) {
  set_bias(10);
  launch(host_add, b, a); // 11
  launch(host_add, c, b); // 21
  launch(host_increment, b);
  EXPECT_EQ(read(c), 21u);
  EXPECT_EQ(read(b), 12u);
}

TEST_F(Deferred, InPlaceLaunchesRunOnce) {
  launch(host_increment, a);
  launch(host_increment, a);
  launch(host_increment, a);
  EXPECT_EQ(peek(a), 1u);
  EXPECT_EQ(read(a), 4u);
  EXPECT_EQ(read(a), 4u);
}

TEST_F(Deferred, InputsAreReadBeforeTheyAreOverwritten) {
  set_bias(10);
  launch(host_add, b, a);
  set(a, 50); // whole
  EXPECT_EQ(read(b), 11u);
  launch(host_add, b, a);
  u32 one = 7;
  EXPECT_EQ(cudaMemcpy(a, &one, 4, cudaMemcpyHostToDevice), cudaSuccess); // in part
  EXPECT_EQ(read(b), 60u);
  launch(host_add, b, c);
  set_bias(20);
  EXPECT_EQ(read(b), 13u); // the constant as it was
}

TEST_F(Deferred, WhatIsOverwrittenUnreadIsNotComputed) {
  u64 before = ran();
  launch(host_increment, a);
  set(a, 5);
  EXPECT_EQ(read(a), 5u);
  EXPECT_EQ(ran(), before);
  launch(host_increment, a);
  EXPECT_EQ(cudaMemset(a, 0, bytes / 2), cudaSuccess); // the other half is the launch's
  EXPECT_EQ(peek(a), 6u);
  EXPECT_EQ(ran(), before + 1);
  // In rows with gaps between them not every byte is overwritten.
  set(b, 1);
  launch(host_increment, b);
  std::vector<u32> rows(words, 9);
  EXPECT_EQ(cudaMemcpy2D(b, 128, rows.data(), 128, 64, bytes / 128, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(b[0], 9u);
  EXPECT_EQ(peek(b), 2u);
}

TEST_F(Deferred, CopiesOnTheDeviceReadAndWrite) {
  set_bias(10);
  launch(host_add, b, a);
  EXPECT_EQ(cudaMemcpy(c, b, bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(c), 11u);
  launch(host_increment, c);
  EXPECT_EQ(cudaMemcpy2D(b, 128, c, 128, 128, bytes / 128, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(b), 12u);
}

TEST_F(Deferred, ALaunchThatCannotWaitSeesAllResults) {
  launch(host_increment, a); // 2: every index of spread is 2
  launch(host_spread, c, a);
  EXPECT_EQ(peek(a), 2u);
  EXPECT_GT(c[2], 3u);
  EXPECT_EQ(c[1], 3u);
}

TEST_F(Deferred, MemoryThatIsFreedUnreadIsNeverComputed) {
  std::size_t before = 0, after = 0, total = 0;
  set_bias(10);
  launch(host_add, b, a);
  EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  EXPECT_EQ(cudaFree(a), cudaSuccess); // still needed for b
  EXPECT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_GE(after, before + bytes);
  EXPECT_EQ(cudaFree(a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(a, 0, bytes), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_TRUE(Runtime::get().deferrals.holds(reinterpret_cast<u64>(a)));
  u64 runs = ran();
  EXPECT_EQ(cudaFree(b), cudaSuccess);
  EXPECT_EQ(ran(), runs);
  EXPECT_FALSE(Runtime::get().deferrals.holds(reinterpret_cast<u64>(a)));
  EXPECT_EQ(Runtime::get().deferrals.held_bytes(), 0u);
}

TEST_F(Deferred, InputsThatWereFreedAreStillThere) {
  set_bias(10);
  launch(host_add, b, a);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  u32* other = device(); // must not take the place of a
  set(other, 1000);
  EXPECT_EQ(read(b), 11u);
  EXPECT_EQ(Runtime::get().deferrals.held_bytes(), 0u);
}

TEST_F(Deferred, MemoryThatTheHostSeesIsWrittenAtOnce) {
  void *managed = nullptr, *pinned = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, bytes, 1), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, bytes, 0), cudaSuccess);
  std::vector<u32> registered(words, 30);
  ASSERT_EQ(cudaHostRegister(registered.data(), bytes, 0), cudaSuccess);
  set_bias(10);
  launch(host_add, static_cast<u32*>(managed), a);
  EXPECT_EQ(peek(static_cast<u32*>(managed)), 11u);
  launch(host_add, static_cast<u32*>(pinned), a);
  EXPECT_EQ(peek(static_cast<u32*>(pinned)), 11u);
  launch(host_increment, registered.data());
  EXPECT_EQ(registered.back(), 31u);
  // Nor are inputs read later that the host may change.
  launch(host_add, b, static_cast<u32*>(managed));
  EXPECT_EQ(peek(b), 21u);
}

TEST_F(Deferred, ManyLaunchesDoNotPileUp) {
  for (u32 i = 0; i < 5000; ++i) launch(host_increment, a);
  EXPECT_EQ(read(a), 5001u);
}

// A proof that failed is tried again only where what it may have failed by has changed.
TEST_F(Deferred, AProofThatFailedIsNotTriedAgain) {
  const Kernel& kernel = untried(host_spread);
  const auto tried_after = [&](auto&&... arguments) {
    launch(host_spread, arguments...);
    return kernel.failed_proofs;
  };
  EXPECT_EQ(tried_after(a, b, 4u), 1u);
  EXPECT_EQ(tried_after(a, b, 4u), 1u);
  set(b, 7); // data, which no proof knows
  EXPECT_EQ(tried_after(a, b, 4u), 1u);
  EXPECT_EQ(tried_after(a, b, 3u), 2u); // another grid
  EXPECT_EQ(tried_after(a, c, 4u), 3u); // another array
  EXPECT_EQ(tried_after(a, b, 4u), 3u);
  u32* more = device(); // arrays may end elsewhere now
  EXPECT_EQ(tried_after(a, b, 4u), 4u);
  cudaFree(more);
  EXPECT_EQ(tried_after(a, b, 4u), 5u);
  EXPECT_FALSE(kernel.is_unprovable); // small grids
  tried_after(a, b);
  EXPECT_TRUE(kernel.is_unprovable);
}

TEST_F(Deferred, ASmallGridIsTriedWithOtherParametersButNotForever) {
  const Kernel& kernel = untried(host_spread);
  for (u32 i = 0; i < 10; ++i) launch(host_spread, a, b + i, 4);
  EXPECT_FALSE(kernel.is_unprovable);
  for (u32 i = 10; i < 30; ++i) launch(host_spread, a, b + i, 4);
  EXPECT_TRUE(kernel.is_unprovable);
}

// What is still to be written may be known the next time.
TEST_F(Deferred, AProofThatFailedByAPendingConstantIsTriedAgain) {
  const Kernel& by_bias = untried(host_by_bias);
  void* bias = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&bias, &host_bias), cudaSuccess);
  launch(host_bias_is_3, static_cast<u32*>(bias), nullptr, 4);
  launch(host_by_bias, a, nullptr, 4);
  EXPECT_EQ(by_bias.failed_proofs, 1u);
  EXPECT_EQ(a[3], 9u);
  set(a, 1);
  launch(host_by_bias, a, nullptr, 4);
  EXPECT_EQ(a[3], 1u); // put off
}

} // namespace
} // namespace warplens::runtime
