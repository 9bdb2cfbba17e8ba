// Textures and surfaces: a warp is served in groups of neighbouring lanes, and each group fetches the
// distinct 32-byte sectors that its lanes touch. A fetch from a linear buffer (tex1Dfetch) takes 8 lanes at a
// time, a two-dimensional one the quads of 4 lanes. Requests are quads with an active lane in both
// (texin_requests).
//
// Which texels share a sector is not decided here: addresses are of the memory's own layout. Rows for linear
// and pitch-linear memory; in an array a sector of 4-byte texels is a tile of 4 x 2 (trace/patterns.cpp).
//
// Measured on 9.0 for point fetches of 4-byte texels: requests and sectors of 301 patterns, every one exact.
// Everything else (filtering, other widths, surfaces, other architectures) is an estimate by the same rule.
#include "arch/batch/distinct.h"
#include "arch/rules/requests.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

void count_texture_groups(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  constexpr u32 quad = 4, octet = 8;
  for_each_group(access.active, quad, [&](u32) { counts.requests += 1; });
  for_each_group(access.active, access.texture_dimensions == 1 ? octet : quad, [&](u32 lanes) {
    u64 sectors = count_touched(access.address, lanes, access.bytes, 5);
    counts.sectors += sectors;
    counts.transactions += sectors;
    counts.transaction_bytes += sectors * 32;
    counts.ideal_sectors += ideal_sectors(sectors, lanes, access.bytes);
    counts.bytes_used += distinct(access.address, lanes, access.bytes).bytes;
  });
}

} // namespace

extern constexpr Rule texture_groups{"texture_groups", count_texture_groups};

} // namespace warplens::arch::rules
