// Loads and stores of some lanes at addresses in closed form: `if (i < n) x[i] = …`. Nothing is written out
// per lane but the data: the lanes are taken in pieces, each with the mask's bits for it (rows.h), and only
// when the whole batch does not lie in one allocation are the active lanes' first and last address looked
// for.
//
// Where no other lane needs the destination's old value, a load inside an allocation reads for all lanes, as
// if there were no mask: what the others read is never used.
//
// Whatever is not as simple as that (misaligned, outside its allocation, local or generic, rows of odd
// widths) is left to the path that looks at each lane.
#include "sim/memory/execute_memory.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace warplens::sim {
namespace {

using ir::StateSpace;

struct Access {
  ClosedAddress at;
  Rows rows; // of host addresses, from at.host + at.base on
  u32 piece = 0;
  bool inside = false; // all lanes' addresses are in the allocation, not only those of the mask's
  std::byte* host() const { return at.host + static_cast<i64>(at.base); }
};

// The least and the greatest address of an active lane.
Range span_of_active(const Value& address, const Shape& shape, const Mask& mask) {
  Rows rows = rows_of(shape.extent.data(), address.stride.data());
  u32 piece = piece_of(rows);
  if (piece == 0) return {};
  Range out{std::numeric_limits<i64>::max(), std::numeric_limits<i64>::min(), true};
  each_piece(rows, piece, mask.word.data(), [&](i64 offset, u64, u32 lanes) {
    i64 one = offset + rows.stride[0] * std::countr_zero(lanes),
        other = offset + rows.stride[0] * (31 - std::countl_zero(lanes));
    out.low = std::min({out.low, one, other});
    out.high = std::max({out.high, one, other});
  });
  i64 base = static_cast<i64>(address.base);
  return {base + out.low, base + out.high, true};
}

bool is_inside(Exec& x, const Op& op, Range range, u64 bytes) {
  u64 end = static_cast<u64>(range.high) + bytes;
  if (range.low < 0) return false;
  return op.space == StateSpace::shared ? end <= x.shared_bytes()
                                        : in_known_range(x, op, static_cast<u64>(range.low), end);
}

bool find_access(Exec& x, const Op& op, SlotId slot, Access& out) {
  const Value& v = x.values[slot];
  if (!v.closed || (op.space != StateSpace::global && op.space != StateSpace::shared)) return false;
  u64 bytes = u64{op.element_bytes} * op.elements;
  Value address;
  address.bits = v.bits;
  address.base = v.base + static_cast<u64>(op.offset);
  address.stride = v.stride;
  if ((address.base | static_cast<u64>(v.stride[0] | v.stride[1] | v.stride[2] | v.stride[3])) & (bytes - 1))
    return false;
  Range range = signed_range(address, x.shape);
  if (!range.valid) return false;
  if (v.bits == 32) address.base = static_cast<u64>(i64{static_cast<i32>(address.base)});
  out.at.base = address.base;
  out.at.stride = v.stride;
  Place place = place_of(x, op.space);
  out.at.host = place.base;
  out.at.stride[3] += static_cast<i64>(place.cta_stride);
  out.rows = rows_of(x.shape.extent.data(), out.at.stride.data());
  out.piece = piece_of(out.rows);
  if (out.piece == 0) return false;
  out.inside = is_inside(x, op, range, bytes);
  if (!out.inside) {
    Range active = span_of_active(address, x.shape, *x.mask);
    if (!active.valid || !is_inside(x, op, active, bytes)) return false;
  }
  report_closed(x, op, op.space, out.at.base, v.stride, x.mask->word.data());
  return true;
}

// Whether few warps take part, so that it does not pay to read for all.
bool is_sparse(const Exec& x) {
  u32 warps = 0;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) warps += x.mask->word[w] != 0;
  return warps * 2 < x.shape.warps;
}

template <class M, class C> void load_lanes(const Exec& x, const Access& a, u64 skip, C* out) {
  const std::byte* base = a.host() + skip;
  each_piece(a.rows, a.piece, x.mask->word.data(), [&](i64 offset, u64 lane, u32 mask) {
    for_each_lane(mask, [&](u32 i) {
      M value;
      std::memcpy(&value, base + offset + a.rows.stride[0] * static_cast<i64>(i), sizeof value);
      out[lane + i] = static_cast<C>(value);
    });
  });
}

template <class M, class C> void store_lanes(const Exec& x, const Access& a, u64 skip, const C* in) {
  std::byte* base = a.host() + skip;
  each_piece(a.rows, a.piece, x.mask->word.data(), [&](i64 offset, u64 lane, u32 mask) {
    for_each_lane(mask, [&](u32 i) {
      M value = static_cast<M>(in[lane + i]);
      std::memcpy(base + offset + a.rows.stride[0] * static_cast<i64>(i), &value, sizeof value);
    });
  });
}

// Whether neighbours lie together, elements as wide as the register.
bool is_plain(const Op& op, const Access& a, u32 bits) {
  return op.element_bytes * 8 == bits && bits >= 32 && a.rows.stride[0] == op.element_bytes;
}

} // namespace

bool load_masked(Exec& x, const Op& op) {
  Access a;
  if (!find_access(x, op, op.source(0), a)) return false;
  bool whole = x.overwrites(op);
  if (whole && a.inside && !is_sparse(x)) {
    load_whole(x, op, a.at);
    return true;
  }
  const u32* masks = x.mask->word.data();
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    if (!whole) need_lanes(to, x.shape);
    u64 skip = u64{e} * op.element_bytes;
    if (!is_plain(op, a, to.bits))
      with_types(op.element_bytes, op.sign, to.bits,
                 [&]<class M, class C>() { load_lanes<M, C>(x, a, skip, static_cast<C*>(to.data)); });
    else if (to.bits == 32)
      lanes::load_some32(to.at<u32>(0), a.rows, a.host() + skip, masks);
    else
      lanes::load_some64(to.at<u64>(0), a.rows, a.host() + skip, masks);
    to.set_lanes();
  }
  return true;
}

bool store_masked(Exec& x, const Op& op) {
  const Value& address = x.values[op.source(0)];
  // Lanes of a warp that write one address are left to the path that knows which one wins.
  u64 bytes = u64{op.element_bytes} * op.elements;
  bool rows_are_warps = x.shape.block.x % warp_size == 0 || is_ramp(address.stride, x.shape, 3);
  if (rows_are_warps ? static_cast<u64>(std::abs(address.stride[0])) < bytes
                     : !spread_out(x, address, op.space, bytes))
    return false;
  Access a;
  if (!find_access(x, op, op.source(0), a)) return false;
  const u32* masks = x.mask->word.data();
  for (u32 e = 0; e < op.elements; ++e) {
    Value& from = x.values[op.source(1 + e)];
    u64 skip = u64{e} * op.element_bytes;
    if (!is_plain(op, a, from.bits))
      with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
        store_lanes<M, C>(x, a, skip, static_cast<const C*>(from.data));
      });
    else if (from.bits == 32)
      lanes::store_some32(a.host() + skip, a.rows, masks, from.at<u32>(0));
    else
      lanes::store_some64(a.host() + skip, a.rows, masks, from.at<u64>(0));
  }
  return true;
}

} // namespace warplens::sim
