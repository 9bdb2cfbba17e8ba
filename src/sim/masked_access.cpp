// Loads and stores of some lanes at addresses in closed form: `if (i < n) x[i] = …`. Where the lanes of each
// warp are evenly spaced, an access is a row per warp, known by its first address; nothing is written out per
// lane but the data.
//
// Whatever is not as simple as that (misaligned, outside its allocation, local or generic, blocks whose rows
// end within a warp) is left to the path that looks at each lane.
#include "sim/execute_memory.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace warplens::sim {
namespace {

using ir::StateSpace;

// The active lanes of the access: lane i of warp w at row[w] + step·i, relative to the space.
struct Rows {
  std::array<u64, most_warps> row;
  i64 step = 0;
  Place place;
  std::byte* host(u32 warp) const { return place.at_warp(warp) + static_cast<i64>(row[warp]); }
};

// Whether the lanes of every warp are stride[0] apart.
bool evenly_spaced(const Shape& shape, const Strides& stride) {
  return shape.block.x % warp_size == 0 || is_ramp(stride, shape, 3);
}

bool find_rows(Exec& x, const Op& op, SlotId slot, Rows& out) {
  const Value& v = x.values[slot];
  if (!v.closed || (op.space != StateSpace::global && op.space != StateSpace::shared) ||
      !evenly_spaced(x.shape, v.stride))
    return false;
  u64 bytes = u64{op.element_bytes} * op.elements, base = v.base + static_cast<u64>(op.offset);
  if ((base | static_cast<u64>(v.stride[0] | v.stride[1] | v.stride[2] | v.stride[3])) & (bytes - 1))
    return false;
  out.step = v.stride[0];
  i64 low = std::numeric_limits<i64>::max(), high = 0;
  u64 origin = 0; // where a thread at (0, 0, 0) of the first CTA would be
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u32 mask = x.mask->word[w];
    if (mask == 0) continue;
    u64 distance = 0;
    for (u32 d = 0; d < axes; ++d) distance += static_cast<u64>(v.stride[d]) * x.shape.at[d][w * warp_size];
    i64 lowest = std::countr_zero(mask), highest = 31 - std::countl_zero(mask);
    u64 first = base + distance + static_cast<u64>(out.step * lowest);
    if (v.bits == 32) first &= 0xffffffffu; // addresses of 32 bits wrap at 32 bits
    out.row[w] = first - static_cast<u64>(out.step * lowest);
    origin = out.row[w] - distance;
    i64 one = static_cast<i64>(first), other = one + out.step * (highest - lowest);
    low = std::min({low, one, other});
    high = std::max({high, one, other});
  }
  if (low < 0) return false;
  u64 end = static_cast<u64>(high) + bytes;
  if (op.space == StateSpace::shared ? end > x.shared_bytes()
                                     : !in_known_range(x, op, static_cast<u64>(low), end))
    return false;
  out.place = place_of(x, op.space);
  report_closed(x, op, op.space, origin, v.stride, x.mask->word.data());
  return true;
}

template <class M, class C> void load_rows(const Exec& x, const Rows& rows, u64 skip, C* out) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u32 mask = x.mask->word[w];
    if (mask == 0) continue;
    const std::byte* from = rows.host(w) + skip;
    C* to = out + w * warp_size;
    if (sizeof(M) == sizeof(C) && mask == full_mask && rows.step == sizeof(M)) {
      std::memcpy(to, from, sizeof(M) * warp_size);
      continue;
    }
    for_each_lane(mask, [&](u32 i) {
      M value;
      std::memcpy(&value, from + rows.step * static_cast<i64>(i), sizeof value);
      to[i] = static_cast<C>(value);
    });
  }
}

template <class M, class C> void store_rows(const Exec& x, const Rows& rows, u64 skip, const C* in) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u32 mask = x.mask->word[w];
    if (mask == 0) continue;
    std::byte* to = rows.host(w) + skip;
    const C* from = in + w * warp_size;
    if (sizeof(M) == sizeof(C) && mask == full_mask && rows.step == sizeof(M)) {
      std::memcpy(to, from, sizeof(M) * warp_size);
      continue;
    }
    for_each_lane(mask, [&](u32 i) {
      M value = static_cast<M>(from[i]);
      std::memcpy(to + rows.step * static_cast<i64>(i), &value, sizeof value);
    });
  }
}

} // namespace

bool load_masked(Exec& x, const Op& op) {
  Rows rows;
  if (!find_rows(x, op, op.source(0), rows)) return false;
  bool whole = x.overwrites(op);
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    if (!whole) need_lanes(to, x.shape);
    with_types(op.element_bytes, op.sign, to.bits, [&]<class M, class C>() {
      load_rows<M, C>(x, rows, u64{e} * op.element_bytes, static_cast<C*>(to.data));
    });
    to.set_lanes();
  }
  return true;
}

bool store_masked(Exec& x, const Op& op) {
  const Value& address = x.values[op.source(0)];
  // Lanes that write one address are left to the path that knows which one wins.
  if (std::abs(address.stride[0]) < static_cast<i64>(op.element_bytes) * op.elements) return false;
  Rows rows;
  if (!find_rows(x, op, op.source(0), rows)) return false;
  for (u32 e = 0; e < op.elements; ++e) {
    Value& from = x.values[op.source(1 + e)];
    with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
      store_rows<M, C>(x, rows, u64{e} * op.element_bytes, static_cast<const C*>(from.data));
    });
  }
  return true;
}

} // namespace warplens::sim
