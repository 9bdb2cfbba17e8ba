#include "measure/record.h"
#include <bit>
#include <fmt/format.h>
#include <functional>

namespace warplens::measure {

std::string_view name(Status status) {
  switch (status) {
  case Status::exact: return "exact";
  case Status::proved: return "proved";
  case Status::sampled: return "sampled";
  case Status::partial: return "partial";
  case Status::failed: return "failed";
  case Status::unknown: return "unknown";
  case Status::refused: return "refused";
  }
  return {};
}

std::string in_words(const Blocks& blocks, u64 all) {
  std::string out = fmt::format("{} of {} {}", blocks.ended, all, all == 1 ? "block" : "blocks");
  if (blocks.running == 0) return out;
  return out + (blocks.ended == 0 ? fmt::format(", and a part of {}", blocks.running)
                                  : fmt::format(", and a part of {} more", blocks.running));
}

u64 digest(const LaunchContent& launch) {
  u64 sum = std::hash<std::string>()(launch.kernel);
  auto mix = [&](u64 value) { sum = std::rotl(sum ^ value, 23) * 0x9e3779b97f4a7c15; };
  for (Dim3 dim : {launch.grid, launch.block}) mix(dim.x), mix(dim.y), mix(dim.z);
  mix(static_cast<u64>(launch.status));
  mix(launch.blocks.ended), mix(launch.blocks.running);
  mix(launch.shared_bytes);
  mix(launch.warp_instructions);
  mix(std::hash<std::string>()(launch.reason)), mix(std::hash<std::string>()(launch.range));
  for (const SiteRecord& site : launch.sites) {
    mix(site.predicated_off);
    for (const arch::Counts& counts : site.counters)
      for (const arch::CountMember& member : arch::count_members) mix(counts.*member.value);
  }
  return sum;
}

LaunchContent repeated(LaunchContent launch, u64 times) {
  launch.warp_instructions *= times;
  for (SiteRecord& site : launch.sites) {
    for (arch::Counts& counts : site.counters) counts *= times;
    site.distribution *= times;
    site.predicated_off *= times;
  }
  return launch;
}

} // namespace warplens::measure
