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

bool stays_in_l1(const LaunchContent& launch, const arch::Architecture& device) {
  if (!arch::knows_stages(device)) return false;
  std::map<Place, u64> sectors; // a place's instructions share what was followed
  for (const SiteRecord& record : launch.sites) {
    const FirstBlock& block = record.distribution.first_block;
    if (block.requests == 0 || record.site.kind != access::Kind::load) continue;
    sectors[place_of(record.site)] = block.distinct_sectors;
  }
  u64 touched = 0;
  for (const auto& [place, distinct] : sectors) touched += distinct * device.memory.sector;
  const u64 blocks = resident_blocks(launch, device);
  return blocks * (touched + launch.shared_bytes) <= device.limits.shared_per_sm;
}

double share_from_l2(const access::Site& site, access::Space space, const FirstBlock& block, bool stays) {
  if (!stays || block.sectors == 0 || site.bytes == 0 || !is_cached_load(site, space)) return 1;
  const u64 elements = std::max<u64>(1, 32 / site.bytes);
  if (block.sectors < 2 * elements * block.distinct_sectors) return 1;
  return static_cast<double>(block.distinct_sectors) / static_cast<double>(block.sectors);
}

} // namespace warplens::measure
