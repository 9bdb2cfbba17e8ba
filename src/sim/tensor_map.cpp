#include "sim/tensor_map.h"
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
};
static_assert(sizeof(Packed) <= TensorMap::size);
constexpr u32 mark_of_a_map = 0x504d5457;

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
  for (u32 d = 0; d < map.rank; ++d) {
    map.stride[d] = d == 0 ? bytes_of(map.element) : packed.stride[d - 1];
    map.extent[d] = u64{packed.extent[d]} + 1;
    map.box[d] = packed.box[d];
    map.step[d] = packed.step[d];
    if (map.box[d] == 0 || map.step[d] == 0) return {};
  }
  return map;
}

} // namespace warplens::sim
