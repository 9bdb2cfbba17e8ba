// Lanes in the order of memory. Lanes count along x, y, z and the CTAs of a batch; an affine form has a stride
// along each. Axes are merged where one goes on as the one before it did, so that rows that follow each other
// in memory are one long row.
//
// Everything here is inlined into code that is compiled per instruction set.
#pragma once
#include "base/bits.h"
#include <utility>

namespace warplens::sim {

struct Rows {
  u32 length[4];
  i64 stride[4];
  u32 lane[4]; // from one step along the axis to the next
};

[[gnu::always_inline]] inline Rows rows_of(const u32* extent, const i64* stride) {
  Rows r{{extent[0], 1, 1, 1}, {stride[0], 0, 0, 0}, {1, 0, 0, 0}};
  u32 last = 0, lanes = extent[0];
  for (u32 d = 1; d < 4; ++d) {
    if (extent[d] == 1) continue;
    if (r.length[last] == 1) {
      r.length[last] = extent[d];
      r.stride[last] = stride[d];
    } else if (static_cast<u64>(stride[d]) == static_cast<u64>(r.stride[last]) * r.length[last]) {
      r.length[last] *= extent[d];
    } else {
      r.length[++last] = extent[d];
      r.stride[last] = stride[d];
      r.lane[last] = lanes;
    }
    lanes *= extent[d];
  }
  return r;
}

// Rows that lie close together in memory one after the other, whatever the order of their lanes: neighbouring
// CTAs share the rows of an image.
[[gnu::always_inline]] inline void sort_rows(Rows& r) {
  auto order = [&](u32 inner, u32 outer) __attribute__((always_inline)) {
    auto distance = [](i64 n) __attribute__((always_inline)) {
      return n < 0 ? -static_cast<u64>(n) : static_cast<u64>(n);
    };
    if (r.length[outer] == 1 || distance(r.stride[inner]) <= distance(r.stride[outer])) return;
    std::swap(r.length[inner], r.length[outer]);
    std::swap(r.stride[inner], r.stride[outer]);
    std::swap(r.lane[inner], r.lane[outer]);
  };
  order(1, 2), order(2, 3), order(1, 2);
}

// Calls f(address offset, first lane) for each row.
template <class F> [[gnu::always_inline]] inline void each_row(const Rows& r, F f) {
  u64 offset3 = 0;
  u32 lane3 = 0;
  for (u32 c = 0; c < r.length[3]; ++c, offset3 += static_cast<u64>(r.stride[3]), lane3 += r.lane[3]) {
    u64 offset2 = offset3;
    u32 lane2 = lane3;
    for (u32 z = 0; z < r.length[2]; ++z, offset2 += static_cast<u64>(r.stride[2]), lane2 += r.lane[2]) {
      u64 offset = offset2;
      u32 lane = lane2;
      for (u32 y = 0; y < r.length[1]; ++y, offset += static_cast<u64>(r.stride[1]), lane += r.lane[1])
        f(static_cast<i64>(offset), u64{lane});
    }
  }
}

// The longest piece of rows that never crosses the end of a row or a warp: 32, 16 or 8 lanes; 0 when rows are
// of other widths. All lanes in one row need not end with a whole piece.
[[gnu::always_inline]] inline u32 segment_of(const Rows& r) {
  if (r.length[1] == 1) return warp_size;
  for (u32 lanes = warp_size; lanes >= 8; lanes /= 2)
    if (r.length[0] % lanes == 0) return lanes;
  return 0;
}

// Calls f(address offset, first lane, its lanes in the mask) for each piece with such lanes, in the order of
// the lanes. `lanes` is segment_of(rows).
template <class N, class F>
[[gnu::always_inline]] inline void each_segment(const Rows& r, N lanes, const u32* masks, F f) {
  each_row(
      r, [&](i64 offset, u64 lane) __attribute__((always_inline)) {
        for (u32 i = 0; i < r.length[0]; i += lanes) {
          u32 mask = masks[(lane + i) / warp_size] >> ((lane + i) % warp_size) & low_lanes(lanes);
          if (mask != 0)
            f(static_cast<i64>(static_cast<u64>(offset) + static_cast<u64>(r.stride[0]) * i), lane + i, mask);
        }
      });
}

} // namespace warplens::sim
