#include "check/strides.h"
#include <numeric>

namespace warplens::check {
namespace {

// From here on lanes have no line, no segment and no word in common: lines of 128 bytes, and accesses of up to 32.
constexpr i64 apart = 160;
constexpr i64 most_values = 2048;

i64 magnitude(i64 v) { return v < 0 ? -v : v; }

} // namespace

Placed at_value(const Strided& s, i64 v) {
  Placed out = s.placed;
  for (u32 lane = 0; lane < warp_size; ++lane) out.offset[lane] += s.step[lane] * v;
  return out;
}

std::optional<StrideValues> values_of(const Strided& s, const access::AccessHeader& header, u32 lanes) {
  StrideValues out;
  constexpr i64 period = static_cast<i64>(arch::address_period);
  i64 divisor = period;
  bool may_meet = false;
  i64 widest = 0;
  for (u32 a = 0; a < warp_size; ++a) {
    if ((lanes >> a & 1) == 0) continue;
    divisor = std::gcd(divisor, s.step[a]);
    for (u32 b = 0; b < a; ++b) {
      const i64 step = magnitude(s.step[a] - s.step[b]),
                known = magnitude(s.placed.offset[a] - s.placed.offset[b]);
      if ((lanes >> b & 1) == 0 || step == 0) continue;
      out.far = std::max(out.far, (known + apart) / step + 1);
      widest = std::max(widest, step);
      const u64 unit = symbolic::power_of_two_in(step);
      may_meet = may_meet || static_cast<u64>(known) % unit == 0;
    }
  }
  out.period = period / divisor;
  const i64 window = out.far + out.period;
  const i64 least = s.range ? s.range->least : -window, most = s.range ? s.range->most : window;
  i64 from = std::max(least, -window), to = std::min(most, window);
  if (from > to) // all of them are far
    from = least > window ? least : std::max(least, most - out.period + 1),
    to = std::min(most, from + out.period - 1);
  if (to - from >= most_values) return {};
  for (i64 v = from; v <= to; ++v) out.all.push_back(v);
  const bool narrow = header.space == access::Space::shared; // addresses of 32 bits
  const i64 limit = narrow ? i64{1} << 31 : i64{1} << 62;
  const bool wide = !s.range || widest == 0 || std::max(magnitude(least), magnitude(most)) >= limit / widest;
  out.may_meet = may_meet && wide;
  return out;
}

} // namespace warplens::check
