#include "arch/estimates.h"
#include "arch/rules/blocks.h"
#include "arch/rules/requests.h"
#include <vector>

namespace warplens::arch {

u64 atomic_sector_visits(const access::WarpAccess& access) {
  u64 sum = 0;
  for (u64 sector : touched(access.address, access.active, 1, 5)) {
    u64 most = 0;
    for_each_lane(access.active, [&](u32 lane) {
      if (access.address[lane] >> 5 != sector) return;
      u64 equal = 0;
      for_each_lane(access.active,
                    [&](u32 other) { equal += access.address[other] == access.address[lane]; });
      most = std::max(most, equal);
    });
    sum += most;
  }
  return sum;
}

u64 texture_tag_requests(const access::WarpAccess& access) {
  u64 groups = 0;
  for_each_group(access.active, access.texture_dimensions == 1 ? 8 : 4, [&](u32) { ++groups; });
  return groups;
}

u64 sections_touched(const access::WarpAccess& access, u64 section_bytes) {
  std::vector<u64> sections;
  for_each_lane(access.active, [&](u32 lane) {
    ByteRange range = bytes_of(access.address[lane], access.bytes);
    u64 last = range.last / section_bytes;
    for (u64 section = range.first / section_bytes;; ++section) {
      sections.push_back(section);
      if (section == last) break;
    }
  });
  std::ranges::sort(sections);
  return static_cast<u64>(std::ranges::unique(sections).begin() - sections.begin());
}

} // namespace warplens::arch
