// Regular expressions that users type, such as --kernel's. RE2 matches them in linear time and with bounded memory, whatever
// they say; the standard library's recurse, and end the process on a long one. Its header is heavy and stays in regex.cpp.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace re2 {
class RE2;
}

namespace warplens::text {

class Regex {
public:
  // The error says what is wrong with the expression, without quoting it.
  static tl::expected<Regex, std::string> compile(std::string_view expression);
  bool matches_within(std::string_view text) const; // anywhere in it

private:
  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

} // namespace warplens::text
