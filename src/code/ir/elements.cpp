#include "ir/operands.h"

namespace warplens::ir {

std::optional<ElementList> ElementList::read(std::string_view text) {
  if (text.size() < 2 || text.size() > 5 || (text[0] != 'h' && text[0] != 'b')) return {};
  ElementList out{.bits = text[0] == 'h' ? 16u : 8u, .count = static_cast<u32>(text.size() - 1)};
  const u32 places = 32 / out.bits;
  if (out.count > places) return {};
  for (u32 i = 0; i < out.count; ++i) {
    const char digit = text[text.size() - 1 - i];
    if (digit < '0' || static_cast<u32>(digit - '0') >= 2 * places) return {};
    out.element[i] = static_cast<u8>(digit - '0');
  }
  return out;
}

u64 ElementList::packed() const {
  u64 out = u64{bits} << 32 | u64{count} << 16;
  for (u32 i = 0; i < count; ++i) out |= u64{element[i]} << 4 * i;
  return out;
}

ElementList ElementList::unpack(u64 value) {
  ElementList out{.bits = value >> 32 == 8 ? 8u : 16u, .count = static_cast<u32>(value >> 16 & 7)};
  const u32 places = 32 / out.bits;
  out.count = out.count < places ? out.count : places;
  for (u32 i = 0; i < out.count; ++i) out.element[i] = static_cast<u8>((value >> 4 * i) % (2 * places));
  return out;
}

} // namespace warplens::ir
