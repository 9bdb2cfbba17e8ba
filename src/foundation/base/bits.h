// Small bit operations with names: alignment, ranges of lanes.
#pragma once
#include "base/types.h"
#include <bit>

namespace warplens {

constexpr u64 align_down(u64 value, u64 power_of_two) { return value & ~(power_of_two - 1); }
constexpr u64 align_up(u64 value, u64 power_of_two) {
  return align_down(value + power_of_two - 1, power_of_two);
}
constexpr u64 ceil_div(u64 value, u64 divisor) { return (value + divisor - 1) / divisor; }
constexpr bool is_power_of_two(u64 value) { return std::has_single_bit(value); }

// The first `count` lanes of a warp as a mask; count is 0…32.
constexpr u32 low_lanes(u32 count) { return count >= warp_size ? full_mask : (u32{1} << count) - 1; }

// Calls f(lane) for each set bit of `mask`, lowest first.
template <class F> constexpr void for_each_lane(u32 mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<u32>(std::countr_zero(mask)));
}

} // namespace warplens
