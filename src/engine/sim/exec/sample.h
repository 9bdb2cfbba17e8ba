// A sample of a grid: batches of CTAs that run before all others, spread over the grid, so that wherever the launch ends,
// what was counted stands for the whole.
//
// The grid's batches lie in a row, as they run without a sample. The first and the last stand for themselves alone: they hold the
// edges. What is between them is cut into strata of equal size, and of each a batch runs whose place in it is random, since grids of
// two and three dimensions repeat at equal distances. Random numbers begin with the same seed: two runs take the same sample.
//
// Where the last batch of each row of the grid is shorter than the others, those are a row of their own.
//
// A part of the sample is what is counted apart: first each batch. Where these differ too much to stand for the others, the sample grows:
// each stratum is cut into several, and a batch of each new one runs, too. The parts take turns with those. So each is a sample of the
// whole grid, and what they differ by says how far off their sum is (spread.h of measure), however few batches have all the work.
#pragma once
#include "sim/sim.h"
#include <span>
#include <utility>
#include <vector>

namespace warplens::sim {

// The batches of a grid, row by row.
struct BatchRows {
  u64 batches = 0, per_row = 1;
  bool last_is_short = false; // of each row

  u64 shorter() const { return last_is_short ? batches / per_row : 0; }
  // The n-th of the shorter ones, or of the others.
  u64 batch_at(u64 n, bool is_short) const;
};

struct SampledBatch {
  u64 batch = 0;             // its place in the grid
  u64 from = 0, stratum = 0; // it stands for so many batches, from that one on of those that are as short
  u32 part = 0;
  bool is_short = false;
};

// About `most` batches, or a quarter of all, in the order of the grid, each a part; none where that would be fewer than `least_sample`.
inline constexpr u64 least_sample = 8;
std::vector<SampledBatch> sample_of(const BatchRows&, u64 most);

// Cuts strata that are large enough into so many, and returns the batches that are new, part by part. Sorts the sample.
std::vector<SampledBatch> refine(std::span<SampledBatch> sample, const BatchRows&, u64 times);

// The order in which they run: those at the edges first, the others at random, so that a part of the sample is one, too.
void shuffle(std::span<SampledBatch>);

struct SampledPart {
  u64 stratum = 0;            // batches that its batches stand for together
  u32 batches = 0, ended = 0; // of the sample
  bool is_short = false;
  u64 ctas = 0, warp_instructions = 0; // of those that ended; of all
};

// For how many batches each of a part's stands: where not all ended, those that did stand for the others, and a part of which none
// ended is its nearest neighbour's. All 0 where too few ended to stand for the others.
std::vector<u64> weights_of(std::span<const SampledPart>);

// What the workers of a launch share of its sample.
inline constexpr u32 no_part = ~u32{0};
struct SampleRun {
  std::vector<SampledBatch> batches; // in the order in which they run; none: the launch has no sample
  std::vector<access::Sink*> sinks;  // of each part
  std::vector<SampledPart> parts;    // each is one worker's at a time
  std::vector<u64> shares;           // of what runs: where the batches of each part begin, and where all end
  bool running = false;              // it, and not the rest, is what runs
  bool counts_rest = true;

  void prepare(const BatchRows&, u64 most);
  // Adds batches, to so many times as many as there are, or a third of the grid's. False where there is no room for that.
  bool grow(u64 times);
  bool has_ended() const; // all of it
  // The batch that runs as the n-th, and its part if it is in the sample.
  std::pair<u64, u32> batch_at(u64 n) const;
  Sampled result() const;

private:
  void add(std::span<const SampledBatch>);

  BatchRows rows_;
  std::vector<u64> sorted_; // the sample's batches
};

// The r-th batch, from 0, that is not in the sample, whose batches are sorted.
u64 batch_of_rest(std::span<const u64> sample, u64 r);

} // namespace warplens::sim
