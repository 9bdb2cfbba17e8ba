// How many different blocks one warp's lanes touch, at three sizes at once, and how its words share banks: what
// rules ask that count warp by warp. Fast for accesses that are aligned to their width and lie within 2^30 words of
// each other; the rest go by the block sets of blocks.h, which are exact for any 64-bit addresses.
#pragma once
#include "arch/counts.h"
#include "arch/rules/banks.h"
#include "arch/rules/blocks.h"

namespace warplens::arch {

struct Distinct {
  u32 words = 0, sectors = 0, lines = 0; // different addresses, 32-byte sectors, 128-byte lines
  u64 bytes = 0;                         // different bytes
};

Distinct distinct(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes);

// Adds a request to global memory, but for its transactions: the same on all architectures.
Distinct add_global_request(const access::WarpAccess&, u32 lanes, Counts&);

// Passes of a memory of 32 banks of `bank_bytes` (4 or 8) in which lanes that want the same row of a bank
// share a pass: the most different rows of one bank.
u32 passes(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 bank_bytes = 4);

// The sum over groups of so many neighbouring lanes (at most 16) of the passes that each takes by itself; of single groups in
// `of_groups`, where these are wanted. `each_lane`: no two lanes share a pass.
u32 passes_of_groups(const std::array<u64, warp_size>& address, u32 lanes, u32 bytes, u32 lanes_of_group,
                     bool each_lane = false, u32* of_groups = nullptr);

} // namespace warplens::arch
