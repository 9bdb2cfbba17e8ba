// Which texels of an array share a sector. Arrays are kept in tiles whose order is not documented; known is that a sector
// holds 16 bytes of each of two neighbouring rows: measured on 9.0 for texels of 4 bytes (4 x 2 of them, src/hardware/arch/MODEL.md),
// and taken over for other widths. Tiles follow each other in rows here.
#pragma once
#include "base/bits.h"

namespace warplens::access {

inline constexpr u64 tile_row_bytes = 16, tile_rows = 2, tile_bytes = tile_row_bytes * tile_rows;

// Bytes that a slice of `height` rows of `row_bytes` takes.
constexpr u64 slice_in_array(u64 row_bytes, u64 height) {
  return ceil_div(row_bytes, tile_row_bytes) * ceil_div(height, tile_rows) * tile_bytes;
}

// The place of byte `x` of row `y` in its slice.
constexpr u64 place_in_array(u64 x, u64 y, u64 row_bytes) {
  u64 tile = y / tile_rows * ceil_div(row_bytes, tile_row_bytes) + x / tile_row_bytes;
  return tile * tile_bytes + y % tile_rows * tile_row_bytes + x % tile_row_bytes;
}

} // namespace warplens::access
