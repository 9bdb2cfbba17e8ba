// Shared memory from 7.0 on: 32 banks of 4 bytes; a pass delivers 128 bytes, so 8-byte words go by half-warps
// and 16-byte words by quarter-warps, except that wide loads of lanes that come in equal pairs share passes.
//
// The pair rule over a set of lanes: every active lane n has the address of lane n^1, or every active lane n
// has that of lane n^2; inactive lanes match anything.
//
// Two counters differ for wide loads and both are predicted:
//   data_wavefronts  what the hardware did: where the pair rule holds over the warp, half-warps (8 bytes) or
//                    quarter-warps (16 bytes) merge two and two, conflicts and all;
//   wavefronts       what Nsight Compute attributes to the instruction: see `attributed_load` below.
// Stores never merge. Atomics take one turn per lane at their bank. ldmatrix reads 8 rows of 16 bytes per
// matrix.
//
// Measured on 9.0, every pattern exact (tests/arch/data); documented in words for 7.0 and 7.5 (NVIDIA
// developer forum, topic 77228); inferred for the others. Not predictable from addresses: float and wide
// atomics, which are loops.
#include "arch/distinct.h"
#include "arch/rules.h"
#include "arch/shared.h"

namespace warplens::arch::rules {
namespace {

using access::Kind;
using access::WarpAccess;

bool equal_to_neighbour(const WarpAccess& access, u32 lanes, u32 distance) {
  bool equal = true;
  for_each_lane(lanes, [&](u32 lane) {
    u32 other = lane ^ distance;
    if (lanes >> other & 1) equal &= access.address[lane] == access.address[other];
  });
  return equal;
}

bool in_pairs(const WarpAccess& access, u32 lanes) {
  return equal_to_neighbour(access, lanes, 1) || equal_to_neighbour(access, lanes, 2);
}

u64 sum_of_groups(const WarpAccess& access, u32 lanes, u32 size) {
  u64 sum = 0;
  for_each_group(lanes, size, [&](u32 group) { sum += passes(access.address, group, access.bytes); });
  return sum;
}

// 8 bytes: one pass if the warp is free of conflicts and in pairs, else half-warps one after the other.
u64 attributed_load_8(const WarpAccess& access) {
  if (passes(access.address, access.active, 8) == 1 && in_pairs(access, access.active)) return 1;
  return sum_of_groups(access, access.active, 16);
}

// Every active lane's neighbour is active too and has the same address.
bool paired_without_gaps(const WarpAccess& access, u32 lanes, u32 distance) {
  u32 swapped = distance == 1 ? (lanes & 0x55555555u) << 1 | (lanes >> 1 & 0x55555555u)
                              : (lanes & 0x33333333u) << 2 | (lanes >> 2 & 0x33333333u);
  return swapped == lanes && equal_to_neighbour(access, lanes, distance);
}

// 16 bytes, half-warps apart: a half-warp free of conflicts is one pass if it is in pairs, else its quarters
// go one after the other. The counter treats the lower half-warp unlike the upper one: while lane 31 is
// active its pairs must have no gaps, and when lane 31 is not it is one pass anyway; then a warp that reads
// one address is even one in all. Found by measurement, 735 patterns without exception; the last clause rests
// on a single one of them.
u64 attributed_load_16(const WarpAccess& access) {
  bool last_active = access.active >> 31;
  if (!last_active && distinct(access.address, access.active, 1).words == 1) return 1;
  u64 sum = 0;
  for_each_group(access.active, 16, [&](u32 half) {
    bool lower = (half & 0xffff) != 0;
    bool merges =
        !lower ? in_pairs(access, half)
               : !last_active || paired_without_gaps(access, half, 1) || paired_without_gaps(access, half, 2);
    bool one = merges && passes(access.address, half, 16) == 1;
    sum += one ? 1 : sum_of_groups(access, half, 8);
  });
  return sum;
}

void add_load(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u32 group = lanes_per_pass(access.bytes);
  u64 ideal = ideal_passes(arch, access.active, access.bytes);
  u64 apart = sum_of_groups(access, access.active, group);
  if (access.bytes <= 4 || access.bytes > 16) return add_passes(counts, apart, apart, ideal);
  u64 data = in_pairs(access, access.active) ? sum_of_groups(access, access.active, group * 2) : apart;
  u64 attributed = access.bytes == 8 ? attributed_load_8(access) : attributed_load_16(access);
  add_passes(counts, attributed, data, ideal);
}

void add_store(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u64 sum = sum_of_groups(access, access.active, lanes_per_pass(access.bytes));
  add_passes(counts, sum, sum, ideal_passes(arch, access.active, access.bytes));
}

void add_atomic(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u64 turns = passes_without_sharing(access.address, access.active, access.bytes);
  add_passes(counts, turns, turns, ideal_passes(arch, access.active, access.bytes));
}

// Lanes 8m … 8m+7 hold the row addresses of matrix m; lanes beyond the matrices hold nothing.
void add_ldmatrix(const WarpAccess& access, Counts& counts) {
  u64 sum = 0;
  for (u32 matrix = 0; matrix < access.matrices; ++matrix)
    sum += passes(access.address, low_lanes(8) << (8 * matrix), 16);
  add_passes(counts, sum, sum, access.matrices);
}

} // namespace

u64 async_copy_wavefronts(const WarpAccess& access) {
  u64 sum = 0;
  for_each_group(access.active, lanes_per_pass(access.bytes),
                 [&](u32 lanes) { sum += passes_without_sharing(access.address, lanes, access.bytes); });
  return sum;
}

void shared_pair_merge(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  counts.requests += 1;
  if (access.kind == Kind::ldmatrix) {
    counts.bytes_used += distinct(access.address, low_lanes(8 * access.matrices), 16).bytes;
    return add_ldmatrix(access, counts);
  }
  counts.bytes_used += distinct(access.address, access.active, access.bytes).bytes;
  switch (access.kind) {
  case Kind::load: return add_load(arch, access, counts);
  case Kind::atomic:
  case Kind::reduction: return add_atomic(arch, access, counts);
  default: return add_store(arch, access, counts);
  }
}

} // namespace warplens::arch::rules
