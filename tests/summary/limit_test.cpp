// Which stage limits a kernel, and the least time: by hand for counts that are small enough, on an H100 (132 SMs).
#include "arch/table.h"
#include "summary/limit.h"
#include <gtest/gtest.h>

namespace warplens::summary {
namespace {

using access::Kind;
using access::Space;

measure::SiteRecord site(Space space, Kind kind, arch::Counts counts) {
  measure::SiteRecord out;
  out.space = space, out.site.kind = kind, out.counters = {counts};
  return out;
}

Limit limit_of(std::vector<measure::SiteRecord> sites, u32 ctas, u64 times = 1, u32 sm = 90) {
  measure::LaunchContent launch;
  launch.grid = {ctas, 1, 1}, launch.sites = std::move(sites);
  Limit out;
  add(out, launch, times, *arch::find(sm));
  return out;
}

const arch::Counts scattered{
    .instructions = 1320, .requests = 1320, .tag_passes = 10560, .sectors = 42240, .data_wavefronts = 42240};
const arch::Counts conflicts{.instructions = 1320, .wavefronts = 1320 * 32};

TEST(Limit, SectorsAreTheBusiestWhereEachIsAlone) {
  Limit limit = limit_of({site(Space::global, Kind::load, scattered)}, 1000);
  EXPECT_EQ(limit.sectors, 4 * 42240u / 132);
  EXPECT_EQ(limit.data, 42240u / 132);
  EXPECT_EQ(limit.tag, 10560u / 132);
  ASSERT_EQ(stages(limit).size(), 3u);
  EXPECT_EQ(stages(limit)[0].id, "sectors");
  EXPECT_EQ(stages(limit)[1].id, "data");
}

TEST(Limit, TheBoundLeavesSectorsOut) {
  Limit limit = limit_of({site(Space::global, Kind::load, scattered)}, 1000);
  EXPECT_EQ(limit.bound, 320u);
  EXPECT_NEAR(seconds(limit.bound, *arch::find(90)), 320.0 / (1e3 * arch::find(90)->part.clock_khz), 1e-15);
}

TEST(Limit, SharedMemoryAndTheDataStageAreOne) {
  Limit limit =
      limit_of({site(Space::shared, Kind::load, conflicts), site(Space::global, Kind::load, scattered)}, 132);
  EXPECT_EQ(limit.shared, 320u);
  EXPECT_EQ(stages(limit)[1].id, "shared");
  EXPECT_EQ(stages(limit)[1].cycles, 640u);
  EXPECT_EQ(limit.bound, 640u);
}

TEST(Limit, AGridOfFewBlocksHasFewSMs) {
  EXPECT_EQ(limit_of({site(Space::shared, Kind::load, conflicts)}, 2).shared, 660u * 32);
  EXPECT_EQ(limit_of({site(Space::shared, Kind::load, conflicts)}, 2, 5).bound, 5 * 660u * 32);
  Limit limit = limit_of({site(Space::global, Kind::load, scattered)}, 2);
  EXPECT_EQ(limit.data, 21120u);
  EXPECT_EQ(limit.sectors, 4 * 42240u / 132); // memory is one for all
}

// The assembler may make less of them than was counted: one pass is what is left at least.
TEST(Limit, AtomicsAreOnePassOfTheBound) {
  EXPECT_EQ(limit_of({site(Space::shared, Kind::atomic, conflicts)}, 132).bound, 10u);
  EXPECT_EQ(limit_of({site(Space::global, Kind::atomic, scattered)}, 132).bound, 10u);
}

TEST(Limit, WhatDependsOnTimingIsNoPartOfIt) {
  measure::SiteRecord spin = site(Space::global, Kind::load, scattered);
  spin.site.timing_dependent = access::Timing::spin;
  EXPECT_TRUE(stages(limit_of({spin}, 1)).empty());
}

// Before 7.0 no rule of the L1's stages is known: global memory bounds nothing, shared memory does.
TEST(Limit, NoBoundWithoutARule) {
  arch::Counts before = scattered;
  before.tag_passes = before.data_wavefronts = 0;
  Limit limit = limit_of({site(Space::global, Kind::load, before)}, 1000, 1, 35);
  EXPECT_EQ(limit.bound, 0u);
  EXPECT_EQ(stages(limit)[0].id, "sectors");
}

} // namespace
} // namespace warplens::summary
