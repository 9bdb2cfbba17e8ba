// See text.h.
#include "explain/expr/text.h"
#include <algorithm>

namespace warplens::explain {

u32 Texts::add(std::string what, std::string text) {
  // A newline inside a text would shift every later line number.
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  texts_.push_back({std::move(what), std::move(text)});
  return static_cast<u32>(texts_.size() - 1);
}

std::string_view Texts::cut(TextPlace place) const {
  std::string_view text = texts_[place.line].text;
  return text.substr(std::min<std::size_t>(place.column, text.size()), place.length);
}

std::string Texts::source() const {
  std::string out;
  for (const Line& line : texts_) out += line.text + '\n';
  return out;
}

diag::Span Texts::span(TextPlace place) const {
  return {texts_[place.line].what, place.line + 1, place.column + 1, place.length};
}

diag::Diagnostic Texts::error(std::string kind, std::string message, TextPlace place,
                              std::string help) const {
  return diag::error(std::move(kind), std::move(message), span(place), std::move(help));
}

} // namespace warplens::explain
