// A tensor map: what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col make of a tensor in global memory, and what copies of
// its tiles read. CUDA keeps the 128 bytes to itself; here they hold this structure, so that a program may copy and pass them
// as it likes, and kernels may change one (tensormap.replace).
//
// Source of the meanings: CUDA Driver API, "Tensor Map Object Management"; PTX ISA 9.0, "Tensors".
#pragma once
#include "base/types.h"
#include <array>
#include <cstddef>
#include <optional>

namespace warplens::sim {

enum class TensorElement : u8 { u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz };
inline constexpr u32 tensor_elements = 13;
u32 bytes_of(TensorElement);

// What tensormap.replace changes, as PTX names it.
enum class TensorField : u8 {
  global_address,
  rank, // less one
  box_dim,
  global_dim,
  global_stride, // from the second dimension on
  element_stride,
  elemtype, // PTX's number, which is not CUDA's
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode
};

struct TensorMap {
  static constexpr u32 most_dimensions = 5, size = 128, most_corners = 3;
  u64 address = 0;
  u32 rank = 0;
  TensorElement element{};
  u32 swizzle = 0;  // 0, or the bytes within which 16-byte pieces are exchanged: 32, 64, 128
  bool nan = false; // what lies outside is not a number, instead of 0
  std::array<u64, most_dimensions> extent{};            // in elements, the fastest first
  std::array<u64, most_dimensions> stride{};            // in bytes; of the fastest an element
  std::array<u32, most_dimensions> box{};               // in elements of the tensor
  std::array<u32, most_dimensions> step{1, 1, 1, 1, 1}; // of so many elements one is copied
  // im2col: a tile has so many pixels, of box[0] channels each; 0: the map is of tiles. The pixels of each image lie in a box
  // from `lower` on, which ends `upper` behind its last one; both are in pixels, along the second dimension first.
  u32 pixels = 0;
  std::array<i32, most_corners> lower{}, upper{};

  // Elements of a tile along a dimension, and bytes of a tile.
  u32 copied(u32 dimension) const { return (box[dimension] + step[dimension] - 1) / step[dimension]; }
  u64 tile_bytes() const;
  // From a row of a tile to the next, in shared memory: rows are as far apart as pieces are exchanged (an H200, 29 November 2026).
  u64 row_bytes() const { return u64{copied(0)} * bytes_of(element); }
  u64 row_pitch() const { return row_bytes() < swizzle ? swizzle : row_bytes(); }
  u64 tile_room() const { return row_bytes() == 0 ? 0 : tile_bytes() / row_bytes() * row_pitch(); }
  u32 corners() const { return rank - 2; } // im2col: dimensions that lower and upper have

  void write(void* to) const; // 128 bytes
  // None where the bytes are not a map that write() made.
  static std::optional<TensorMap> read(const void* from);
  // Changes a field of a map that lies in memory, in which other fields may yet have to follow. False where the bytes are no
  // map, or the value is none that the field takes. `index`: of the dimension, where there are several.
  static bool replace(void* map, TensorField, u32 index, u64 value);
};

// Where a byte of a tile goes: `address` in shared memory if nothing were exchanged. Bits 4 and up are exclusive-ored with
// those from bit 7 on, one for 32 bytes, two for 64, three for 128.
constexpr u64 swizzled(u64 address, u32 swizzle) {
  u64 mask = swizzle == 0 ? 0 : u64{swizzle / 16 - 1} << 4;
  return address ^ (address >> 3 & mask);
}

} // namespace warplens::sim
