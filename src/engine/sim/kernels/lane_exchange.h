// What goes from lane to lane of a warp, or from a warp to its lanes: compiled per instruction set like the
// arithmetic (request.h says what that demands), chosen with it. Lanes are 32-bit registers unless the name
// says otherwise; arrays have 32 entries per warp.
#pragma once
#include "base/types.h"

namespace warplens::sim {

enum class ShuffleMode : u8 { up, down, butterfly, index };
enum class LaneReduction : u8 {
  add,
  and_,
  or_,
  xor_,
  min_unsigned,
  max_unsigned,
  min_signed,
  max_signed,
  count_
};

struct LaneExchange {
  // shfl: the lane of its warp that each lane reads, and in `inside`, a word per warp, whether that is the
  // one it asked for; a lane that asks for one outside of its segment reads itself. `by` and `bounds` are the
  // second and the third source (PTX ISA, shfl).
  void (*sources[4])(u32* from, u32* inside, const u32* by, const u32* bounds, u32 warps);
  // out[i] = in[from[i]] in each warp; `step` is 32 where `from` has entries for each warp, 0 where one set
  // serves all. `out` may be `in`.
  void (*permute)(u32* out, const u32* in, const u32* from, u32 step, u32 warps);
  // totals[w] = the lanes of `masks[w]` taken together; 0 where there are none
  void (*reduce[static_cast<u32>(LaneReduction::count_)])(u32* totals, const u32* in, const u32* masks,
                                                          u32 warps);
  // all lanes of warp w = values[w]
  void (*spread)(u32* out, const u32* values, u32 warps);
  // Of one warp: the lanes that hold `value`; the lanes of a mask set to `value`.
  u32 (*equal)(const u32* in, u32 value);
  u32 (*equal64)(const u64* in, u64 value);
  void (*put)(u32* out, u32 mask, u32 value);
};
const LaneExchange& lane_exchange(); // of the selected target

// Registers put together from parts, the first one the least significant, and taken apart.
struct LaneParts {
  void (*join_2x16)(u32* out, const u16* const* parts, u32 lanes);
  void (*join_2x32)(u64* out, const u32* const* parts, u32 lanes);
  void (*join_4x16)(u64* out, const u16* const* parts, u32 lanes);
  void (*part_16_of_32)(u16* out, const u32* in, u32 shift, u32 lanes);
  void (*part_32_of_64)(u32* out, const u64* in, u32 shift, u32 lanes);
  void (*part_16_of_64)(u16* out, const u64* in, u32 shift, u32 lanes);
};
const LaneParts& lane_parts(); // of the selected target

} // namespace warplens::sim
