// A register of all threads that a worker runs in lockstep (one CTA, or a batch of neighbours along x; see
// grid/batch.cpp), in one or both of two forms:
//   affine   base + stride·(tid.x, tid.y, tid.z, CTA of the batch), modulo the width; costs O(1)
//   lanes    an array of one value per lane (one mask word per warp for predicates)
// An affine form whose strides are zero is uniform.
// Whoever writes says which form is valid; whoever needs lanes asks for them and they are written out once.
#pragma once
#include "base/bits.h"
#include <array>
#include <cstddef>
#include <vector>

namespace warplens::sim {

// Warps that run in lockstep, at most: twice what a CTA can have.
inline constexpr u32 most_warps = 64;

// One bit per thread of a batch, one word per warp.
struct Mask {
  std::array<u32, most_warps> word{};
  bool operator==(const Mask&) const = default;
};

// What affine forms are linear in: the thread's coordinates and the number of its CTA in the batch.
inline constexpr u32 axes = 4;
using Strides = std::array<i64, axes>;

// The threads that run in lockstep: `ctas` blocks one after the other, each of whole warps unless it is the only
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

// Who may write through a register is a matter of types. Its lanes lie in storage of its own as a rule, but for a
// while they may be an alias of memory of the user's program (lower/aliasing.cpp). Readers get pointers to const,
// wherever the lanes are; writable() hands out own storage and nothing else, with what an alias showed copied there
// first. So no write through a register reaches memory: an op that computes its result in memory asks for the
// memory's address (ops/alias.h), and makes the register an alias of it when it is done.
class Value {
public:
  u64 base = 0;
  Strides stride{};
  u8 bits = 32; // 1 16 32 64
  bool affine = false;
  bool lanes = true;
  bool same = false; // affine with strides of zero
  bool uniform() const { return same; }
  void set_uniform(u64 value) {
    base = value;
    stride = {};
    affine = same = true;
    lanes = false;
  }
  void set_affine(u64 value, const Strides& strides) {
    base = value;
    // One by one, as rules write them: a processor makes a wide load wait for narrow stores to what it reads.
    for (u32 d = 0; d < axes; ++d) {
      i64 one = strides[d];
      asm("" : "+r"(one));
      stride[d] = one;
    }
    affine = true;
    same = (strides[0] | strides[1] | strides[2] | strides[3]) == 0;
    lanes = false;
  }
  void set_axis(u64 value, u32 axis) { // counts along one axis
    base = value;
    for (u32 d = 0; d < axes; ++d) stride[d] = d == axis;
    affine = true;
    same = lanes = false;
  }
  void set_lanes() {
    affine = same = false;
    lanes = true;
  }

  // Gives it storage of its own: what storage_bytes() says, 64-byte aligned.
  void set_storage(void* storage, u32 lane_count) {
    at_ = own_ = storage;
    lane_bytes_ = lane_count / 8 * bits;
  }
  // A value in storage that is nobody's register.
  static Value in_scratch(void* storage, u32 bits, u32 lane_count) {
    Value out;
    out.bits = static_cast<u8>(bits);
    out.set_storage(storage, lane_count);
    return out;
  }

  // The lanes from `warp` on. As bytes where no type is given.
  template <class T> const T* read(u32 warp) const {
    return static_cast<const T*>(at_) + (bits == 1 ? warp : warp * warp_size);
  }
  const std::byte* read(u32 warp) const { return static_cast<const std::byte*>(at_) + offset(warp); }
  template <class T> T* writable(u32 warp) {
    materialize();
    return static_cast<T*>(own_) + (bits == 1 ? warp : warp * warp_size);
  }
  std::byte* writable(u32 warp) {
    materialize();
    return static_cast<std::byte*>(own_) + offset(warp);
  }

  bool aliased() const { return at_ != own_; }
  void alias(const void* memory) {
    at_ = memory;
    set_lanes();
  }
  void materialize() { // an alias's lanes, in own storage
    if (aliased()) [[unlikely]]
      copy_alias();
  }
  void forget_alias() { at_ = own_; } // for an op that is about to give it a new value
  u32 lane_bytes() const { return lane_bytes_; }

private:
  void copy_alias();
  u64 offset(u32 warp) const {
    return u64{warp} * bits * (warp_size / 8);
  } // 32 lanes take four bytes per bit

  u32 lane_bytes_ = 0;       // of all lanes together
  const void* at_ = nullptr; // all lanes: in `own_`, or in memory
  void* own_ = nullptr;
};
static_assert(sizeof(Value) == 64, "one line of the cache per register");

// Bytes that `lanes` lanes of a register take, padded to whole cache lines.
constexpr u64 storage_bytes(u32 bits, u32 lanes) {
  return align_up(bits == 1 ? lanes / 8 : u64{lanes} * bits / 8, 64);
}

// Writes the affine form out; afterwards both forms are valid.
void write_lanes(Value&, const Shape&);
inline void need_lanes(Value& value, const Shape& shape) {
  if (!value.lanes) write_lanes(value, shape);
}

// The least and greatest value over the block, as a signed or an unsigned number, when the affine form does
// not wrap at the register's width; invalid otherwise.
struct Range {
  i64 low = 0, high = 0;
  bool valid = false;
};
Range signed_range(const Value&, const Shape&, i64 offset = 0); // of value + offset
Range unsigned_range(const Value&, const Shape&);

} // namespace warplens::sim
