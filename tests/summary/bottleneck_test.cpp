// What may limit a kernel though its memory's stages do not: by hand, on an H100 (132 SMs of four schedulers).
#include "arch/table.h"
#include "arch/waits.h"
#include "summary/bottleneck.h"
#include <gtest/gtest.h>

namespace warplens::summary {
namespace {

using access::Kind;
using access::Space;

const arch::Architecture& device() { return *arch::find(90); }

measure::LaunchContent launch_of(arch::Counts counts, u32 blocks, u64 instructions,
                                 Space space = Space::global) {
  measure::LaunchContent out;
  out.grid = {blocks, 1, 1}, out.block = {32, 1, 1}, out.warp_instructions = instructions;
  out.sites.resize(1);
  out.sites[0].space = space, out.sites[0].site.kind = Kind::load, out.sites[0].counters = {counts};
  return out;
}

Bottleneck of(const measure::LaunchContent& launch, u64 times = 1) {
  Bottleneck out;
  add(out, launch, times, device());
  return out;
}

TEST(Bottleneck, SectorsOfALineShareWhatItCosts) {
  arch::Counts alone{.instructions = 1320, .tags = 42240, .sectors = 42240};
  EXPECT_EQ(of(launch_of(alone, 132, 0)).memory, 4 * 42240u / 132);
  arch::Counts together{.instructions = 1320, .tags = 10560, .sectors = 42240};
  EXPECT_EQ(of(launch_of(together, 132, 0)).memory, 552u); // 80 lines of 3.3 and 320 sectors of 0.9
}

TEST(Bottleneck, WarpsThatWait) {
  arch::Counts loads{.instructions = 1320, .tags = 1320, .sectors = 5280};
  const u64 latency = arch::latencies(device()).l2;
  Bottleneck few = of(launch_of(loads, 132, 0), 3);
  EXPECT_EQ(few.waiting, 3 * 10 * latency) << "ten loads of each warp, three launches";
  EXPECT_EQ(few.memory, 3 * 69u);
  EXPECT_TRUE(few.waiting > few.memory);
  EXPECT_FALSE(few.issue > few.memory);
  // 64 blocks for each SM, which holds 32 at a time
  arch::Counts more = loads;
  more.instructions *= 64, more.tags *= 640, more.sectors *= 640;
  Bottleneck many = of(launch_of(more, 132 * 64, 0));
  EXPECT_EQ(many.waiting, 2 * 10 * latency);
  EXPECT_FALSE(many.waiting > many.memory);
}

TEST(Bottleneck, SharedMemoryAnswersSooner) {
  arch::Counts loads{.instructions = 1320, .wavefronts = 1320};
  EXPECT_EQ(of(launch_of(loads, 132, 0, Space::shared)).waiting, 10 * u64{arch::latencies(device()).shared});
}

TEST(Bottleneck, Instructions) {
  arch::Counts loads{.instructions = 132, .tags = 132, .sectors = 528};
  Bottleneck busy = of(launch_of(loads, 132, 132 * 4000));
  EXPECT_EQ(busy.issue, 1000u);
  EXPECT_TRUE(busy.issue > busy.memory);
}

TEST(Bottleneck, TheOthersCountFromTwoThirdsOfMemoryOn) {
  Bottleneck limit{.memory = 300, .issue = 120, .waiting = 79};
  EXPECT_FALSE(3 * (limit.issue + limit.waiting) >= 2 * limit.memory);
  limit.waiting = 80;
  EXPECT_TRUE(3 * (limit.issue + limit.waiting) >= 2 * limit.memory);
}

TEST(Bottleneck, StoresAreNotWaitedFor) {
  measure::LaunchContent launch = launch_of({.instructions = 1320, .tags = 1320, .sectors = 5280}, 132, 0);
  launch.sites[0].site.kind = Kind::store;
  EXPECT_EQ(of(launch).waiting, 0u);
  launch.sites[0].site.kind = Kind::atomic;
  EXPECT_NE(of(launch).waiting, 0u);
  launch.sites[0].result_unused = true;
  EXPECT_EQ(of(launch).waiting, 0u);
}

} // namespace
} // namespace warplens::summary
