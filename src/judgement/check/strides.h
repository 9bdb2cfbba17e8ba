// Lanes that are apart by a number which nobody knows and all lanes share: what a warp pays for each value of it. Values are
// tried one by one up to where lanes are too far apart to meet; beyond, what they pay repeats with a period.
#pragma once
#include "check/counting.h"

namespace warplens::check {

// Lanes at placed.offset + step * v. v: any integer of the range.
struct Strided {
  Placed placed;
  symbolic::Lanes step{};
  std::optional<symbolic::Range> range;
};
Placed at_value(const Strided&, i64 v);

struct StrideValues {
  std::vector<i64> all; // ascending; in a row
  i64 far = 0;          // of values that are further from 0 than this, `period` in a row stand for all
  i64 period = 1;
  // The range has values whose products wrap around, so that lanes may meet again.
  bool may_meet = false;
};
// Nothing where there are too many.
std::optional<StrideValues> values_of(const Strided&, const access::AccessHeader&, u32 lanes);

} // namespace warplens::check
