// See nesting.h.
#include "base/nesting.h"

namespace warplens {

std::optional<std::size_t> nested_too_deep(std::string_view json) {
  u32 depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\\' && in_string) ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > most_nested) return i;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return {};
}

} // namespace warplens
