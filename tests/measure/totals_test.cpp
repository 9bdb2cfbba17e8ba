// What counts cost in cycles: the stage that is busiest, so that accesses of different spaces compare.
#include "arch/count.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include <gtest/gtest.h>

namespace warplens::measure {
namespace {

using access::Kind;
using access::Space;

const arch::Architecture& hopper() { return *arch::find(90); }

arch::Counts strided(Space space, Kind kind, u64 stride) {
  access::WarpAccess access{{.space = space, .kind = kind}, full_mask};
  for (u64 lane = 0; lane < warp_size; ++lane) access.address[lane] = lane * stride;
  return arch::count(hopper(), access);
}

u64 excess_of(Space space, Kind kind, u64 stride) {
  return excess_cycles(strided(space, kind, stride), space, hopper());
}

TEST(Cycles, NothingIsWastedWhereLanesLieSideBySide) {
  for (Kind kind : {Kind::load, Kind::store, Kind::reduction, Kind::atomic})
    EXPECT_EQ(excess_of(Space::global, kind, 4), 0u) << name(kind);
  EXPECT_EQ(excess_of(Space::shared, Kind::load, 4), 0u);
  EXPECT_EQ(excess_of(Space::constant, Kind::load, 0), 0u);
}

TEST(Cycles, ASectorWeighsMoreThanAPass) {
  const arch::StageCosts& costs = hopper().costs;
  EXPECT_EQ(excess_of(Space::global, Kind::store, 4096), 28 * costs.sector);
  EXPECT_EQ(excess_of(Space::shared, Kind::load, 128), 31 * costs.wavefront);
  EXPECT_GT(excess_of(Space::global, Kind::store, 4096), excess_of(Space::shared, Kind::load, 128));
}

// One address moves one sector, which bytes would call perfect; its lanes pass the data stage one by one, twice.
TEST(Cycles, LanesThatMeetAtAnAddressCostPasses) {
  arch::Counts counts = strided(Space::global, Kind::atomic, 0);
  EXPECT_EQ(excess_bytes(counts, Space::global), 0u);
  StageCycles cycles = measure::cycles(counts, Space::global, hopper());
  EXPECT_EQ(cycles.tag, 32u);
  EXPECT_EQ(cycles.data, 64u);
  EXPECT_EQ(cycles.busiest(), 64u);
  EXPECT_EQ(excess_cycles(counts, Space::global, hopper()), 64 - hopper().costs.sector);
}

// A table that stays in the L1 costs passes there.
TEST(Cycles, SectorsThatDoNotComeFromL2) {
  arch::Counts counts = strided(Space::global, Kind::load, 128);
  EXPECT_EQ(excess_cycles(counts, Space::global, hopper()), 28 * hopper().costs.sector);
  StageCycles cycles = measure::cycles(counts, Space::global, hopper(), 0.125);
  EXPECT_EQ(cycles.sectors, 4 * hopper().costs.sector);
  EXPECT_EQ(excess_cycles(counts, Space::global, hopper(), 0.125),
            std::max(cycles.tag, cycles.data) - 4 * hopper().costs.sector);
}

LaunchRecord with_table(u32 block, u64 sectors, u64 distinct) {
  LaunchRecord launch;
  launch.grid = {1000, 1, 1}, launch.block = {block, 1, 1};
  SiteRecord site;
  site.space = Space::global, site.site.kind = Kind::load, site.site.bytes = 4;
  site.distribution.first_block.requests = site.distribution.first_block.sectors = sectors;
  site.distribution.first_block.distinct_sectors = distinct;
  launch.sites = {site};
  return launch;
}

TEST(Reuse, ATableIsLoadedMoreOftenThanItHasElements) {
  auto share = [](const LaunchRecord& launch) {
    return Reuse(launch, hopper()).share_from_l2(launch.sites[0]);
  };
  EXPECT_EQ(share(with_table(256, 6400, 100)), 1.0 / 64);
  EXPECT_EQ(share(with_table(256, 800, 100)), 1) << "each element once";
  EXPECT_EQ(share(with_table(256, 640000, 10000)), 1) << "320 kB";
  EXPECT_EQ(share(with_table(256, 64000, 1000)), 1) << "eight blocks of 32 kB";
  EXPECT_EQ(share(with_table(1024, 64000, 1000)), 1.0 / 64) << "two blocks of 32 kB";
  LaunchRecord past_l1 = with_table(256, 6400, 100);
  past_l1.sites[0].site.cache = access::Cache::cg;
  EXPECT_EQ(share(past_l1), 1);
  LaunchRecord store = with_table(256, 6400, 100);
  store.sites[0].site.kind = Kind::store;
  EXPECT_EQ(share(store), 1);
}

// Elements of a sector that a warp reads one after the other, as members of a structure, and that other warps read beside it.
TEST(Reuse, AWalkBringsEachSectorOnce) {
  auto walk = [](u64 asks, u64 lines, u32 block) {
    LaunchRecord launch = with_table(block, 96 * asks, 96);
    SiteRecord& site = launch.sites[0];
    site.counters.resize(1);
    site.counters[0].requests = 1000, site.counters[0].tags = 1000 * lines;
    return launch;
  };
  auto share = [](const LaunchRecord& launch) {
    return Reuse(launch, hopper()).share_from_l2(launch.sites[0]);
  };
  EXPECT_EQ(share(walk(1, 3, 256)), 1);
  EXPECT_EQ(share(walk(3, 3, 256)), 1.0 / 3);
  EXPECT_EQ(share(walk(8, 32, 256)), 1.0 / 8) << "8 warps with 32 lines each are 32 kB";
  EXPECT_EQ(share(walk(64, 1, 256)), 1.0 / 64) << "8 floats of a sector, each for 8 warps";
  LaunchRecord twice = walk(128, 1, 256);
  twice.sites[0].distribution.first_block.distinct_sectors = 10000;
  twice.sites[0].distribution.first_block.sectors = 1280000;
  EXPECT_EQ(share(twice), 1.0 / 64) << "a second walk brings them again, if they are too many to stay";
  EXPECT_EQ(share(walk(8, 64, 1024)), 1) << "32 warps with 64 lines each are 256 kB";
  LaunchRecord unknown = walk(8, 3, 256);
  unknown.sites[0].counters.clear();
  EXPECT_EQ(share(unknown), 1);
  LaunchRecord damaged = walk(3, 3, 256);
  for (SiteRecord& site : damaged.sites) site.distribution.first_block.sectors = 0;
  EXPECT_EQ(share(damaged), 1) << "more different sectors than sectors";
}

// Block 0 lies at the rim of a domain, and its rows are shorter than the others. The elements are what all rows bring alike.
TEST(Reuse, ShortRowsOfTheFirstBlockStandForLongerOnes) {
  auto share = [](u64 sectors, u64 distinct, u64 elements, u64 threads, u64 all_sectors) {
    LaunchRecord launch = with_table(256, sectors, distinct);
    SiteRecord& site = launch.sites[0];
    site.distribution.first_block.row_elements = elements;
    site.counters.resize(1);
    site.counters[0].requests = site.counters[0].tags = 1000;
    site.counters[0].threads = threads, site.counters[0].sectors = all_sectors;
    return Reuse(launch, hopper()).share_from_l2(site);
  };
  EXPECT_EQ(share(600, 100, 800, 32000, 28000), 100.0 / 800 * 32000 / 28000)
      << "rows of 6, where others have 7";
  EXPECT_EQ(share(700, 100, 800, 32000, 24000), 100.0 / 800 * 32000 / 24000) << "of 7, where others have 6";
  EXPECT_EQ(share(600, 100, 800, 8000, 6000), 1.0 / 6) << "as long as the others";
  EXPECT_EQ(share(600, 100, 100, 32000, 4000), 1) << "no more than all";
}

TEST(Cycles, EveryArchitectureHasCostsWithASource) {
  for (const arch::Architecture* row : arch::all()) {
    EXPECT_GT(row->costs.sector, row->costs.wavefront) << arch::sm(*row);
    EXPECT_FALSE(row->costs.source.rule.empty() || row->costs.source.citation.empty()) << arch::sm(*row);
  }
  EXPECT_EQ(hopper().costs.source.grade, arch::Grade::measured);
}

} // namespace
} // namespace warplens::measure
