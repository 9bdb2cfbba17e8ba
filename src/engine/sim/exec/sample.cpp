// Strata of equal size, a batch at a random place of each; and what each stands for, should some not come to their end.
#include "sim/exec/sample.h"
#include <algorithm>
#include <set>

namespace warplens::sim {
namespace {

// Smaller ones are not made: then what is left of the grid is little more than what would be sampled.
constexpr u64 least_stratum = 3;

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

// Adds `count` of `all` batches, at least 2, with what each stands for.
void spread(u64 all, u64 count, bool is_short, const BatchRows& rows, Random& random,
            std::vector<SampledBatch>& out) {
  const auto add = [&](u64 from, u64 stratum) {
    const u64 place = from + (stratum == 1 ? 0 : random.below(stratum));
    out.push_back({rows.batch_at(place, is_short), from, stratum, 0, is_short});
  };
  if (count >= all) {
    for (u64 place = 0; place < all; ++place) add(place, 1);
    return;
  }
  const u64 inner = all - 2, strata = count - 2;
  add(0, 1);
  for (u64 s = 0; s < strata; ++s) add(1 + inner * s / strata, inner * (s + 1) / strata - inner * s / strata);
  add(all - 1, 1);
}

} // namespace

u64 BatchRows::batch_at(u64 n, bool is_short) const {
  if (is_short) return n * per_row + per_row - 1;
  const u64 columns = per_row - (last_is_short ? 1 : 0);
  return n / columns * per_row + n % columns;
}

std::vector<SampledBatch> sample_of(const BatchRows& rows, u64 most) {
  const u64 count = std::min(most, rows.batches / 4), shorter = rows.shorter();
  if (count < least_sample) return {};
  std::vector<SampledBatch> out;
  Random random;
  const u64 of_short = shorter == 0 ? 0 : std::clamp<u64>(count * shorter / rows.batches, 3, shorter + 2);
  if (shorter != rows.batches)
    spread(rows.batches - shorter, std::max(count - std::min(count, of_short), least_sample), false, rows,
           random, out);
  if (shorter != 0) spread(shorter, of_short, true, rows, random, out);
  std::ranges::sort(out, {}, &SampledBatch::batch);
  for (u32 i = 0; i < out.size(); ++i) out[i].part = i;
  return out;
}

std::vector<SampledBatch> refine(std::span<SampledBatch> sample, const BatchRows& rows, u64 times) {
  std::vector<SampledBatch> out;
  Random random;
  std::ranges::sort(sample, {}, &SampledBatch::batch);
  for (bool is_short : {false, true}) {
    const auto is_cut = [&](const SampledBatch& b) {
      return b.is_short == is_short && b.stratum >= least_stratum * times;
    };
    std::set<u32> of_those;
    for (const SampledBatch& one : sample)
      if (is_cut(one)) of_those.insert(one.part);
    const std::vector<u32> parts(of_those.begin(), of_those.end());
    u64 pieces = 0;
    for (SampledBatch& known : sample) {
      if (!is_cut(known)) continue;
      const SampledBatch whole = known;
      for (u64 i = 0; i < times; ++i) {
        const u64 from = whole.from + whole.stratum * i / times;
        const u64 stratum = whole.from + whole.stratum * (i + 1) / times - from;
        if (rows.batch_at(from, is_short) <= whole.batch &&
            whole.batch <= rows.batch_at(from + stratum - 1, is_short))
          known.from = from, known.stratum = stratum;
        else
          out.push_back({rows.batch_at(from + random.below(stratum), is_short), from, stratum,
                         parts[pieces++ % parts.size()], is_short});
      }
    }
  }
  std::ranges::stable_sort(out, {}, &SampledBatch::part);
  return out;
}

void shuffle(std::span<SampledBatch> sample) {
  const auto inner = std::ranges::stable_partition(sample, [](const auto& b) { return b.stratum == 1; });
  Random random;
  for (std::size_t i = inner.size(); i > 1; --i) std::swap(inner[i - 1], inner[random.below(i)]);
}

std::vector<u64> weights_of(std::span<const SampledPart> parts) {
  std::vector<u64> strata(parts.size()), out(parts.size());
  for (bool is_short : {false, true}) {
    // Where parts are missing, those at the edges stand for their neighbours only if nobody else can.
    std::vector<std::size_t> standing, edges;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].is_short == is_short && parts[i].ended != 0)
        (parts[i].stratum == 1 ? edges : standing).push_back(i);
    const std::vector<std::size_t>& helpers = standing.empty() ? edges : standing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].is_short != is_short) continue;
      const auto distance = [&](std::size_t other) { return other < i ? i - other : other - i; };
      if (parts[i].ended == 0 && helpers.empty()) return out;
      strata[parts[i].ended != 0 ? i : *std::ranges::min_element(helpers, {}, distance)] += parts[i].stratum;
    }
  }
  // Weights are whole numbers: what one stands for too much, the next stands for less.
  i64 owed = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].ended == 0) continue;
    owed += static_cast<i64>(strata[i]);
    const i64 ended = parts[i].ended, weight = std::max<i64>((owed + ended / 2) / ended, 1);
    owed -= weight * ended;
    out[i] = static_cast<u64>(weight);
  }
  return out;
}

u64 batch_of_rest(std::span<const u64> sample, u64 r) {
  // The j-th of the sample has batch - j others before it.
  u64 low = 0, high = sample.size();
  while (low < high) {
    const u64 middle = (low + high) / 2;
    if (sample[middle] - middle <= r)
      low = middle + 1;
    else
      high = middle;
  }
  return r + low;
}

void SampleRun::prepare(const BatchRows& rows, u64 most) {
  rows_ = rows;
  std::vector<SampledBatch> sample = sample_of(rows, most);
  parts.resize(sample.size());
  for (const SampledBatch& one : sample) parts[one.part] = {one.stratum, 0, 0, one.is_short, 0, 0};
  shuffle(sample);
  add(sample);
}

bool SampleRun::grow(u64 times) {
  u64 largest = 0;
  for (const SampledBatch& one : batches) largest = std::max(largest, one.stratum);
  times = std::min(times, largest / least_stratum);
  if (times < 2) return false;
  add(refine(batches, rows_, times));
  for (SampledPart& part : parts) part.stratum = 0;
  for (const SampledBatch& one : batches) parts[one.part].stratum += one.stratum;
  return true;
}

void SampleRun::add(std::span<const SampledBatch> more) {
  shares.clear();
  for (const SampledBatch& one : more) {
    if (shares.empty() || one.part != batches.back().part) shares.push_back(batches.size());
    batches.push_back(one), sorted_.push_back(one.batch), ++parts[one.part].batches;
  }
  shares.push_back(batches.size());
  std::ranges::sort(sorted_);
}

std::pair<u64, u32> SampleRun::batch_at(u64 n) const {
  if (n < batches.size()) return {batches[n].batch, batches[n].part};
  return {batch_of_rest(sorted_, n - batches.size()), no_part};
}

bool SampleRun::has_ended() const {
  return std::ranges::all_of(parts, [](const SampledPart& part) { return part.ended == part.batches; });
}

Sampled SampleRun::result() const {
  Sampled out{weights_of(parts)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.work.push_back(parts[i].warp_instructions);
    out.of_grid += parts[i].warp_instructions * out.weights[i];
    if (parts[i].ended == parts[i].batches) out.warp_instructions += parts[i].warp_instructions;
    out.ctas += parts[i].ctas;
  }
  return out;
}

} // namespace warplens::sim
