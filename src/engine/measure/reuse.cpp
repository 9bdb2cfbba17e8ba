#include "measure/reuse.h"
#include "base/bits.h"
#include <algorithm>
#include <map>

namespace warplens::measure {
namespace {

bool is_cached_load(const access::Site& site, access::Space space) {
  if (space != access::Space::global || site.kind != access::Kind::load) return false;
  switch (site.cache) {
  case access::Cache::none:
  case access::Cache::ca:
  case access::Cache::lu:
  case access::Cache::nc: return true;
  default: return false;
  }
}

} // namespace

u64 resident_blocks(const LaunchContent& launch, const arch::Architecture& device) {
  const u64 threads = ceil_div(std::max<u64>(1, launch.block.count()), warp_size) * warp_size;
  u64 out = std::min<u64>(device.limits.blocks_per_sm, device.limits.threads_per_sm / threads);
  out = std::min<u64>(out, ceil_div(launch.grid.count(), std::max(1u, device.part.multiprocessors)));
  if (launch.shared_bytes != 0) out = std::min<u64>(out, device.limits.shared_per_sm / launch.shared_bytes);
  return std::max<u64>(1, out);
}

Reuse::Reuse(const LaunchContent& launch, const arch::Architecture& device) {
  if (!arch::knows_stages(device)) return;
  struct Loads {
    u64 distinct_sectors = 0, lines = 0; // lines: of a request, at most
  };
  std::map<InlinedPlace, Loads> places; // a place's instructions share what was followed
  for (const SiteRecord& record : launch.sites) {
    const FirstBlock& block = record.distribution.first_block;
    if (block.requests == 0 || record.site.kind != access::Kind::load) continue;
    Loads& loads = places[place_of(record.site)];
    loads.distinct_sectors = block.distinct_sectors;
    if (record.counters.empty() || record.counters[0].requests == 0) continue;
    loads.lines = std::max(loads.lines, ceil_div(record.counters[0].tags, record.counters[0].requests));
  }
  constexpr u64 line_bytes = 128;
  u64 touched = 0, lines = 0;
  bool known = true;
  for (const auto& [place, loads] : places) {
    touched += loads.distinct_sectors * device.memory.sector, lines += loads.lines;
    known = known && loads.lines != 0;
  }
  all_stays_ =
      resident_blocks(launch, device) * (touched + launch.shared_bytes) <= device.limits.shared_per_sm;
  warps_ = ceil_div(std::max<u64>(1, launch.block.count()), warp_size);
  steps_stay_ = known && warps_ * lines * line_bytes + launch.shared_bytes <= device.limits.shared_per_sm;
}

double Reuse::share_from_l2(const SiteRecord& record) const {
  const access::Site& site = record.site;
  const FirstBlock& block = record.distribution.first_block;
  if (block.distinct_sectors == 0 || block.sectors < block.distinct_sectors || site.bytes == 0 ||
      !is_cached_load(site, record.space))
    return 1;
  auto ratio = [](u64 some, u64 all) { return static_cast<double>(some) / static_cast<double>(all); };
  double first = ratio(block.distinct_sectors, block.sectors);
  if (block.row_elements != 0 && !record.counters.empty() && record.counters[0].sectors != 0)
    first = std::min(1.0, ratio(block.distinct_sectors, block.row_elements) *
                              ratio(record.counters[0].threads, record.counters[0].sectors));
  const u64 elements = std::max<u64>(1, 32 / site.bytes);
  if (all_stays_ && block.sectors >= 2 * elements * block.distinct_sectors) return first;
  return steps_stay_ ? std::max(first, 1 / static_cast<double>(elements * warps_)) : 1;
}

} // namespace warplens::measure
