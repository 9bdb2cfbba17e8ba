// Which elements of a tensor a tile has, as rows along the fastest dimension (PTX ISA, "Tensors").
//
//   tile     a box from the coordinates on, of which each step-th element is copied in each dimension
//   im2col   pixels of images of channels. From the pixel of the coordinates on they are taken along the second dimension in
//            steps, at its end from the beginning of the next row of the images' box, and so on through all dimensions to the
//            next
//            image; what is copied is the pixel that lies the offsets away
//
// Elements outside the tensor are in no row.
#pragma once
#include "sim/memory/tensor_map.h"
#include <span>
#include <vector>

namespace warplens::sim {

struct TileRow {
  u64 address; // of the first element that lies inside, in global memory
  u64 place;   // of the row's first element in the tile, in bytes, before pieces are exchanged
};
struct TileRows {
  std::vector<TileRow> rows; // those with elements inside
  u32 first = 0, end = 0;    // the elements of each that lie inside
  u64 bytes = 0;             // from the first to the last of these, in global memory
};

// `at`: a coordinate for each dimension. `offsets`: of im2col, one for each dimension of an image; none are 0. `stored`: where the
// tensor ends within 16 bytes, they belong to it (an H200, 29 November 2026).
TileRows rows_of_tile(const TensorMap&, std::span<const i32> at, std::span<const u32> offsets,
                      bool stored = false);

} // namespace warplens::sim
