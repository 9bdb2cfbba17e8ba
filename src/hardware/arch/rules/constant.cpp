// Constant memory: the cache serves one address per request, so a warp makes as many requests as it has
// different addresses; on 1.x the two half-warps are apart. Sources: CUDA C Programming Guide 4.2, 5.3.2.4
// and F.3; measured on 9.0 (idc__requests), every pattern exact.
#include "arch/rules/distinct.h"
#include "arch/rules/requests.h"
#include "arch/table.h"

namespace warplens::arch::rules {
namespace {

void add_lanes(const access::WarpAccess& access, u32 lanes, Counts& counts) {
  counts.requests += distinct(access.address, lanes, 1).words;
  counts.bytes_used += distinct(access.address, lanes, access.bytes).bytes;
}

void count_constant_by_half_warp(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  for_each_group(access.active, 16, [&](u32 lanes) { add_lanes(access, lanes, counts); });
}

void count_constant_by_warp(const Architecture&, const access::WarpAccess& access, Counts& counts) {
  add_lanes(access, access.active, counts);
}

} // namespace

extern constexpr Rule constant_by_half_warp{"constant_by_half_warp", count_constant_by_half_warp};
extern constexpr Rule constant_by_warp{"constant_by_warp", count_constant_by_warp, BatchKernel::words, 32};

} // namespace warplens::arch::rules
