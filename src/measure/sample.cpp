#include "measure/sample.h"
#include "arch/count.h"
#include "base/bits.h"
#include "measure/cells.h"
#include <algorithm>

namespace warplens::measure {
namespace {

constexpr u32 sampled_warps = 4, sampled_first = 4;
constexpr std::size_t most_seen = 16;

// Calls f(observation) for the sampled ones of so many warps that took part.
template <class WarpOf, class F>
void each_sampled(const arch::Architecture& device, u32 warps, WarpOf&& warp_of_index, F&& f) {
  u32 step = std::max(1u, warps / sampled_warps);
  for (u32 warp = 0, taken = 0; warp < warps && taken < sampled_warps; warp += step) {
    access::WarpAccess access = warp_of_index(warp);
    if (access.active == 0) continue;
    arch::Counts counts; // patterns of other spaces do not speak of them
    if (access.space == access::Space::shared || access.space == access::Space::local)
      counts = arch::count(device, access);
    f(observe(access, counts));
    ++taken;
  }
}

// The warps from the first to the last that took part.
struct Range {
  u32 begin = 0, end = 0;
};
Range range_of(std::span<const u32> active) {
  Range out{0, static_cast<u32>(active.size())};
  while (out.begin < out.end && active[out.begin] == 0) ++out.begin;
  while (out.begin < out.end && active[out.end - 1] == 0) --out.end;
  return out;
}

} // namespace

std::optional<u32> sample_slot(u64 cta) {
  if (cta < first_ctas) return static_cast<u32>(cta);
  if (cta % cta_spacing == 0 && cta / cta_spacing < sampled_ctas - first_ctas)
    return static_cast<u32>(first_ctas + cta / cta_spacing);
  return {};
}

bool Sample::is_sampled(u64 cta) {
  std::optional<u32> slot = sample_slot(cta);
  if (!slot) return false;
  u32 execution = executions_[*slot]++;
  return execution < sampled_first || is_power_of_two(u64{execution} + 1);
}

void Sample::look(const arch::Architecture& device, const access::LaneBatch& batch, u64 cta, u32 first_warp,
                  u32 warps) {
  Range range = range_of(batch.active.subspan(first_warp, warps));
  if (range.begin == range.end || !is_sampled(cta)) return;
  each_sampled(
      device, range.end - range.begin,
      [&](u32 warp) { return access::warp_of(batch, first_warp + range.begin + warp); },
      [&](const Observation& o) { patterns_.add(o); });
}

void Sample::look(const arch::Architecture& device, const access::AffineAccess& one_cta) {
  if (one_cta.active.empty()) return look_whole(device, one_cta);
  Range range = range_of(one_cta.active);
  if (range.begin == range.end || !is_sampled(one_cta.cta)) return;
  each_sampled(
      device, range.end - range.begin, [&](u32 warp) { return access::expand(one_cta, range.begin + warp); },
      [&](const Observation& o) { patterns_.add(o); });
}

// What a warp looks like depends on the base modulo the period too, so one look is remembered.
void Sample::look_whole(const arch::Architecture& device, const access::AffineAccess& one_cta) {
  if (!is_sampled(one_cta.cta)) return;
  u64 place = one_cta.base % arch::address_period;
  auto seen = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& s) {
    return s.place == place && s.stride == one_cta.stride && s.block == one_cta.block &&
           s.bytes == one_cta.bytes;
  });
  if (seen == seen_.end()) {
    if (seen_.size() == most_seen) seen_.clear();
    seen = seen_.insert(seen_.end(), {one_cta.stride, place, one_cta.block, one_cta.bytes, {}});
    each_sampled(
        device, static_cast<u32>(ceil_div(one_cta.block.count(), warp_size)),
        [&](u32 warp) { return access::expand(one_cta, warp); },
        [&](const Observation& observation) { seen->warps.push_back(observation); });
  }
  for (const Observation& observation : seen->warps) patterns_.add(observation);
}

} // namespace warplens::measure
