// What the loops over warps share. Everything is inlined into code that is compiled per instruction set
// (kernels.h says why).
#pragma once
#include "arch/batch/counting_loops.h"
#include "base/bits.h"
#include <bit>
#include <cstring>

namespace warplens::arch {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

[[gnu::always_inline]] inline u32 ones(u32 mask) { return static_cast<u32>(std::popcount(mask)); }

[[gnu::always_inline]] inline u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

[[gnu::always_inline]] inline u32 first_lane(u32 lanes) { return static_cast<u32>(std::countr_zero(lanes)); }

// The first warp from `warp` on with an active lane, or the count.
[[gnu::always_inline]] inline u32 next_warp(const Warps& warps, u32 warp) {
  while (warp < warps.count && warps.active[warp] == 0) ++warp;
  return warp;
}

struct FourWarps {
  u32 count = 0; // the others repeat the first
  u32 active[4];
  const u64* address[4];
};

// The next four with an active lane from `warp` on, or fewer at the end. Returns the first one not looked at.
[[gnu::always_inline]] inline u32 take_four(const Warps& warps, u32 warp, FourWarps& four) {
  for (; four.count < 4 && warp < warps.count; ++warp) {
    if (warps.active[warp] == 0) continue;
    four.active[four.count] = warps.active[warp];
    four.address[four.count++] = warps.address + std::size_t{warp} * warp_size;
  }
  for (u32 k = four.count; k < 4; ++k) four.active[k] = four.active[0], four.address[k] = four.address[0];
  return warp;
}

// Where the keys of a warp begin: 2^30 words below the 2^16 lines that the first active lane's address lies in.
[[gnu::always_inline]] inline u64 first_key(const u64* address, u32 lanes, u32 shift) {
  return align_down(address[first_lane(lanes)], u64{128} << 16) - (u64{1} << 30 << shift);
}

} // namespace

// What table.cpp gathers.
u32 count_local(const Warps&, Counts&);
u32 put_blocks(const Warps&, PendingBlocks&, Counts&);
void count_blocks(PendingBlocks&, Counts&);
u32 put_words(const Warps&, Sharing, PendingWords&, Counts&);
void count_words(PendingWords&, Counts&);
bool count_distinct(const WordsOfWarp&, DistinctWords&);
bool count_passes_of_groups(const WordsOfWarp&, u32 lanes, bool each_lane, u32* out);
bool count_stages_of_warp(const StagedWarp&, StagePasses&);

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::arch
