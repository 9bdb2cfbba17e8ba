// What no register of 64 bits holds: .b128 in loads, stores, moves and atomics, and vectors that mov takes as a whole.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// k(in, out): each thread has 16 bytes of both, at %rd1 and %rd2.
std::string kernel(const std::string& body) {
  return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .b128 %q<6>; .reg .v4 .u32 %v;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 16; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
)" + body +
         "\n  ret;\n}\n";
}

using Words = std::vector<u32>;

class Wide : public testing::Test, public Gpu {
protected:
  Words run_kernel(const std::string& body, const Words& given, u32 threads = 32) {
    EXPECT_TRUE(load(kernel(body)));
    in = buffer(given);
    u64 out = buffer(Words(4 * threads));
    expect_run("k", {1}, {threads}, {in, out});
    return read<u32>(out, 4 * threads);
  }
  static Words numbers(u32 n) {
    Words out(n);
    for (u32 i = 0; i < n; ++i) out[i] = i * 2654435761u;
    return out;
  }
  u64 in = 0;
};

TEST_F(Wide, LoadsMovesAndStores) {
  Words given = numbers(128);
  EXPECT_EQ(run_kernel("ld.global.b128 %q1, [%rd4]; mov.b128 %q2, %q1; st.global.b128 [%rd5], %q2;", given),
            given);
  EXPECT_EQ(run_kernel(
                "ld.global.relaxed.gpu.b128 %q1, [%rd4]; cvt.u32.u64 %r1, %rd3; mov.u32 %r2, s; add.u32 "
                "%r2, %r2, %r1; st.shared.b128 [%r2], %q1; ld.shared.b128 %q3, [%r2]; st.global.b128 [%rd5], "
                "%q3;",
                given),
            given);
}

TEST_F(Wide, PartsInBraces) {
  Words given = numbers(128), swapped = given;
  for (u32 i = 0; i < 128; i += 4)
    std::swap(swapped[i], swapped[i + 2]), std::swap(swapped[i + 1], swapped[i + 3]);
  EXPECT_EQ(run_kernel("ld.global.b128 %q1, [%rd4]; mov.b128 {%rd6, %rd7}, %q1; mov.b128 %q2, {%rd7, %rd6}; "
                       "st.global.b128 [%rd5], %q2;",
                       given),
            swapped);
  EXPECT_EQ(
      run_kernel("ld.global.b128 %q1, [%rd4]; mov.b128 {%r1, %r2, %r3, %r4}, %q1; mov.b128 %q2, {%r3, %r4, "
                 "%r1, %r2}; st.global.b128 [%rd5], %q2;",
                 given),
      swapped);
}

TEST_F(Wide, LanesThatDoNotTakePartKeepBothHalves) {
  Words given = numbers(128), want = given;
  for (u32 t = 1; t < 32; t += 2)
    for (u32 w = 0; w < 4; ++w) want[4 * t + w] = given[w];
  EXPECT_EQ(
      run_kernel(
          "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0; ld.global.b128 %q1, [%rd1]; @%p1 ld.global.b128 "
          "%q1, [%rd4]; st.global.b128 [%rd5], %q1;",
          given),
      want);
}

TEST_F(Wide, ExchangesAndCompares) {
  Words given = numbers(128);
  // Each thread takes what is there and leaves its own; the last one's stays.
  Words got = run_kernel(
      "ld.global.b128 %q1, [%rd4]; atom.global.exch.b128 %q2, [%rd1], %q1; st.global.b128 [%rd5], %q2;",
      given);
  for (u32 t = 1; t < 32; ++t)
    for (u32 w = 0; w < 4; ++w) EXPECT_EQ(got[4 * t + w], given[4 * (t - 1) + w]) << t;
  EXPECT_EQ(read<u32>(in, 4), Words(given.begin() + 124, given.end()));
  // Only who knows both halves replaces them.
  got = run_kernel(
      "ld.global.b128 %q1, [%rd1]; mov.b128 {%rd6, %rd7}, %q1; setp.ne.u32 %p1, %r0, 5; @%p1 add.u64 %rd7, "
      "%rd7, 1; mov.b128 %q2, {%rd6, %rd7}; ld.global.b128 %q3, [%rd4]; bar.warp.sync -1; "
      "atom.global.cas.b128 %q4, "
      "[%rd1], %q2, %q3; st.global.b128 [%rd5], %q4;",
      given);
  EXPECT_EQ(Words(got.begin(), got.begin() + 4), Words(given.begin(), given.begin() + 4));
  EXPECT_EQ(read<u32>(in, 4), Words(given.begin() + 20, given.begin() + 24));
  EXPECT_EQ(Words(got.end() - 4, got.end()), Words(given.begin() + 20, given.begin() + 24));
}

TEST_F(Wide, AlignmentIsOfTheWhole) {
  ASSERT_TRUE(load(kernel("ld.global.b128 %q1, [%rd4+8]; st.global.b128 [%rd5], %q1;")));
  u64 at = buffer(numbers(256));
  LaunchResult result = run("k", {1}, {32}, {at, at});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::misaligned_address);
}

TEST_F(Wide, SpecialRegistersAreVectors) {
  Words got =
      run_kernel("mov.v4.u32 %v, %tid; add.u32 %r1, %v.x, 100; mov.v4.u32 {%r2, %r3, %r4, %r5}, %ntid; "
                 "st.global.v4.u32 [%rd5], {%r1, %r2, %v.y, %r5};",
                 numbers(128));
  for (u32 t = 0; t < 32; ++t)
    EXPECT_EQ(Words(got.begin() + 4 * t, got.begin() + 4 * t + 4), (Words{100 + t, 32, 0, 0}));
}

// What cooperative groups of several warps use: memory that is the block's, apart from its own, zero at first.
TEST_F(Wide, ReservedSharedMemoryIsBehindTheKernelsOwn) {
  Words got =
      run_kernel("mov.u32 %r1, s; st.shared.u32 [%r1+1020], 77; mov.u32 %r2, %reserved_smem_offset_1; "
                 "cvt.u64.u32 %rd6, %r2; cvta.shared.u64 %rd6, %rd6; ld.u32 %r3, [%rd6]; bar.warp.sync -1; "
                 "mul.wide.u32 %rd7, %r0, 4; add.u64 %rd7, %rd6, %rd7; st.u32 [%rd7], %r0; bar.warp.sync -1; "
                 "ld.u32 %r4, [%rd6+124]; ld.shared.u32 %r5, [%r1+1020]; "
                 "st.global.v4.u32 [%rd5], {%r3, %r4, %r5, %r0};",
                 numbers(128));
  EXPECT_EQ(Words(got.begin(), got.begin() + 4), (Words{0, 31, 77, 0}));
}

TEST_F(Wide, VectorsMoveAsIfAtOnce) {
  Words got = run_kernel(
      "mov.v4.u32 {%r1, %r2, %r3, %r4}, {10, 20, 30, 40}; mov.v4.u32 {%r1, %r2, %r3, %r4}, {%r4, %r1, %r2, "
      "%r3}; st.global.v4.u32 [%rd5], {%r1, %r2, %r3, %r4};",
      numbers(128));
  EXPECT_EQ(Words(got.begin(), got.begin() + 4), (Words{40, 10, 20, 30}));
}

} // namespace
} // namespace warplens::sim
