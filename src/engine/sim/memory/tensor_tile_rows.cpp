#include "sim/memory/tensor_tile_rows.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::sim {
namespace {

using Place = std::array<i64, TensorMap::most_dimensions>; // in elements

// The elements of a row that lie inside the tensor.
void clip(const TensorMap& map, i64 begin, bool stored, TileRows& out) {
  i64 step = map.step[0], extent = static_cast<i64>(map.extent[0]), most = map.copied(0);
  if (stored && step == 1) {
    const i64 element = bytes_of(map.element);
    extent = static_cast<i64>(align_up(static_cast<u64>(extent * element), u64{16})) / element;
  }
  i64 first = begin >= 0 ? 0 : (-begin + step - 1) / step,
      end = begin >= extent ? 0 : (extent - begin + step - 1) / step;
  first = std::min(first, most), end = std::clamp<i64>(end, first, most);
  out.first = static_cast<u32>(first), out.end = static_cast<u32>(end);
  if (first != end) out.bytes = (static_cast<u64>(end - first - 1) * map.step[0] + 1) * bytes_of(map.element);
}

void add_row(const TensorMap& map, const Place& at, u64 place, TileRows& out) {
  u64 address = map.address;
  for (u32 d = 1; d < map.rank; ++d) {
    if (at[d] < 0 || static_cast<u64>(at[d]) >= map.extent[d]) return;
    address += static_cast<u64>(at[d]) * map.stride[d];
  }
  address += static_cast<u64>(at[0] + i64{out.first} * map.step[0]) * bytes_of(map.element);
  out.rows.push_back({address, place});
}

void add_box(const TensorMap& map, std::span<const i32> from, TileRows& out) {
  std::array<u32, TensorMap::most_dimensions> number{};
  for (u64 place = 0, end = map.tile_room(); place < end; place += map.row_pitch()) {
    Place at{from[0]};
    for (u32 d = 1; d < map.rank; ++d) at[d] = i64{from[d]} + i64{number[d]} * map.step[d];
    add_row(map, at, place, out);
    for (u32 d = 1; d < map.rank && ++number[d] == map.copied(d); ++d) number[d] = 0;
  }
}

void add_pixels(const TensorMap& map, std::span<const i32> from, std::span<const u32> offsets,
                TileRows& out) {
  Place base{};
  std::copy(from.begin(), from.end(), base.begin());
  for (u32 pixel = 0; pixel < map.pixels; ++pixel) {
    Place at = base;
    for (u32 c = 0; c < offsets.size(); ++c) at[1 + c] += offsets[c];
    add_row(map, at, pixel * map.row_pitch(), out);
    u32 c = 0;
    for (; c < map.corners(); ++c) {
      base[1 + c] += map.step[1 + c];
      if (base[1 + c] < static_cast<i64>(map.extent[1 + c]) + map.upper[c]) break;
      base[1 + c] = map.lower[c];
    }
    if (c == map.corners()) ++base[1 + c];
  }
}

} // namespace

TileRows rows_of_tile(const TensorMap& map, std::span<const i32> at, std::span<const u32> offsets,
                      bool stored) {
  TileRows out;
  clip(map, at[0], stored, out);
  if (out.first == out.end) return out;
  if (map.pixels == 0)
    add_box(map, at, out);
  else
    add_pixels(map, at, offsets, out);
  return out;
}

} // namespace warplens::sim
