// The sample of a grid covers it, stands for all of it, and is the same each time.
#include "sim/exec/sample.h"
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace warplens::sim {
namespace {

u64 sum(const std::vector<u64>& values) { return std::accumulate(values.begin(), values.end(), u64{0}); }

struct Grid {
  u64 batches, per_row;
  bool last_is_short;
};

const Grid grids[] = {{32, 32, false},     {100, 100, false}, {100, 100, true},       {1000, 10, true},
                      {1000, 1, false},    {4096, 64, true},  {1u << 20, 1024, true}, {63 * 7, 63, true},
                      {1u << 31, 2, true}, {64, 2, true},     {1u << 20, 1, true}};

TEST(Sample, StandsForTheWholeGrid) {
  for (const Grid& grid : grids) {
    const std::vector<SampledBatch> sample = sample_of(grid.batches, grid.per_row, grid.last_is_short, 64);
    ASSERT_FALSE(sample.empty()) << grid.batches;
    EXPECT_LE(sample.size(), 64 + least_sample) << grid.batches;
    u64 all = 0, shorter = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_LT(sample[i].batch, grid.batches);
      if (i != 0) {
        EXPECT_LT(sample[i - 1].batch, sample[i].batch);
      }
      EXPECT_EQ(sample[i].short_, grid.last_is_short && sample[i].batch % grid.per_row == grid.per_row - 1);
      all += sample[i].stratum;
      if (sample[i].short_) shorter += sample[i].stratum;
    }
    EXPECT_EQ(all, grid.batches);
    EXPECT_EQ(shorter, grid.last_is_short ? grid.batches / grid.per_row : 0);
    EXPECT_EQ(sample.front().batch, 0u);
    EXPECT_EQ(sample.back().batch, grid.batches - 1);
    EXPECT_EQ(sample.back().stratum, 1u);
    EXPECT_EQ(sum(weights_of(sample, std::vector<bool>(sample.size(), true))), grid.batches);
  }
}

TEST(Sample, SmallGridsHaveNone) {
  EXPECT_TRUE(sample_of(31, 31, false, 64).empty());
  EXPECT_TRUE(sample_of(1, 1, true, 64).empty());
  EXPECT_EQ(sample_of(32, 32, false, 64).size(), 8u);
}

TEST(Sample, EveryBatchRunsOnce) {
  for (const Grid& grid : grids) {
    if (grid.batches > 10000) continue;
    SampleRun run;
    run.prepare(sample_of(grid.batches, grid.per_row, grid.last_is_short, 64));
    std::set<u64> seen;
    for (u64 n = 0; n < grid.batches; ++n) {
      const auto [batch, part] = run.batch_at(n);
      EXPECT_EQ(part != no_part, n < run.parts.size());
      EXPECT_TRUE(seen.insert(batch).second);
      EXPECT_LT(batch, grid.batches);
    }
    std::vector<u32> order = run.order;
    std::ranges::sort(order);
    for (u32 i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Sample, NeighboursStandForWhatDidNotEnd) {
  for (const Grid& grid : grids) {
    const std::vector<SampledBatch> sample = sample_of(grid.batches, grid.per_row, grid.last_is_short, 64);
    const std::vector<u32> order = order_of(sample);
    for (std::size_t count = 1; count <= order.size(); ++count) {
      std::vector<bool> ended(sample.size());
      for (std::size_t i = 0; i < count; ++i) ended[order[i]] = true;
      const std::vector<u64> weights = weights_of(sample, ended);
      for (std::size_t i = 0; i < sample.size(); ++i)
        if (!ended[i]) {
          EXPECT_EQ(weights[i], 0u);
        }
      EXPECT_TRUE(sum(weights) == grid.batches || sum(weights) == 0) << grid.batches << " " << count;
      if (count > 8) {
        EXPECT_EQ(sum(weights), grid.batches);
      }
    }
  }
}

} // namespace
} // namespace warplens::sim
