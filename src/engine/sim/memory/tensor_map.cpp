// The structure packed into the 128 bytes of a map, its limits, and the fields that kernels may replace. See tensor_map.h.
#include "sim/memory/tensor_map.h"
#include <cstring>

namespace warplens::sim {
namespace {

// Little of it is needed, so that it fits: extents up to 2^32 are kept less one.
struct Packed {
  u64 address;
  u32 mark;
  u8 rank, element, swizzle, nan;
  u64 stride[4];
  u32 extent[5];
  u16 box[5];
  u8 step[5];
  u16 pixels;
  i16 lower[3], upper[3];
};
static_assert(sizeof(Packed) <= TensorMap::size);
constexpr u32 mark_of_a_map = 0x504d5457;

// By PTX's number (PTX ISA, "tensormap.replace", table of .elemtype).
constexpr TensorElement by_ptx_number[] = {
    TensorElement::u8,      TensorElement::u16, TensorElement::u32,  TensorElement::i32,
    TensorElement::u64,     TensorElement::i64, TensorElement::f16,  TensorElement::f32,
    TensorElement::f32_ftz, TensorElement::f64, TensorElement::bf16, TensorElement::tf32,
    TensorElement::tf32_ftz};
static_assert(std::size(by_ptx_number) == tensor_elements);

constexpr u8 swizzles[] = {0, 32, 64, 128};

template <class T> bool put(T& field, u64 value, bool allowed = true) {
  if (allowed) field = static_cast<T>(value);
  return allowed;
}

bool replace_field(Packed& map, TensorField field, u32 index, u64 value) {
  constexpr u64 most_extent = u64{1} << 32;
  bool one_of_five = index < TensorMap::most_dimensions;
  switch (field) {
  case TensorField::global_address: return put(map.address, value, value % 16 == 0);
  case TensorField::rank: return put(map.rank, value + 1, value < TensorMap::most_dimensions);
  case TensorField::box_dim: return one_of_five && put(map.box[index], value, value != 0 && value <= 256);
  case TensorField::global_dim:
    return one_of_five && put(map.extent[index], value - 1, value != 0 && value <= most_extent);
  case TensorField::global_stride: return index < 4 && put(map.stride[index], value, value % 16 == 0);
  case TensorField::element_stride:
    return one_of_five && put(map.step[index], value, value != 0 && value <= 8);
  case TensorField::elemtype:
    return value < tensor_elements && put(map.element, static_cast<u64>(by_ptx_number[value]));
  case TensorField::interleave_layout:
  case TensorField::swizzle_atomicity: return value == 0; // there is no other here
  case TensorField::swizzle_mode: return value < std::size(swizzles) && put(map.swizzle, swizzles[value]);
  case TensorField::fill_mode: return put(map.nan, value, value < 2);
  }
  return false;
}

} // namespace

u32 bytes_of(TensorElement element) {
  switch (element) {
  case TensorElement::u8: return 1;
  case TensorElement::u16:
  case TensorElement::f16:
  case TensorElement::bf16: return 2;
  case TensorElement::u64:
  case TensorElement::i64:
  case TensorElement::f64: return 8;
  default: return 4;
  }
}

u64 TensorMap::tile_bytes() const {
  u64 bytes = bytes_of(element);
  if (pixels != 0) return bytes * copied(0) * pixels;
  for (u32 d = 0; d < rank; ++d) bytes *= copied(d);
  return bytes;
}

void TensorMap::write(void* to) const {
  Packed packed{};
  packed.address = address;
  packed.mark = mark_of_a_map;
  packed.rank = static_cast<u8>(rank);
  packed.element = static_cast<u8>(element);
  packed.swizzle = static_cast<u8>(swizzle);
  packed.nan = nan;
  packed.pixels = static_cast<u16>(pixels);
  for (u32 c = 0; c < most_corners; ++c) {
    packed.lower[c] = static_cast<i16>(lower[c]);
    packed.upper[c] = static_cast<i16>(upper[c]);
  }
  for (u32 d = 0; d < rank; ++d) {
    if (d != 0) packed.stride[d - 1] = stride[d];
    packed.extent[d] = static_cast<u32>(extent[d] - 1);
    packed.box[d] = static_cast<u16>(box[d]);
    packed.step[d] = static_cast<u8>(step[d]);
  }
  std::memset(to, 0, size);
  std::memcpy(to, &packed, sizeof packed);
}

std::optional<TensorMap> TensorMap::read(const void* from) {
  Packed packed;
  std::memcpy(&packed, from, sizeof packed);
  if (packed.mark != mark_of_a_map || packed.rank == 0 || packed.rank > most_dimensions ||
      packed.element >= tensor_elements)
    return {};
  TensorMap map;
  map.address = packed.address;
  map.rank = packed.rank;
  map.element = static_cast<TensorElement>(packed.element);
  map.swizzle = packed.swizzle;
  map.nan = packed.nan != 0;
  map.pixels = packed.pixels;
  if (map.pixels != 0 && map.rank < 3) return {};
  for (u32 c = 0; c < most_corners; ++c) map.lower[c] = packed.lower[c], map.upper[c] = packed.upper[c];
  for (u32 d = 0; d < map.rank; ++d) {
    map.stride[d] = d == 0 ? bytes_of(map.element) : packed.stride[d - 1];
    map.extent[d] = u64{packed.extent[d]} + 1;
    map.box[d] = packed.box[d];
    map.step[d] = packed.step[d];
    if (map.box[d] == 0 || map.step[d] == 0) return {};
  }
  return map;
}

bool TensorMap::replace(void* map, TensorField field, u32 index, u64 value) {
  Packed packed;
  std::memcpy(&packed, map, sizeof packed);
  if (packed.mark != mark_of_a_map || !replace_field(packed, field, index, value)) return false;
  std::memcpy(map, &packed, sizeof packed);
  return true;
}

} // namespace warplens::sim
