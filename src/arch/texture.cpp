// Textures and surfaces, an estimate: a warp is served in quads of four neighbouring lanes.
// Requests are quads with an active lane (measured on 9.0: texin_requests, every pattern exact). Sectors are
// the distinct 32-byte sectors of each quad: right where the texels of a quad lie in one row, an upper bound
// elsewhere. How requests of quads merge, and the block-linear layout of arrays, are not documented.
#include "arch/distinct.h"
#include "arch/requests.h"
#include "arch/rules.h"

namespace warplens::arch::rules {

void texture_quads(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  for_each_group(access.active, 4, [&](u32 lanes) {
    u64 sectors = count_touched(access.address, lanes, access.bytes, 5);
    counts.requests += 1;
    counts.sectors += sectors;
    counts.transactions += sectors;
    counts.transaction_bytes += sectors * 32;
    counts.ideal_sectors += ideal_sectors(sectors, lanes, access.bytes);
    counts.bytes_used += distinct(access.address, lanes, access.bytes).bytes;
  });
}

} // namespace warplens::arch::rules
