// See theme.h: texts whose characters a terminal may not have.
#include "explain/view/theme.h"
#include <algorithm>

namespace warplens::explain {

std::string ascii(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> pairs[] = {
      {"×", "x"}, {"→", "->"}, {"–", "-"}, {"…", "..."}, {"·", "."}, {"│", "|"}, {"“", "\""}, {"”", "\""}};
  std::string out;
  while (!text.empty()) {
    auto at =
        std::find_if(std::begin(pairs), std::end(pairs), [&](auto& p) { return text.starts_with(p.first); });
    bool known = at != std::end(pairs);
    if (known)
      out += at->second;
    else
      out += static_cast<u8>(text[0]) < 0x80 ? text[0] : '?';
    text.remove_prefix(known ? at->first.size() : 1);
  }
  return out;
}

} // namespace warplens::explain
