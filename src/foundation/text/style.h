// Colours of a terminal by what they mean. Without colour every function returns its text unchanged.
#pragma once
#include <string>
#include <string_view>

namespace warplens::text {

struct Style {
  bool colour = false;
  std::string paint(std::string_view code, std::string_view text) const {
    if (!colour || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + 'm' + std::string(text) + "\x1b[0m";
  }
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string poor(std::string_view text) const { return paint("33", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }
};

} // namespace warplens::text
