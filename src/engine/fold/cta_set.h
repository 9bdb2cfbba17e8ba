// Sets of CTAs of a grid that can be counted, split and searched without looking at their members: boxes in a
// mixed-radix coordinate system. A member is
//
//   first + Σ over axes a of t[a] · axis[a].step   along axis[a].of (x, y or z),   0 ≤ t[a] < axis[a].count
//
// The whole grid is three axes of step 1. Splitting an axis by m turns t into m·outer + inner, two axes: so a
// kernel that computes blockIdx.x / m and blockIdx.x % m meets coordinates in which both are linear.
#pragma once
#include "base/types.h"
#include <array>
#include <vector>

namespace warplens::fold {

inline constexpr u32 most_axes = 6;

struct Axis {
  u8 of = 0; // 0 x, 1 y, 2 z
  u32 step = 1;
  u32 count = 1; // 1: not in use
};

struct CtaSet {
  Dim3 first{0, 0, 0};
  std::array<Axis, most_axes> axis;

  u64 count() const;
  u64 first_index(Dim3 grid) const; // the lowest linear index of a member in the grid
};

CtaSet whole_grid(Dim3 grid);

// Which members of a set are alike: t[a] ≤ last[a] and t[a] a multiple of every[a].
struct Similarity {
  std::array<u32, most_axes> last{};
  std::array<u32, most_axes> every{};
};
CtaSet alike(const CtaSet&, const Similarity&);
// Appends sets that together hold every other member exactly once.
void append_rest(const CtaSet&, const Similarity&, std::vector<CtaSet>& out);

// The same members in other coordinates: axis `a` split by `radix`, which is less than its count; then those
// of the last, incomplete round, if any. Needs a free axis.
std::vector<CtaSet> split(const CtaSet&, u32 axis, u32 radix);
bool has_free_axis(const CtaSet&);

} // namespace warplens::fold
