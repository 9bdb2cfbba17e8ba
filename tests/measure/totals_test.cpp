// What counts cost in cycles: the stage that is busiest, so that accesses of different spaces compare.
#include "arch/count.h"
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

TEST(Cycles, EveryArchitectureHasCostsWithASource) {
  for (const arch::Architecture* row : arch::all()) {
    EXPECT_GT(row->costs.sector, row->costs.wavefront) << arch::sm(*row);
    EXPECT_FALSE(row->costs.source.rule.empty() || row->costs.source.citation.empty()) << arch::sm(*row);
  }
  EXPECT_EQ(hopper().costs.source.grade, arch::Grade::measured);
}

} // namespace
} // namespace warplens::measure
