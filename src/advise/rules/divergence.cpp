// Few lanes of each warp take part. The prediction is a bound: as many lanes in full warps.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {
constexpr u64 few = 20; // lanes of a warp, on average
}

void divergence(const Subject& s, std::vector<Advice>& list) {
  u64 full = ceil_div(s.counters.threads, warp_size);
  bool reduction = s.site.distribution.classes.size() > 1;
  if (s.counters.threads >= few * s.counters.instructions || 2 * full > s.counters.instructions) return;
  // Warps that are short because the block is, or where one thread writes for all, are as they should be.
  u64 one_lane = 0;
  for (const measure::WarpClass& c : s.site.distribution.classes)
    if (c.one.lanes == 1) one_lane += c.warps;
  if (!reduction && one_lane != 0) return;
  double lanes = static_cast<double>(s.counters.threads) / static_cast<double>(s.counters.instructions);
  Advice out = draft(s, "divergent-access", Metric::instructions);
  out.title = fmt::format("{:.2g} of 32 lanes are active", lanes);
  out.cause = "a warp performs an instruction for all of its lanes or for few in the same time";
  out.change =
      "let whole warps take part and others not: number the threads that work from 0 up, with the work "
      "computed from that number";
  out.example = "int j = 2*d*threadIdx.x; if (j < size) … instead of if (threadIdx.x % (2*d) == 0) …";
  out.after.instructions = full;
  out.confidence = Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
