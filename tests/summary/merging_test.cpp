// What the assembler may merge, by where an example's lanes are, and what that leaves of the bound.
#include "arch/table.h"
#include "measure/distribution.h"
#include "summary/limit.h"
#include "summary/merging.h"
#include <gtest/gtest.h>

namespace warplens::summary {
namespace {

using access::Kind;
using access::Space;

// A load of 4 bytes that every warp performs so many times; lane l is at `first` + l · `apart`.
measure::SiteRecord load(u64 first, u64 apart, u64 instructions = 1320, u8 bytes = 4) {
  measure::SiteRecord out;
  out.space = Space::shared, out.site.kind = Kind::load, out.site.bytes = bytes, out.site.function = "k";
  access::WarpAccess warp;
  warp.space = Space::shared, warp.kind = Kind::load, warp.bytes = bytes, warp.active = full_mask;
  for (u32 lane = 0; lane < warp_size; ++lane) warp.address[lane] = first + lane * apart;
  out.distribution.classes.push_back(measure::class_of(warp, instructions, *arch::find(90)));
  out.counters = {out.distribution.classes[0].counts};
  out.counters[0].instructions = instructions;
  return out;
}

measure::LaunchContent launch_of(std::vector<measure::SiteRecord> sites) {
  measure::LaunchContent out;
  out.grid = {1320, 1, 1}, out.block = {32, 1, 1}, out.sites = std::move(sites);
  return out;
}

using Each = std::vector<u32>;
Each merged(std::vector<measure::SiteRecord> sites) { return mergeable(launch_of(std::move(sites))); }

TEST(Merging, WordsSideBySide) {
  EXPECT_EQ(merged({load(0, 0), load(4, 0), load(8, 0), load(12, 0)}), (Each{4, 4, 4, 4}))
      << "all lanes read one";
  EXPECT_EQ(merged({load(0, 32), load(4, 32)}), (Each{2, 2})) << "eight words for each lane";
  EXPECT_EQ(merged({load(0, 8), load(4, 8), load(256, 8)}), (Each{2, 2, 2})) << "by the last multiple of 256";
  EXPECT_EQ(merged({load(0, 0, 1320, 8), load(8, 0, 1320, 8)}), (Each{2, 2}));
  EXPECT_EQ(merged({load(0, 0, 1320, 16), load(16, 0, 1320, 16)}), (Each{1, 1})) << "there is none wider";
}

TEST(Merging, NotWhatIsApartOrNotAlignedInEveryLane) {
  EXPECT_EQ(merged({load(0, 0), load(8, 0)}), (Each{1, 1}));
  EXPECT_EQ(merged({load(0, 4), load(4, 4)}), (Each{1, 1})) << "a row, and its neighbours";
  EXPECT_EQ(merged({load(0, 132), load(4, 132)}), (Each{1, 1})) << "padded rows of 33 words";
  EXPECT_EQ(merged({load(0, 136), load(4, 136), load(8, 136), load(12, 136)}), (Each{2, 2, 2, 2}));
  measure::SiteRecord store = load(4, 0);
  store.site.kind = Kind::store;
  EXPECT_EQ(merged({load(0, 0), store}), (Each{1, 1}));
  measure::SiteRecord global = load(4, 0);
  global.space = Space::global;
  EXPECT_EQ(merged({load(0, 0), global}), (Each{1, 1}));
}

// The assembler may unroll a loop, and then sees neighbours.
TEST(Merging, WhatAWarpRepeats) {
  EXPECT_EQ(merged({load(0, 0, 13200)}), (Each{4}));
  EXPECT_EQ(merged({load(0, 128, 13200)}), (Each{4}));
  EXPECT_EQ(merged({load(0, 4, 13200)}), (Each{1}));
}

// The inner loop of a tiled product, unrolled: what all lanes read is a quarter of the passes, what lies side by side stays.
TEST(Merging, TheBoundOfATiledProduct) {
  std::vector<measure::SiteRecord> sites;
  for (u64 k = 0; k < 32; ++k) sites.push_back(load(4 * k, 0)), sites.push_back(load(4096 + 128 * k, 4));
  Limit limit;
  add(limit, launch_of(sites), 1, *arch::find(90));
  EXPECT_EQ(limit.shared, 64 * 1320u / 132);
  EXPECT_EQ(limit.bound, (32 * 1320u / 4 + 32 * 1320u) / 132);
}

TEST(Merging, LocalArraysMayBeInRegistersUnlessLanesWantDifferentElements) {
  measure::SiteRecord local = load(0, 4);
  local.space = Space::local;
  local.counters[0].tag_passes = local.counters[0].data_wavefronts = 1320;
  local.counters[0].sectors = local.counters[0].ideal_sectors = 5280;
  Limit same;
  add(same, launch_of({local}), 1, *arch::find(90));
  EXPECT_EQ(same.bound, 0u);
  EXPECT_EQ(same.data, 10u);
  local.counters[0].sectors = 4 * 5280;
  Limit different;
  add(different, launch_of({local}), 1, *arch::find(90));
  EXPECT_EQ(different.bound, 10u);
}

} // namespace
} // namespace warplens::summary
