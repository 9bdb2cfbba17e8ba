// Names of the algebra's own opaque operations, and what its files share.
#pragma once
#include "symbolic/warp/algebra.h"

namespace warplens::symbolic {

// Callers' codes start above.
enum LaneAlgebra::Code : u32 {
  wraps = 1,
  power,
  right_shift,
  beyond_shift,
  lower_bits,
  and_bits,
  or_bits,
  xor_bits,
  quotient_of,
  remainder_of,
  least_of,
  most_of,
  less,
  between,
  equal_to,
  selected,
  difference_selected,
  chosen,
  clamped,
  product_of,
  row_index,
  tabled,
  reversed
};

constexpr i64 floor_divided(i64 v, u64 by) {
  i64 divisor = static_cast<i64>(by), q = v / divisor;
  return v % divisor < 0 ? q - 1 : q;
}

} // namespace warplens::symbolic
