// The sample of a grid covers it, stands for all of it, and is the same each time.
#include "sim/exec/sample.h"
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace warplens::sim {
namespace {

u64 sum(const std::vector<u64>& values) { return std::accumulate(values.begin(), values.end(), u64{0}); }

const BatchRows grids[] = {{32, 32, false},     {100, 100, false}, {100, 100, true},       {1000, 10, true},
                           {1000, 1, false},    {4096, 64, true},  {1u << 20, 1024, true}, {63 * 7, 63, true},
                           {1u << 31, 2, true}, {64, 2, true},     {1u << 20, 1, true}};

// Each batch of the sample, of its own part, all of which ended.
std::vector<SampledPart> parts_of(const std::vector<SampledBatch>& sample) {
  std::vector<SampledPart> out(sample.size());
  for (const SampledBatch& one : sample) out[one.part] = {one.stratum, 1, 1, one.is_short, 0, 0};
  return out;
}

TEST(Sample, StandsForTheWholeGrid) {
  for (const BatchRows& grid : grids) {
    const std::vector<SampledBatch> sample = sample_of(grid, 64);
    ASSERT_FALSE(sample.empty()) << grid.batches;
    EXPECT_LE(sample.size(), 64 + least_sample) << grid.batches;
    u64 all = 0, shorter = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      EXPECT_LT(sample[i].batch, grid.batches);
      if (i != 0) {
        EXPECT_LT(sample[i - 1].batch, sample[i].batch);
      }
      EXPECT_EQ(sample[i].is_short, grid.last_is_short && sample[i].batch % grid.per_row == grid.per_row - 1);
      all += sample[i].stratum;
      if (sample[i].is_short) shorter += sample[i].stratum;
    }
    EXPECT_EQ(all, grid.batches);
    EXPECT_EQ(shorter, grid.shorter());
    EXPECT_EQ(sample.front().batch, 0u);
    EXPECT_EQ(sample.back().batch, grid.batches - 1);
    EXPECT_EQ(sample.back().stratum, 1u);
    EXPECT_EQ(sum(weights_of(parts_of(sample))), grid.batches);
  }
}

TEST(Sample, SmallGridsHaveNone) {
  EXPECT_TRUE(sample_of({31, 31, false}, 64).empty());
  EXPECT_TRUE(sample_of({1, 1, true}, 64).empty());
  EXPECT_EQ(sample_of({32, 32, false}, 64).size(), 8u);
}

TEST(Sample, EveryBatchRunsOnce) {
  for (const BatchRows& grid : grids)
    for (u64 times : {1, 2, 7}) {
      if (grid.batches > 10000) continue;
      SampleRun run;
      run.prepare(grid, 64);
      while (times > 1 && run.grow(times)) {
      }
      std::set<u64> seen;
      for (u64 n = 0; n < grid.batches; ++n) {
        const auto [batch, part] = run.batch_at(n);
        EXPECT_EQ(part != no_part, n < run.batches.size());
        EXPECT_TRUE(seen.insert(batch).second);
        EXPECT_LT(batch, grid.batches);
      }
    }
}

// However much a sample has grown, its strata are all of the grid, each holds its batch, and what runs next is one part after the other.
TEST(Sample, GrowsIntoSmallerStrata) {
  for (const BatchRows& grid : grids)
    for (u64 times : {2, 3, 100}) {
      if (grid.batches > 1 << 20) continue;
      SampleRun run;
      run.prepare(grid, 64);
      const std::size_t parts = run.parts.size();
      std::size_t before = run.batches.size();
      for (int i = 0; i < 3 && run.grow(times); ++i) {
        EXPECT_EQ(run.parts.size(), parts);
        EXPECT_LE(run.batches.size(), grid.batches / 3 + parts);
        EXPECT_EQ(run.shares.front(), before);
        EXPECT_EQ(run.shares.back(), run.batches.size());
        for (std::size_t s = 0; s + 1 < run.shares.size(); ++s)
          for (u64 b = run.shares[s]; b < run.shares[s + 1]; ++b)
            EXPECT_EQ(run.batches[b].part, run.batches[run.shares[s]].part);
        before = run.batches.size();
        std::vector<u64> of_part(parts);
        std::vector<std::pair<u64, u64>> strata;
        for (const SampledBatch& one : run.batches) {
          of_part[one.part] += one.stratum;
          EXPECT_LE(grid.batch_at(one.from, one.is_short), one.batch);
          EXPECT_LE(one.batch, grid.batch_at(one.from + one.stratum - 1, one.is_short));
        }
        EXPECT_EQ(sum(of_part), grid.batches);
        for (SampledPart& part : run.parts)
          part.ended = part.batches, part.warp_instructions = 10 * part.batches;
        for (std::size_t i = 0; i < parts; ++i) EXPECT_EQ(of_part[i], run.parts[i].stratum);
        const double all = 10 * static_cast<double>(grid.batches);
        EXPECT_NEAR(static_cast<double>(run.result().of_grid), all, 0.01 * all + 20);
      }
    }
}

TEST(Sample, NeighboursStandForWhatDidNotEnd) {
  for (const BatchRows& grid : grids) {
    std::vector<SampledBatch> sample = sample_of(grid, 64);
    std::vector<SampledPart> parts = parts_of(sample);
    for (SampledPart& part : parts) part.ended = 0;
    shuffle(sample);
    for (std::size_t count = 1; count <= sample.size(); ++count) {
      parts[sample[count - 1].part].ended = 1;
      const std::vector<u64> weights = weights_of(parts);
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].ended == 0) {
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
