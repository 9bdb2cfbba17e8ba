// A register of all threads that a worker runs in step (one CTA, or a batch of neighbours along x; see
// launch.cpp), in one or both of two forms:
//   closed   base + stride·(tid.x, tid.y, tid.z, CTA of the batch), modulo the width; costs O(1)
//   lanes    an array of one value per lane (one mask word per warp for predicates)
// A closed form whose strides are zero is uniform.
// Whoever writes says which form is valid; whoever needs lanes asks for them and they are written out once.
#pragma once
#include "base/bits.h"
#include <array>
#include <vector>

namespace warplens::sim {

// Warps that run in step, at most: twice what a CTA can have.
inline constexpr u32 most_warps = 64;

// One bit per thread of a batch, one word per warp.
struct Mask {
  std::array<u32, most_warps> word{};
  bool operator==(const Mask&) const = default;
};

// What closed forms are linear in: the thread's coordinates and the number of its CTA in the batch.
inline constexpr u32 axes = 4;
using Strides = std::array<i64, axes>;

// The threads that run in step: `ctas` blocks one after the other, each of whole warps unless it is the only
// one. Coordinates per lane; lanes past the last thread have zeros.
struct Shape {
  Dim3 block;
  u32 ctas = 1;
  u32 threads = 0, warps = 0, lanes = 0; // of all CTAs; lanes = warps · 32
  u32 cta_threads = 0, cta_warps = 0;    // of each
  Mask all;                              // the threads that exist
  std::array<u32, axes> extent{};        // block.x, block.y, block.z, ctas
  std::array<i64, axes> last{};          // extent - 1: the greatest coordinates
  std::array<std::vector<u32>, axes> at; // [axis][lane]
  explicit Shape(Dim3 block, u32 ctas = 1);
};

// Whether neighbouring lanes are always stride[0] apart, over the ends of rows too; of the first `count`
// axes, the others left alone.
bool is_ramp(const Strides&, const Shape&, u32 count);

struct Value {
  u64 base = 0;
  Strides stride{};
  void* data = nullptr; // all lanes: in `room`, or in memory (borrows.cpp)
  void* room = nullptr; // the register's own
  u8 bits = 32;         // 1 16 32 64
  bool closed = false;
  bool lanes = true;
  bool same = false; // closed with strides of zero
  bool uniform() const { return same; }
  void set_uniform(u64 value) {
    base = value;
    stride = {};
    closed = same = true;
    lanes = false;
  }
  void set_closed(u64 value, const Strides& strides) {
    base = value;
    // One by one, as rules write them: a processor makes a wide load wait for narrow stores to what it reads.
    for (u32 d = 0; d < axes; ++d) {
      i64 one = strides[d];
      asm("" : "+r"(one));
      stride[d] = one;
    }
    closed = true;
    same = (strides[0] | strides[1] | strides[2] | strides[3]) == 0;
    lanes = false;
  }
  void set_axis(u64 value, u32 axis) { // counts along one axis
    base = value;
    for (u32 d = 0; d < axes; ++d) stride[d] = d == axis;
    closed = true;
    same = lanes = false;
  }
  void set_lanes() {
    closed = same = false;
    lanes = true;
  }
  // The storage from `warp` on.
  template <class T> T* at(u32 warp) const {
    return static_cast<T*>(data) + (bits == 1 ? warp : warp * warp_size);
  }
  void* from(u32 warp) const { // 32 lanes take four bytes per bit
    return static_cast<std::byte*>(data) + u64{warp} * bits * (warp_size / 8);
  }
};

// Bytes that `lanes` lanes of a register take, padded to whole cache lines.
constexpr u64 storage_bytes(u32 bits, u32 lanes) {
  return align_up(bits == 1 ? lanes / 8 : u64{lanes} * bits / 8, 64);
}

// Writes the closed form out; afterwards both forms are valid.
void write_lanes(Value&, const Shape&);
inline void need_lanes(Value& value, const Shape& shape) {
  if (!value.lanes) write_lanes(value, shape);
}

// The least and greatest value over the block, as a signed or an unsigned number, when the closed form does
// not wrap at the register's width; invalid otherwise.
struct Range {
  i64 low = 0, high = 0;
  bool valid = false;
};
Range signed_range(const Value&, const Shape&);
Range unsigned_range(const Value&, const Shape&);

} // namespace warplens::sim
