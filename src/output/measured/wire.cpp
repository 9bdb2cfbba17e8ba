#include "measured/wire.h"

namespace warplens::measured {

std::optional<u64> Fields::varint() {
  u64 value = 0;
  for (u32 i = 0; i < 10 && i < rest_.size(); ++i) {
    const u64 byte = static_cast<u8>(rest_[i]);
    value |= (byte & 0x7f) << (7 * i); // of the tenth byte one bit is left
    if (byte < 0x80) {
      rest_ = rest_.subspan(i + 1);
      return value;
    }
  }
  return {};
}

std::optional<u64> Fields::fixed(std::size_t size) {
  if (rest_.size() < size) return {};
  u64 value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<u8>(rest_[i]);
  rest_ = rest_.subspan(size);
  return value;
}

std::optional<Field> Fields::next() {
  if (rest_.empty() || !ok_) return {};
  ok_ = false;
  std::optional<u64> key = varint();
  if (!key || *key >> 3 == 0 || *key >> 3 > 0x1fffffff) return {};
  Field out{.number = static_cast<u32>(*key >> 3)};
  std::optional<u64> value;
  switch (*key & 7) {
  case 0: out.type = Field::Type::varint, value = varint(); break;
  case 1: out.type = Field::Type::fixed64, value = fixed(8); break;
  case 5: out.type = Field::Type::fixed32, value = fixed(4); break;
  case 2:
    out.type = Field::Type::bytes, value = varint();
    if (!value || *value > rest_.size()) return {};
    out.bytes = rest_.first(*value);
    rest_ = rest_.subspan(*value);
    break;
  default: return {}; // groups, which nobody writes any more
  }
  if (!value) return {};
  out.value = *value;
  ok_ = true;
  return out;
}

} // namespace warplens::measured
