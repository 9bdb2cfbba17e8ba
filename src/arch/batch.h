// Counting many warps in one go, for the rules that most accesses meet: global memory as one request per
// instruction, constant memory, and shared memory with words of up to 8 bytes. One loop per instruction set
// with everything in registers; each gives exactly what the rules (rules.h) give, warp by warp, which tests
// hold.
//
// A loop stops at a warp that it cannot count, because its addresses are misaligned or more than 2^32 words
// apart: the caller counts that one by the rule and calls again for the rest.
#pragma once
#include "arch/count.h"
#include <bit>

namespace warplens::arch {

// `count` warps whose lanes access 2^shift bytes each.
struct Warps {
  const u32* active = nullptr;  // [count]
  const u64* address = nullptr; // [count][32]
  u32 count = 0;
  u32 shift = 2;
};

// What lanes that want the same row of a bank cost, and whether wide loads of lanes in equal pairs merge.
enum class Sharing : u8 { shared, shared_in_pairs, each_lane };

// Each adds the warps that it counted and returns how many it passed over, those without a lane included.
struct BatchKernels {
  u32 (*blocks)(const Warps&, Counts&) = nullptr;         // tags, sectors, ideal_sectors, bytes_used
  u32 (*words)(const Warps&, Counts&) = nullptr;          // requests: one per different word; bytes_used
  u32 (*banks)(const Warps&, Sharing, Counts&) = nullptr; // 32 banks of 4 bytes; words of at most 8 bytes
};

extern const BatchKernels avx512_kernels, avx2_kernels, baseline_kernels;

// Tries the kernels; false when none counts like the row's rule, and then nothing is added.
bool count_batch(const Architecture&, const access::LaneBatch&, Counts&);

} // namespace warplens::arch
