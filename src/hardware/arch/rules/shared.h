// What the rules of shared memory have in common: requests, ideal passes, and how wide words split into
// groups.
#pragma once
#include "arch/rules/requests.h"

namespace warplens::arch {

// Lanes whose wide words are served together: a pass delivers 128 bytes.
constexpr u32 lanes_per_pass(u32 bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4; }

// Bytes that one pass can deliver: every bank once.
constexpr u32 bytes_per_pass(const Banks& banks) { return banks.count * banks.width; }

// Do all active lanes whose neighbour at this distance is active have its address? Mostly the first lane
// decides, so this stops at it. Inlined into code that is compiled per instruction set, too (batch/counting_loops.h).
[[gnu::always_inline]] inline bool equal_to_neighbour(const u64* address, u32 lanes, u32 distance) {
  for (u32 rest = lanes; rest != 0; rest &= rest - 1) {
    u32 lane = static_cast<u32>(std::countr_zero(rest)), other = lane ^ distance;
    if ((lanes >> other & 1) && address[lane] != address[other]) return false;
  }
  return true;
}

[[gnu::always_inline]] inline bool in_pairs(const u64* address, u32 lanes) {
  return equal_to_neighbour(address, lanes, 1) || equal_to_neighbour(address, lanes, 2);
}

// Adds a finished access whose passes are known. `ideal` is what the access would need at least.
inline void add_passes(Counts& counts, u64 wavefronts, u64 data_wavefronts, u64 ideal) {
  counts.wavefronts += wavefronts;
  counts.data_wavefronts += data_wavefronts;
  counts.ideal_wavefronts += wavefronts < ideal ? wavefronts : ideal;
}

inline u64 ideal_passes(const Architecture& arch, u32 lanes, u32 bytes) {
  return ceil_div(u64{static_cast<u32>(std::popcount(lanes))} * bytes, bytes_per_pass(arch.banks));
}

// The passes that the counter shows for the shared half of an asynchronous copy, from its global source
// (shared_pairs.cpp).
u64 async_copy_wavefronts(const access::WarpAccess&);

} // namespace warplens::arch
