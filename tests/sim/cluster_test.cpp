// Clusters: CTAs that reach each other's shared memory and wait for each other.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// A kernel k(out) of clusters of `size` CTAs that may use %rd1 (out + 4 · (ctaid · 32 + tid)), %r0 (tid), %r1 (its rank), `data` (32
// words, of which %r2 is its own), `bar`, and registers from 3 (%rd: 2) on.
std::string kernel(std::string_view size, const std::string& body) {
  return fmt::format(R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster {} {{
  .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;
  .shared .align 16 .b8 data[128]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r1, %cluster_ctarank;
  mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.x; mad.lo.u32 %r3, %r4, %r5, %r3;
  mad.lo.u32 %r3, %r3, 32, %r0; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, data; mad.lo.u32 %r2, %r0, 4, %r2;
)",
                     size) +
         body + "\n  ret;\n}\n";
}

const char* const meet = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n";

class Clusters : public testing::Test, public Gpu {
protected:
  std::vector<u32> results(std::string_view size, const std::string& body, Dim3 grid, u32 workers = 0) {
    u32 words = static_cast<u32>(grid.count() * 32);
    if (!load(kernel(size, body))) return std::vector<u32>(words);
    u64 out = buffer(std::vector<u32>(words));
    LaunchOptions options;
    options.workers = workers;
    expect_run("k", grid, {32}, {out}, options);
    return read<u32>(out, words);
  }
};

TEST_F(Clusters, SharedMemoryOfTheOtherBlock) {
  const std::string write = "mad.lo.u32 %r6, %r1, 100, %r0; st.shared.u32 [%r2], %r6;\n",
                    other = "xor.b32 %r7, %r1, 1;\n";
  for (const char* read :
       {"mapa.shared::cluster.u32 %r8, %r2, %r7; ld.shared::cluster.u32 %r9, [%r8];",
        "cvta.shared.u64 %rd3, data; mapa.u64 %rd4, %rd3, %r7; mul.wide.u32 %rd5, %r0, 4; "
        "add.s64 %rd4, %rd4, %rd5; ld.u32 %r9, [%rd4];",
        "mapa.shared::cluster.u32 %r8, %r2, %r7; cvt.u64.u32 %rd3, %r8; cvta.shared::cluster.u64 %rd3, %rd3; "
        "cvta.to.shared::cluster.u64 %rd3, %rd3; ld.shared::cluster.u32 %r9, [%rd3];"})
    for (u32 workers : {1u, 3u}) {
      std::vector<u32> out = results(
          "2, 1, 1", write + meet + other + read + "st.global.u32 [%rd1], %r9;\n" + meet, {8}, workers);
      for (u32 i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], (i / 32 % 2 == 0 ? 100 : 0) + i % 32) << read << i;
    }
}

TEST_F(Clusters, WhatSpecialRegistersSay) {
  std::vector<u32> out = results("2, 2, 1", R"(
  mov.u32 %r6, %clusterid.x; mov.u32 %r7, %clusterid.y; mov.u32 %r8, %cluster_ctaid.x; mov.u32 %r9, %cluster_ctaid.y;
  mov.u32 %r10, %cluster_nctarank; mov.u32 %r11, %nclusterid.x;
  mad.lo.u32 %r6, %r6, 10, %r7; mad.lo.u32 %r6, %r6, 10, %r8; mad.lo.u32 %r6, %r6, 10, %r9; mad.lo.u32 %r6, %r6, 10, %r1;
  mad.lo.u32 %r6, %r6, 10, %r10; mad.lo.u32 %r6, %r6, 10, %r11;
  st.global.u32 [%rd1], %r6;)",
                                 {6, 4});
  for (u32 y = 0; y < 4; ++y)
    for (u32 x = 0; x < 6; ++x) {
      u32 rank = x % 2 + y % 2 * 2;
      EXPECT_EQ(out[(y * 6 + x) * 32],
                x / 2 * 1000000 + y / 2 * 100000 + x % 2 * 10000 + y % 2 * 1000 + rank * 100 + 43)
          << x << y;
    }
}

