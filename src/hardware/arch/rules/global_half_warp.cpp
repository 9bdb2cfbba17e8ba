// Global memory of 1.x: half-warps are apart, nothing is cached.
//
// 1.0 and 1.1 coalesce a half-warp only when the k-th thread accesses the k-th word of an aligned run of 16
// words of 4, 8 or 16 bytes; any lanes may be inactive. It then moves as one 64-byte, one 128-byte or two
// 128-byte transactions. Everything else is one 32-byte transaction per active lane.
//
// 1.2 and 1.3 take the segment of the lowest active lane (32, 64 or 128 bytes for words of 1, 2 or more
// bytes), with every lane that lies in it, halve it while only one half is used, issue it, and go on with the
// lanes left.
//
// Source: CUDA C Programming Guide 4.2, F.3.2.1 and F.3.2.2. It speaks of 16 transactions for an uncoalesced
// half-warp; that inactive lanes make none is inferred.
#include "arch/rules/distinct.h"
#include "arch/rules/requests.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

constexpr u32 half_warp = 16, sector_shift = 5;

// Is every active lane k of the half-warp at base + k·bytes, base aligned so that the words fill whole
// segments?
bool kth_thread_kth_word(const access::WarpAccess& access, u32 lanes) {
  if (access.bytes != 4 && access.bytes != 8 && access.bytes != 16) return false;
  u64 run = u64{half_warp} * access.bytes; // 64, 128, 256 bytes
  u64 alignment = run < 128 ? run : 128;
  u32 first = static_cast<u32>(std::countr_zero(lanes));
  u64 base = access.address[first] - u64{first % half_warp} * access.bytes;
  if (base % alignment != 0) return false;
  bool in_order = true;
  for_each_lane(lanes, [&](u32 lane) {
    in_order &= access.address[lane] == base + u64{lane % half_warp} * access.bytes;
  });
  return in_order;
}

// Issues the segment of 2^shift bytes that holds the sectors `first` to `last`, halved while one half is
// unused.
void issue_shrunk(u64 first, u64 last, u32 shift, Counts& counts) {
  while (shift > sector_shift && first >> (shift - 1 - sector_shift) == last >> (shift - 1 - sector_shift))
    --shift;
  counts.transactions += 1;
  counts.transaction_bytes += u64{1} << shift;
}

void count_global_half_warp_strict(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  for_each_group(access.active, half_warp, [&](u32 lanes) {
    add_global_request(access, lanes, counts);
    if (kth_thread_kth_word(access, lanes)) {
      counts.transactions += access.bytes == 16 ? 2 : 1;
      counts.transaction_bytes += u64{half_warp} * access.bytes;
      return;
    }
    for_each_lane(lanes, [&](u32 lane) {
      u64 sectors = count_touched(access.address, u32{1} << lane, access.bytes, 5);
      counts.transactions += sectors;
      counts.transaction_bytes += sectors * 32;
    });
  });
}

void count_global_half_warp_segments(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  u32 shift = access.bytes == 1 ? 5 : access.bytes == 2 ? 6 : 7;
  for_each_group(access.active, half_warp, [&](u32 lanes) {
    add_global_request(access, lanes, counts);
    // Segments are aligned, so they are disjoint and the order of issue changes nothing; and since none is
    // smaller than a sector, the touched sectors in ascending order say which segments there are and how far
    // each shrinks.
    BlockSet sectors = touched(access.address, lanes, access.bytes, sector_shift);
    for (const u64* first = sectors.begin(); first != sectors.end();) {
      const u64* end = first;
      while (end != sectors.end() && *end >> (shift - sector_shift) == *first >> (shift - sector_shift))
        ++end;
      issue_shrunk(*first, end[-1], shift, counts);
      first = end;
    }
  });
}

} // namespace

extern constexpr Rule global_half_warp_strict{"global_half_warp_strict", count_global_half_warp_strict};
extern constexpr Rule global_half_warp_segments{"global_half_warp_segments", count_global_half_warp_segments};

} // namespace warplens::arch::rules
