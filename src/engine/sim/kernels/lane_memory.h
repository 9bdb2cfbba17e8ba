// The address side of loads and stores that look at every lane: compiled per instruction set like the
// arithmetic (request.h says what that demands), chosen with it.
#pragma once
#include "base/types.h"
#include <cstddef>

namespace warplens::sim {

// Over active lanes: the least and the greatest address, and all addresses' bits; lowest > highest when no
// lane is active.
struct Extremes {
  u64 lowest = ~u64{0}, highest = 0, bits = 0;
};

inline constexpr u32 list_slack = 16; // entries that LaneMemory::list may write past the last one

// `masks` has a word per warp; warps without an active lane are passed over.
struct LaneMemory {
  // address[i] = register + offset, of 32 bits modulo 2^32; returns the extremes. Inactive lanes of warps
  // with an active one are written too.
  Extremes (*addresses32)(u64* address, const u32* registers, u32 offset, const u32* masks, u32 warps);
  Extremes (*addresses64)(u64* address, const u64* registers, u64 offset, const u32* masks, u32 warps);
  Extremes (*extremes)(const u64* address, const u32* masks, u32 warps);
  // out[i] = memory at the host address base + address[i] for active lanes
  void (*gather32)(u32* out, u64 base, const u64* address, const u32* masks, u32 warps);
  void (*gather64)(u64* out, u64 base, const u64* address, const u32* masks, u32 warps);
  // The numbers of the active lanes of warps first to end: warp by warp, the last lane of each first; says
  // how many.
  u32 (*list)(u16* out, const u32* masks, u32 first, u32 end);
};
const LaneMemory& lane_memory(); // of the selected target

} // namespace warplens::sim
