// Where the lanes of an access are on the host: what loads, stores and atomics walk along.
//
// Elements of a vector are moved one after the other; `skip` is where in each lane's bytes the element begins.
#pragma once
#include "sim/ops/access.h"

namespace warplens::sim {

// Affine, all threads: calls f(host address of the first thread, its lane) for each row of each block.
template <class F> void each_block_row(const Shape& shape, const AccessView& a, u64 skip, F&& f) {
  u32 lane = 0;
  u64 host = a.host_begin() + skip;
  const Strides stride = a.host_stride();
  for (u32 c = 0; c < shape.ctas; ++c)
    for (u32 z = 0; z < shape.block.z; ++z)
      for (u32 y = 0; y < shape.block.y; ++y, lane += shape.block.x)
        f(host + static_cast<u64>(stride[1] * y + stride[2] * z + stride[3] * c), lane);
}

// Affine, the mask's lanes: calls f(host address, lane), in the order of the lanes.
template <class F> void each_masked(const AccessView& a, u64 skip, F&& f) {
  u64 host = a.host_begin() + skip;
  u64 step = static_cast<u64>(a.rows.stride[0]);
  each_segment(a.rows, a.piece, a.mask->word.data(), [&](i64 offset, u64 lane, u32 mask) {
    for_each_lane(mask, [&](u32 i) { f(host + static_cast<u64>(offset) + step * i, lane + i); });
  });
}

// Listed: calls f(host address, lane), in the order of the list.
template <class F> void each_listed(const AccessView& a, u64 skip, F&& f) {
  const HostPlace host = a.host;
  const u64* address = a.address;
  for (u16 lane : std::span(a.list, a.listed))
    f(host.at_warp(lane / warp_size) + address[lane] + lane * host.thread_stride + skip, lane);
}

// Affine, the mask's lanes: whether neighbours lie together, elements as wide as the register.
inline bool is_contiguous(const Op& op, const AccessView& a, u32 bits) {
  return op.element_bytes * 8 == bits && bits >= 32 && a.rows.stride[0] == op.element_bytes;
}

} // namespace warplens::sim
