// The weights of a filter and the sum of what it weighs, bit by bit as an H200 gives them (src/hardware/arch/MODEL.md, "What a fetch
// gives").
#pragma once
#include "sim/texture/texel.h"

namespace warplens::sim {

inline constexpr u32 whole_weight = 256;

// A weight's share: `part` of 256 of it, to the nearest, halves up.
constexpr u32 share(u32 weight, u32 part) { return (weight * part + whole_weight / 2) / whole_weight; }

// The weights of the texels of a slice, which together are `weight`, of which the second column has `second`. `y` says how much
// of 256 the second row has: of the first column the first row's share is rounded, of the second the second's. By the bits of
// their numbers, x lowest.
constexpr std::array<u32, 4> slice_weights(u32 weight, u32 second, u32 y) {
  u32 first = weight - second;
  u32 low_first = share(first, whole_weight - y), high_second = share(second, y);
  return {low_first, second - high_second, first - low_first, high_second};
}

// At most 16 texels (8 of each of two levels) and their weights, which together are 256.
//
//   normalised integers   16 bits each, of signed bytes exact; the sum is rounded to 16 bits, halves up
//   half                  each is cut off 14 bits below the highest bit of the greatest; the sum is rounded to half, halves
//                         away from zero
//   float                 exact, rounded once, halves away from zero
class WeightedSum {
public:
  explicit WeightedSum(const TexelFormat& format, bool srgb) : format_(format), srgb_(srgb) {}
  void add(u32 weight, const std::array<double, 4>& texel) { // `texel` as texel_values() gives it
    if (weight != 0) texels_[count_++] = {weight, texel};
  }
  Channels rounded() const;

private:
  struct Weighed {
    u32 weight;
    std::array<double, 4> texel;
  };
  float channel(u32) const;

  TexelFormat format_;
  bool srgb_;
  u32 count_ = 0;
  std::array<Weighed, 16> texels_;
};

} // namespace warplens::sim
