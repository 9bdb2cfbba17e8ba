// Texts without regard to what says nothing: blanks around them, and the case of letters.
#pragma once
#include <algorithm>
#include <string_view>

namespace warplens {

// Without blanks, tabs and line ends around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// Whether texts are the same but for the case of ASCII's letters.
inline bool same_letters(std::string_view one, std::string_view other) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

} // namespace warplens
