// Strata of equal size, a batch at a random place of each; and what each stands for, should some not come to their end.
#include "sim/exec/sample.h"
#include <algorithm>
#include <numeric>

namespace warplens::sim {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
class Random {
public:
  u64 below(u64 bound) { return next() % bound; }

private:
  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  u64 state_ = 0;
};

// Places of `count` of `all`, at least 2, and what each stands for.
template <class Add> void spread(u64 all, u64 count, Random& random, Add&& add) {
  if (all == 0) return;
  if (count >= all) {
    for (u64 place = 0; place < all; ++place) add(place, u64{1});
    return;
  }
  const u64 inner = all - 2, strata = count - 2;
  add(u64{0}, u64{1});
  for (u64 s = 0; s < strata; ++s) {
    const u64 begin = inner * s / strata, end = inner * (s + 1) / strata;
    add(1 + begin + random.below(end - begin), end - begin);
  }
  add(all - 1, u64{1});
}

} // namespace

std::vector<SampledBatch> sample_of(u64 batches, u64 per_row, bool last_is_short, u64 most) {
  const u64 count = std::min(most, batches / 4);
  if (count < least_sample) return {};
  std::vector<SampledBatch> out;
  Random random;
  const u64 shorter = last_is_short ? batches / per_row : 0, full = batches - shorter;
  const u64 of_short = shorter == 0 ? 0 : std::clamp<u64>(count * shorter / batches, 3, shorter + 2);
  const u64 whole_columns = per_row - (last_is_short ? 1 : 0);
  if (whole_columns != 0)
    spread(full, std::max(count - std::min(count, of_short), least_sample), random,
           [&](u64 place, u64 stratum) {
             out.push_back({place / whole_columns * per_row + place % whole_columns, stratum, false});
           });
  spread(shorter, of_short, random, [&](u64 place, u64 stratum) {
    out.push_back({place * per_row + per_row - 1, stratum, true});
  });
  std::ranges::sort(out, {}, &SampledBatch::batch);
  return out;
}

std::vector<u32> order_of(std::span<const SampledBatch> sample) {
  std::vector<u32> out(sample.size());
  std::iota(out.begin(), out.end(), 0u);
  const auto inner = std::ranges::stable_partition(out, [&](u32 i) { return sample[i].stratum == 1; });
  Random random;
  for (std::size_t i = inner.size(); i > 1; --i) std::swap(inner[i - 1], inner[random.below(i)]);
  return out;
}

std::vector<u64> weights_of(std::span<const SampledBatch> sample, const std::vector<bool>& ended) {
  std::vector<u64> out(sample.size());
  for (bool short_ : {false, true}) {
    // Where batches are missing, those at the edges stand for their neighbours only if nobody else can.
    std::vector<std::size_t> standing, edges;
    u64 missing = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (sample[i].short_ != short_) continue;
      if (ended[i])
        (sample[i].stratum == 1 ? edges : standing).push_back(i);
      else
        ++missing;
    }
    for (const auto* some : {&standing, &edges})
      for (std::size_t i : *some) out[i] = sample[i].stratum;
    if (missing == 0) continue;
    const std::vector<std::size_t>& helpers = standing.empty() ? edges : standing;
    if (helpers.empty()) return std::vector<u64>(sample.size());
    for (std::size_t i = 0; i < sample.size(); ++i) {
      if (sample[i].short_ != short_ || ended[i]) continue;
      const auto distance = [&](std::size_t other) { return other < i ? i - other : other - i; };
      out[*std::ranges::min_element(helpers, {}, distance)] += sample[i].stratum;
    }
  }
  return out;
}

u64 batch_of_rest(std::span<const SampledBatch> sample, u64 r) {
  // The j-th of the sample has batch - j others before it.
  u64 low = 0, high = sample.size();
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (sample[middle].batch - middle <= r)
      low = middle + 1;
    else
      high = middle;
  }
  return r + low;
}

void SampleRun::prepare(std::vector<SampledBatch> sample) {
  parts = std::move(sample);
  order = order_of(parts);
  done.resize(parts.size());
}

std::pair<u64, u32> SampleRun::batch_at(u64 n) const {
  if (parts.empty()) return {n, no_part};
  if (n < parts.size()) return {parts[order[n]].batch, order[n]};
  return {batch_of_rest(parts, n - parts.size()), no_part};
}

bool SampleRun::has_ended() const { return std::ranges::all_of(done, &Part::ended); }

Sampled SampleRun::result() const {
  std::vector<bool> ended;
  for (const Part& part : done) ended.push_back(part.ended);
  Sampled out{weights_of(parts, ended)};
  for (std::size_t i = 0; i < done.size(); ++i) {
    out.of_grid += done[i].warp_instructions * out.weights[i];
    if (done[i].ended) out.ctas += done[i].ctas, out.warp_instructions += done[i].warp_instructions;
  }
  return out;
}

} // namespace warplens::sim
