// Shared memory from 7.0 on: 32 banks of 4 bytes; a pass delivers 128 bytes, so 8-byte words go by half-warps
// and 16-byte words by quarter-warps, except that wide loads of lanes that come in equal pairs share passes.
//
// The pair rule over a set of lanes: every active lane n has the address of lane n^1, or every active lane n
// has that of lane n^2; inactive lanes match anything.
//
// Two counters differ for wide loads and both are predicted:
//   data_wavefronts  what the hardware did: where the pair rule holds over the warp, half-warps (8 bytes) or
//                    quarter-warps (16 bytes) merge two and two, conflicts and all;
//   wavefronts       what Nsight Compute attributes to the instruction: see `attributed_load_16` below.
// Stores never merge. Atomics take one pass per lane at their bank, but for two forms that the assembler makes of some: adding 1
// (ATOMS.POPC.INC) takes one per word, and the compare-and-swap of a loop (ATOMS.CAST) two per word, by half-warps if it has
// 8 bytes. ldmatrix reads 8 rows of 16 bytes per matrix.
//
// Measured on 9.0, every pattern exact (tests/arch/data); documented in words for 7.0 and 7.5 (NVIDIA
// developer forum, topic 77228); inferred for the others. How often a loop of float and wide atomics goes round where
// several warps meet is not predictable from addresses.
#include "arch/rules/distinct.h"
#include "arch/rules/shared.h"
#include "arch/table.h"
#include <bit>

namespace warplens::arch::rules {
namespace {

using access::Kind;
using access::WarpAccess;

u64 sum_of_groups(const WarpAccess& access, u32 lanes, u32 size) {
  if (size == warp_size) return passes(access.address, lanes, access.bytes);
  return passes_of_groups(access.address, lanes, access.bytes, size);
}

// Every active lane's neighbour is active too and has the same address.
bool paired_without_gaps(const WarpAccess& access, u32 lanes, u32 distance) {
  u32 swapped = distance == 1 ? (lanes & 0x55555555u) << 1 | (lanes >> 1 & 0x55555555u)
                              : (lanes & 0x33333333u) << 2 | (lanes >> 2 & 0x33333333u);
  return swapped == lanes && equal_to_neighbour(access.address.data(), lanes, distance);
}

// Does the counter see the quarter-warps of this half-warp as one pass, if they are free of conflicts? It
// treats the lower half-warp unlike the upper one: while lane 31 is active its pairs must have no gaps, and
// when it is not the half-warp merges anyway. Found by measurement, 735 patterns without exception.
bool quarters_merge(const WarpAccess& access, u32 half) {
  bool lower = (half & 0xffff) != 0, last_active = access.active >> 31;
  if (!lower) return in_pairs(access.address.data(), half);
  return !last_active || paired_without_gaps(access, half, 1) || paired_without_gaps(access, half, 2);
}

// Of a warp that reads one address the counter sees a pass for 16 lanes, wherever they are (169 masks,
// tests/arch/data/h100_one_address_16.tsv).
constexpr u32 lanes_of_one_address = 16;
bool one_address(const WarpAccess& access) {
  if (access.active == 0) return false;
  const u32 first = static_cast<u32>(std::countr_zero(access.active)),
            last = static_cast<u32>(std::bit_width(access.active)) - 1;
  return access.address[first] == access.address[last] &&
         distinct(access.address, access.active, 1).words == 1;
}

using QuarterPasses = std::array<u32, 4>;

u64 attributed_load_16(const WarpAccess& access, const QuarterPasses& quarter) {
  if (one_address(access))
    return ceil_div(static_cast<u32>(std::popcount(access.active)), lanes_of_one_address);
  u64 sum = 0;
  for_each_group(access.active, 16, [&](u32 half) {
    u32 first = half & 0xffff ? 0 : 2;
    bool one = quarters_merge(access, half) && passes(access.address, half, 16) == 1;
    sum += one ? 1 : quarter[first] + quarter[first + 1];
  });
  return sum;
}

void add_load_16(const WarpAccess& access, u64 ideal, Counts& counts) {
  QuarterPasses quarter{};
  const u64 apart = passes_of_groups(access.address, access.active, 16, 8, false, quarter.data());
  u64 data =
      in_pairs(access.address.data(), access.active) ? sum_of_groups(access, access.active, 16) : apart;
  add_passes(counts, attributed_load_16(access, quarter), data, ideal);
}

// 8 bytes: one pass if the warp is in pairs and free of conflicts, else half-warps one after the other.
void add_load(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u64 ideal = ideal_passes(arch, access.active, access.bytes);
  if (access.bytes == 16) return add_load_16(access, ideal, counts);
  u64 apart = sum_of_groups(access, access.active, lanes_per_pass(access.bytes));
  if (access.bytes != 8 || !in_pairs(access.address.data(), access.active))
    return add_passes(counts, apart, apart, ideal);
  u64 together = passes(access.address, access.active, access.bytes);
  add_passes(counts, together == 1 ? 1 : apart, together, ideal);
}

// Lanes 8m … 8m+7 hold the row addresses of matrix m; lanes beyond the matrices hold nothing.
u32 addressing(const WarpAccess& access) {
  return access.matrices == 0 ? access.active : low_lanes(8 * access.matrices);
}

void add_store(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u64 sum = sum_of_groups(access, addressing(access), lanes_per_pass(access.bytes));
  add_passes(counts, sum, sum, ideal_passes(arch, addressing(access), access.bytes));
}

u64 atomic_passes(const WarpAccess& access) {
  switch (access.atomic) {
  case access::AtomicForm::combined: return passes(access.address, access.active, access.bytes);
  case access::AtomicForm::cast: // once to read and compare, once to write
    return 2 * sum_of_groups(access, access.active, lanes_per_pass(access.bytes));
  case access::AtomicForm::plain: break;
  }
  return passes_without_sharing(access.address, access.active, access.bytes);
}

void add_paired_atomic(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  u64 serialized = atomic_passes(access);
  add_passes(counts, serialized, serialized, ideal_passes(arch, access.active, access.bytes));
}

void add_ldmatrix(const WarpAccess& access, Counts& counts) {
  const u64 sum = passes_of_groups(access.address, addressing(access), 16, 8);
  add_passes(counts, sum, sum, access.matrices);
}

void count_shared_pair_merge(const Architecture& arch, const WarpAccess& access, Counts& counts) {
  counts.requests += 1;
  counts.bytes_used += distinct(access.address, addressing(access), access.bytes).bytes;
  switch (access.kind) {
  case Kind::ldmatrix: return add_ldmatrix(access, counts);
  case Kind::load: return add_load(arch, access, counts);
  case Kind::atomic:
  case Kind::reduction: return add_paired_atomic(arch, access, counts);
  default: return add_store(arch, access, counts);
  }
}

} // namespace

extern constexpr Rule shared_pair_merge{"shared_pair_merge", count_shared_pair_merge,
                                        BatchKernel::banks_with_pairs, 8, Kind::store};

} // namespace warplens::arch::rules

namespace warplens::arch {

u64 async_copy_wavefronts(const access::WarpAccess& access) {
  const u32 lanes = lanes_per_pass(access.bytes);
  if (lanes == warp_size) return passes_without_sharing(access.address, access.active, access.bytes);
  return passes_of_groups(access.address, access.active, access.bytes, lanes, true);
}

} // namespace warplens::arch
