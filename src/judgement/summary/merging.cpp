#include "summary/merging.h"
#include "arch/arch.h"
#include "base/bits.h"
#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace warplens::summary {
namespace {

constexpr u64 widest = 16; // bytes of one access

// Where a warp's lanes are: the first from the last multiple of the period on, and what divides all distances from it.
struct Lanes {
  u64 first = 0, apart = 0; // apart: 0 where all have one address
};

Lanes lanes_of(const access::WarpAccess& warp) {
  Lanes out;
  bool fresh = true;
  u64 origin = 0;
  for (u32 lane = 0; lane < warp_size; ++lane) {
    if ((warp.active >> lane & 1) == 0) continue;
    const u64 address = warp.address[lane];
    if (std::exchange(fresh, false)) origin = address;
    out.apart = std::gcd(out.apart, address > origin ? address - origin : origin - address);
  }
  out.first = origin % arch::address_period;
  return out;
}

// Accesses that may become one are in one function, of one kind and width.
using Together = std::tuple<std::string, access::Kind, u8, u64>; // and with lanes equally far apart
struct Member {
  std::size_t site = 0;
  u64 first = 0;
};

// Where the members of a group begin, in the period; its ends are neighbours.
using Starts = std::bitset<arch::address_period>;

Starts starts_of(const std::vector<Member>& members) {
  Starts out;
  for (const Member& member : members) out.set(member.first);
  return out;
}

// How many bytes of the group lie side by side around an access of so many.
u64 side_by_side(const Starts& starts, u64 first, u64 bytes) {
  auto is_there = [&](u64 at) { return starts.test(at % arch::address_period); };
  u64 out = bytes;
  for (u64 after = bytes; out < widest && is_there(first + after); after += bytes) out += bytes;
  for (u64 before = bytes; out < widest && is_there(first + arch::address_period - before); before += bytes)
    out += bytes;
  return out;
}

} // namespace

std::vector<u32> mergeable(const measure::LaunchContent& launch) {
  std::vector<u32> out(launch.sites.size(), 1);
  const u64 warps = launch.grid.count() * ceil_div(std::max<u64>(1, launch.block.count()), warp_size);
  std::map<Together, std::vector<Member>> groups;
  for (std::size_t s = 0; s < launch.sites.size(); ++s) {
    const measure::SiteRecord& record = launch.sites[s];
    const bool plain = record.site.kind == access::Kind::load || record.site.kind == access::Kind::store;
    if (record.space != access::Space::shared || !plain || record.site.bytes == 0 ||
        record.counters.empty() || record.counters[0].instructions == 0 ||
        record.distribution.classes.empty())
      continue;
    const Lanes lanes = lanes_of(record.distribution.classes[0].example);
    groups[{record.site.function, record.site.kind, record.site.bytes, lanes.apart}].push_back(
        {s, lanes.first});
  }
  for (const auto& [group, members] : groups) {
    const auto& [function, kind, bytes, apart] = group;
    const u64 aligned =
        apart == 0 ? widest : u64{1} << std::countr_zero(apart); // lanes of a wider access are
    const Starts starts = starts_of(members);
    for (const Member& member : members) {
      const bool repeats =
          launch.sites[member.site].counters[0].instructions > warps; // a loop that may be unrolled
      const u64 side = repeats ? widest : side_by_side(starts, member.first, bytes);
      const u64 fit = std::min({widest, aligned, std::bit_floor(side)}) / bytes;
      out[member.site] = static_cast<u32>(std::max<u64>(1, fit));
    }
  }
  return out;
}

} // namespace warplens::summary
