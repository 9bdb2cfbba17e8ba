// Which threads run in lockstep, affine forms written out as lanes, and the ranges of numbers that they cover.
#include "sim/value/value.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <cstring>

namespace warplens::sim {

Shape::Shape(Dim3 b, u32 count) : block(b), ctas(count) {
  cta_threads = static_cast<u32>(b.count());
  cta_warps = static_cast<u32>(ceil_div(cta_threads, warp_size));
  threads = cta_threads * ctas;
  warps = cta_warps * ctas;
  lanes = warps * warp_size;
  extent = {b.x, b.y, b.z, ctas};
  for (u32 d = 0; d < axes; ++d) last[d] = i64{extent[d]} - 1;
  for (auto& axis : at) axis.resize(lanes);
  u32 i = 0;
  for (u32 cta = 0; cta < ctas; ++cta)
    for (u32 z = 0; z < b.z; ++z)
      for (u32 y = 0; y < b.y; ++y)
        for (u32 x = 0; x < b.x; ++x, ++i) {
          at[0][i] = x;
          at[1][i] = y;
          at[2][i] = z;
          at[3][i] = cta;
        }
  for (u32 w = 0; w < warps; ++w) all.word[w] = low_lanes(threads - w * warp_size);
}

bool is_ramp(const Strides& stride, const Shape& shape, u32 count) {
  u64 expected = static_cast<u64>(stride[0]);
  for (u32 d = 1; d < count; ++d) {
    expected *= shape.extent[d - 1];
    if (shape.extent[d] != 1 && static_cast<u64>(stride[d]) != expected) return false;
  }
  return true;
}

void write_lanes(Value& value, const Shape& shape) {
  lanes::Coordinates at{shape.at[0].data(), shape.at[1].data(), shape.at[2].data(), shape.at[3].data()};
  value.forget_alias();
  value.lanes = true;
  switch (value.bits) {
  case 1: std::fill_n(value.writable<u32>(0), shape.warps, value.base & 1 ? full_mask : 0); break;
  case 16:
    if (value.uniform())
      lanes::fill16(value.writable<u16>(0), shape.lanes, static_cast<u16>(value.base));
    else
      lanes::affine16(value.writable<u16>(0), shape.lanes, value.base, value.stride.data(), at,
                      shape.extent.data());
    break;
  case 32:
    if (value.uniform())
      lanes::fill32(value.writable<u32>(0), shape.lanes, static_cast<u32>(value.base));
    else if (is_ramp(value.stride, shape, axes))
      lanes::ramp32(value.writable<u32>(0), shape.lanes, value.base, value.stride[0]);
    else
      lanes::affine32(value.writable<u32>(0), shape.lanes, value.base, value.stride.data(), at,
                      shape.extent.data());
    break;
  default:
    if (value.uniform())
      lanes::fill64(value.writable<u64>(0), shape.lanes, value.base);
    else if (is_ramp(value.stride, shape, axes))
      lanes::ramp64(value.writable<u64>(0), shape.lanes, value.base, value.stride[0]);
    else
      lanes::affine64(value.writable<u64>(0), shape.lanes, value.base, value.stride.data(), at,
                      shape.extent.data());
  }
}

void Value::copy_alias() {
  std::memcpy(own_, at_, lane_bytes_);
  at_ = own_;
}

namespace {

// Four strides times 1024 threads, and a base: within these limits their sum stays far inside 64 bits.
constexpr i64 stride_limit = i64{1} << 50, base_limit = i64{1} << 61;

// base as a number, plus the strides' reach; false when it is too large to be sure.
bool reach(const Value& value, const Shape& shape, i64 base, i64& low, i64& high) {
  low = high = base;
  if (value.uniform()) return true;
  auto within = [](i64 n, i64 limit) {
    return static_cast<u64>(n) + static_cast<u64>(limit) <= static_cast<u64>(2 * limit);
  };
  bool sure = within(base, base_limit);
#pragma GCC unroll 4
  for (u32 d = 0; d < axes; ++d) { // without branches: signs and sizes differ from value to value
    i64 stride = value.stride[d];
    sure &= within(stride, stride_limit);
    i64 step = static_cast<i64>(static_cast<u64>(stride) * static_cast<u64>(shape.last[d]));
    i64 down = step & (step >> 63);
    low = static_cast<i64>(static_cast<u64>(low) + static_cast<u64>(down));
    high = static_cast<i64>(static_cast<u64>(high) + static_cast<u64>(step ^ down));
  }
  return sure;
}

i64 sign_extend(u64 value, u32 bits) {
  return bits >= 64 ? static_cast<i64>(value) : static_cast<i64>(value << (64 - bits)) >> (64 - bits);
}

} // namespace

Range signed_range(const Value& value, const Shape& shape, i64 offset) {
  Range out;
  if (!reach(value, shape, sign_extend(value.base + static_cast<u64>(offset), value.bits), out.low, out.high))
    return {};
  out.valid =
      value.bits >= 64 || (out.low >= -(i64{1} << (value.bits - 1)) && out.high < i64{1} << (value.bits - 1));
  return out;
}

Range unsigned_range(const Value& value, const Shape& shape) {
  Range out;
  u64 base = value.bits >= 64 ? value.base : value.base & ((u64{1} << value.bits) - 1);
  if (base >> 63 || !reach(value, shape, static_cast<i64>(base), out.low, out.high)) return {};
  out.valid = out.low >= 0 && (value.bits >= 64 || out.high < i64{1} << value.bits);
  return out;
}

} // namespace warplens::sim