TEST_F(Clusters, AtomicsAndRanksOfAddresses) {
  std::vector<u32> out = results("4, 1, 1",
                                 R"(
  st.shared.u32 [%r2], 0;)" + std::string(meet) +
                                     R"(
  cvta.shared.u64 %rd3, data; mapa.u64 %rd4, %rd3, 0;
  atom.add.u32 %r6, [%rd4], 1; red.shared::cluster.add.u32 [%r2], 0;
  getctarank.u64 %r7, %rd4;
  isspacep.shared::cluster %p1, %rd4; selp.u32 %r8, 10, 0, %p1; isspacep.shared %p2, %rd4; selp.u32 %r9, 100, 0, %p2;
)" + meet + R"(
  ld.shared.u32 %r10, [data];
  add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; mad.lo.u32 %r7, %r10, 1000, %r7;
  st.global.u32 [%rd1], %r7;)",
                                 {8});
  for (u32 b = 0; b < 8; ++b) EXPECT_EQ(out[b * 32], b % 4 == 0 ? 128110u : 10u);
}

// The threads of one warp come to the barrier in two parts, and some have ended.
TEST_F(Clusters, TheBarrierWaitsForAllThreadsThatLive) {
  std::vector<u32> out = results("2, 1, 1", R"(
  setp.ge.u32 %p1, %r0, 24; @%p1 exit;
  setp.eq.u32 %p2, %r1, 1; @%p2 st.shared.u32 [%r2], 5;
  setp.lt.u32 %p3, %r0, 8; @%p3 bra FIRST;
  barrier.cluster.arrive; barrier.cluster.wait; bra ALL;
FIRST: barrier.cluster.arrive.relaxed; barrier.cluster.wait;
ALL: mapa.shared::cluster.u32 %r8, %r2, 1; ld.shared::cluster.u32 %r9, [%r8];
)" + std::string(meet) + "st.global.u32 [%rd1], %r9;",
                                 {4});
  for (u32 i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 32 < 24 ? 5u : 0u) << i;
}

TEST_F(Clusters, StoresThatTellTheOtherBlock) {
  std::vector<u32> out = results("2, 1, 1", R"(
  setp.eq.u32 %p1, %r0, 0;
  st.shared.u32 [%r2], 1;
  @%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
)" + std::string(meet) + R"(
  xor.b32 %r6, %r1, 1; mapa.shared::cluster.u32 %r7, %r2, %r6; mov.u32 %r8, bar; mapa.shared::cluster.u32 %r8, %r8, %r6;
  mad.lo.u32 %r9, %r1, 100, %r0;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r9, [%r8];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], 1000, [%r8];
W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;
  ld.shared.u32 %r10, [%r2]; st.global.u32 [%rd1], %r10;
)" + meet,
                                 {4});
  for (u32 i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 1000 + (i / 32 % 2 == 0 ? 100 : 0) + i % 32) << i;
}

TEST_F(Clusters, AGridThatTheyDoNotDivideIsRefused) {
  ASSERT_TRUE(load(kernel("2, 1, 1", "")));
  LaunchResult result = run("k", {3}, {32}, {0});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->diagnostic.kind, "launch-invalid");
}

TEST_F(Clusters, ABlockThatIsNotThere) {
  ASSERT_TRUE(load(kernel("2, 1, 1", "mapa.shared::cluster.u32 %r8, %r2, 2;")));
  LaunchResult result = run("k", {2}, {32}, {0});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-cluster-rank");
}

TEST_F(Clusters, ABarrierThatSomeNeverReachIsFound) {
  ASSERT_TRUE(load(kernel("2, 1, 1",
                          "setp.eq.u32 %p1, %r1, 0; @%p1 barrier.cluster.arrive; @%p1 barrier.cluster.wait;\n"
                          "L: ld.volatile.shared.u32 %r8, [data]; setp.eq.u32 %p2, %r8, 0; @%p2 bra L;")));
  LaunchResult result = run("k", {2}, {32}, {0});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::deadlock);
  EXPECT_NE(diag::render(result.fault->diagnostic).find("waiting at the cluster's barrier"),
            std::string::npos)
      << diag::render(result.fault->diagnostic);
}

} // namespace
} // namespace warplens::sim
