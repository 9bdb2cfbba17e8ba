// Textures and surfaces: a warp is served in groups of neighbouring lanes, and each group fetches the distinct 32-byte sectors
// that its lanes touch.
//
//                                            a request for     a group is
//   surfaces                                 8 lanes           8 lanes; of atomics 4
//   linear buffer (tex1Dfetch)               4 lanes           8 lanes; of texels of 16 bytes 4
//   arrays, rows of a pitch                  4 lanes           4 lanes
//   gathers                                  4 lanes           4 lanes
//   filtered                                 4 lanes           4 lanes; in three dimensions half as many, and of texels
//                                                              of 16 bytes half as many: of those that take part, in order
//
// A filter of texels of 16 bytes fetches each sector once for their first eight bytes and once for the others, where the
// program uses components of both halves. A filter between levels is one in each.
//
// Requests of textures are texin_requests. Which texels share a sector is not decided here: addresses are of the memory's own
// layout. Rows for linear and pitch-linear memory; in an array a sector is a tile of 16 bytes x 2 rows
// (access/texture_layout.h). A filtered fetch touches the sectors of the texels that have a weight along each axis; a lane
// outside an array, where the border colour is, that of the nearest texel.
//
// Measured on 9.0: point fetches of 4-byte texels on an H100, 301 patterns, every one exact; texels of 1, 4, 8 and 16 bytes,
// filters in two and three dimensions and between levels, gathers, borders and surfaces on an H200, 138 kernels, every one
// exact (tests/hardware/data); of atomics of surfaces 2, which do not tell 4 lanes from lanes that meet apart. Other
// architectures are an estimate by the same rule.
#include "arch/rules/distinct.h"
#include "arch/rules/requests.h"
#include "arch/table.h"
#include <algorithm>
#include <array>

namespace warplens::arch::rules {
namespace {

// What the lanes of a group fetch: all their texels.
struct Fetched {
  u64 sectors = 0, bytes = 0,
      asked = 0; // bytes: different ones; asked: each lane's apart, where it fetches one texel
};

// Different addresses in no order: few, so that looking through them is faster than sorting.
class AddressSet {
public:
  bool add(u64 address) {
    for (u32 i = 0; i < count_; ++i)
      if (all_[i] == address) return false;
    all_[count_++] = address;
    return true;
  }

private:
  std::array<u64, 128> all_; // 8 lanes, 16 texels each
  u32 count_ = 0;
};

// Texels are aligned to their width, so that none straddles two sectors.
Fetched fetched_aligned(const access::WarpAccess& access, u32 lanes) {
  AddressSet texels, sectors;
  Fetched out;
  auto add = [&](const u64* address) {
    for_each_lane(lanes, [&](u32 lane) {
      if (address[lane] == access::no_texel) return;
      bool is_new = texels.add(address[lane]);
      out.bytes += is_new ? access.bytes : 0;
      out.asked += is_new || access.further.empty() ? access.bytes : 0;
      out.sectors += is_new && sectors.add(address[lane] / 32);
    });
  };
  add(access.address.data());
  for (std::size_t at = 0; at + warp_size <= access.further.size() && at < 15 * warp_size; at += warp_size)
    add(&access.further[at]);
  return out;
}

// As a pattern file may have it.
Fetched fetched_anywhere(const access::WarpAccess& access, u32 lanes) {
  return {count_touched(access.address, lanes, access.bytes, 5),
          distinct(access.address, lanes, access.bytes).bytes,
          u64{static_cast<u32>(std::popcount(lanes))} * access.bytes};
}

bool is_aligned(const access::WarpAccess& access, u32 lanes) {
  u64 bits = 0;
  for_each_lane(
      lanes, [&](u32 lane) { bits |= access.address[lane] == access::no_texel ? 0 : access.address[lane]; });
  return (bits & (access.bytes - 1)) == 0;
}

constexpr u32 quad = 4;

struct Groups {
  u32 request_lanes, lanes;
  u64 passes = 1;
};
Groups groups_of(const access::WarpAccess& access) {
  constexpr u32 octet = 8, wide = 16;
  if (access.space == access::Space::surface)
    return {octet, access.kind == access::Kind::reduction ? quad : octet};
  if (access.texture_dimensions == 1) return {quad, access.bytes == wide ? quad : octet};
  const bool gathers = access.texel_passes == 0;
  if (access.further.empty() || gathers) return {quad, quad};
  const u32 deep = access.texture_dimensions == 3 ? 2 : 1;
  return access.bytes == wide ? Groups{quad, quad / 2 / deep, access.texel_passes}
                              : Groups{quad, quad / deep};
}

// Groups of a quad or more go by the lanes' places; smaller ones take the lanes of a quad that take part, as many at a time.
template <class F> void each_group(u32 active, const Groups& groups, F&& f) {
  if (groups.lanes >= quad) return for_each_group(active, groups.lanes, f);
  for_each_group(active, quad, [&](u32 rest) {
    while (rest != 0) {
      u32 lanes = 0;
      for (u32 n = 0; n < groups.lanes && rest != 0; ++n) {
        lanes |= rest & (~rest + 1);
        rest &= rest - 1;
      }
      f(lanes);
    }
  });
}

void count_texture_groups(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  const Groups groups = groups_of(access);
  for_each_group(access.active, groups.request_lanes, [&](u32) { counts.requests += 1; });
  each_group(access.active, groups, [&](u32 lanes) {
    Fetched one =
        is_aligned(access, lanes) ? fetched_aligned(access, lanes) : fetched_anywhere(access, lanes);
    u64 sectors = groups.passes * one.sectors;
    counts.sectors += sectors;
    counts.transactions += sectors;
    counts.transaction_bytes += sectors * 32;
    counts.ideal_sectors += groups.passes * std::min(one.sectors, ceil_div(one.asked, u64{32}));
    counts.bytes_used += one.bytes;
  });
}

} // namespace

extern constexpr Rule texture_groups{"texture_groups", count_texture_groups};

} // namespace warplens::arch::rules
