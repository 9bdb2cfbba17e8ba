// A sample of a grid: batches of CTAs that run before all others, spread over the grid, so that wherever the launch ends,
// what was counted stands for the whole.
//
// The grid's batches lie in a row, as they run without a sample. The first and the last stand for themselves alone: they hold the
// edges. What is between them is cut into strata of equal size, and of each a batch runs whose place in it is random, since grids of
// two and three dimensions repeat at equal distances. Random numbers begin with the same seed: two runs take the same sample.
//
// Where the last batch of each row of the grid is shorter than the others, those are a row of their own.
#pragma once
#include "sim/sim.h"
#include <span>
#include <utility>
#include <vector>

namespace warplens::sim {

struct SampledBatch {
  u64 batch = 0;       // its place in the grid
  u64 stratum = 0;     // batches that it stands for
  bool short_ = false; // it is the last of its row of the grid, and shorter than the others
};

// About `most` batches, or a quarter of all, in the order of the grid; none where that would be fewer than `least_sample`.
// `per_row`: batches of a row of the grid, the last of which is shorter than the others if `last_is_short`.
inline constexpr u64 least_sample = 8;
std::vector<SampledBatch> sample_of(u64 batches, u64 per_row, bool last_is_short, u64 most);

// In which order they run: those at the edges first, the others at random, so that a part of the sample is one, too.
std::vector<u32> order_of(std::span<const SampledBatch>);

// For how many batches each stands, where only some `ended`: a stratum without one is its nearest neighbour's. All 0 where too few
// ended to stand for the others.
std::vector<u64> weights_of(std::span<const SampledBatch>, const std::vector<bool>& ended);

// The r-th batch, from 0, that is not in the sample.
u64 batch_of_rest(std::span<const SampledBatch>, u64 r);

// What the workers of a launch share of its sample.
inline constexpr u32 no_part = ~u32{0};
struct SampleRun {
  std::vector<SampledBatch> parts; // none: the launch has no sample
  std::vector<u32> order;
  std::vector<access::Sink*> sinks; // of each part
  struct Part {
    bool ended = false;
    u64 ctas = 0, warp_instructions = 0;
  };
  std::vector<Part> done; // each is one worker's
  bool running = false;   // it, and not the rest, is what runs
  bool counts_rest = true;

  void prepare(std::vector<SampledBatch> sample);
  bool has_ended() const; // all of it
  // The batch that runs as the n-th, and its part if it is in the sample.
  std::pair<u64, u32> batch_at(u64 n) const;
  Sampled result() const;
};

} // namespace warplens::sim
