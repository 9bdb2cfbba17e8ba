// Closed intervals of 128-bit integers: every 64-bit C value, signed or not, is a point here, so that
// wrap-around is something one can see. Bounds saturate; a saturated bound only makes the interval larger,
// never wrong.
#pragma once
#include "base/types.h"
#include <algorithm>

namespace warplens::symbolic {

__extension__ using Wide = __int128;

inline constexpr Wide wide_limit = Wide{1} << 120; // bounds saturate here

struct Interval {
  Wide lo = 0, hi = 0;
  constexpr bool contains(Wide value) const { return lo <= value && value <= hi; }
  constexpr bool contains(Interval other) const { return lo <= other.lo && other.hi <= hi; }
  constexpr bool operator==(const Interval&) const = default;
};

inline constexpr Interval everything{-wide_limit, wide_limit};
constexpr Interval point(Wide value) { return {value, value}; }
constexpr Wide saturate(Wide value) { return std::clamp(value, -wide_limit, wide_limit); }
constexpr Interval join(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

constexpr Interval operator+(Interval a, Interval b) {
  return {saturate(a.lo + b.lo), saturate(a.hi + b.hi)};
}
constexpr Interval operator-(Interval a, Interval b) {
  return {saturate(a.lo - b.hi), saturate(a.hi - b.lo)};
}

constexpr Wide saturating_product(Wide a, Wide b) {
  Wide out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return saturate(out);
  return (a < 0) == (b < 0) ? wide_limit : -wide_limit;
}

constexpr Interval operator*(Interval a, Interval b) {
  Wide p = saturating_product(a.lo, b.lo), q = saturating_product(a.lo, b.hi);
  Wide r = saturating_product(a.hi, b.lo), s = saturating_product(a.hi, b.hi);
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

} // namespace warplens::symbolic
