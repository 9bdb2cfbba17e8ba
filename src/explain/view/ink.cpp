#include "explain/view/ink.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

std::size_t columns(std::string_view text) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    out += (static_cast<u8>(text[i]) & 0xc0) != 0x80;
  }
  return out;
}

std::string pad_left(std::string_view text, std::size_t width) {
  std::size_t have = columns(text);
  return std::string(have < width ? width - have : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::size_t have = columns(text);
  return std::string(text) + std::string(have < width ? width - have : 0, ' ');
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  std::size_t line = 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::size_t size = columns(word);
    if (line > 0 && line + 1 + size > width) {
      out += '\n';
      out += indent;
      line = columns(indent);
    } else if (line > 0) {
      out += ' ';
      ++line;
    }
    out += word;
    line += size;
  }
  return out;
}

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

std::string plural(u64 count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace warplens::explain
