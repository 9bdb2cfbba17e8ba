#include "sim/texture/filter.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace warplens::sim {
namespace {

constexpr int half_kept = 14;

// To so many bits behind the highest, halves away from zero.
double to_bits(double x, int mantissa, int least_exponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  double step = std::ldexp(1.0, std::max(std::ilogb(x), least_exponent) - mantissa);
  return std::round(x / step) * step;
}

} // namespace

float WeightedSum::channel(u32 c) const {
  const bool half = format_.kind == ChannelKind::floating && format_.bits == 16;
  double step = 0, greatest = 0, sum = 0;
  for (u32 i = 0; half && i < count_; ++i) greatest = std::max(greatest, std::fabs(texels_[i].texel[c]));
  if (greatest != 0 && std::isfinite(greatest)) step = std::ldexp(1.0, std::ilogb(greatest) - half_kept);
  for (u32 i = 0; i < count_; ++i) {
    double value = texels_[i].texel[c];
    if (step != 0) value = std::trunc(value / step) * step;
    sum += texels_[i].weight * value;
  }
  sum /= whole_weight;
  if (half) return static_cast<float>(to_bits(sum, 10, -14));
  if (format_.kind == ChannelKind::floating) return static_cast<float>(to_bits(sum, 23, -126));
  return static_cast<float>((srgb_ ? sum : std::floor(sum + 0.5)) / filtered_one(format_));
}

Channels WeightedSum::rounded() const {
  Channels out;
  for (u32 c = 0; c < 4; ++c) out[c] = std::bit_cast<u32>(channel(c));
  return out;
}

} // namespace warplens::sim
