// Characters and colours of the terminal drawings, with an ASCII fallback for each.
#pragma once
#include "explain/view/render.h"
#include <string>
#include <string_view>

namespace warplens::explain {

class Ink {
public:
  explicit Ink(const TextStyle& style) : style_(style) {}
  std::string_view bar() const { return style_.unicode ? "│" : "|"; }
  std::string_view unused() const { return style_.unicode ? "·" : "."; }
  std::string_view dash() const { return style_.unicode ? "–" : "-"; }
  std::string_view times() const { return style_.unicode ? "×" : "x"; }
  std::string_view arrow() const { return style_.unicode ? "→" : "->"; }
  std::string_view more() const { return style_.unicode ? "⋮" : ":"; }
  std::string_view yes() const { return style_.unicode ? "✓" : "+"; }
  std::string_view no() const { return style_.unicode ? "✗" : "!"; }
  std::string_view full() const { return style_.unicode ? "█" : "#"; }
  std::string_view empty() const { return style_.unicode ? "░" : "."; }

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }
  std::string middling(std::string_view text) const { return paint("33", text); }
  // A lane's own colour, from six that a terminal tells apart, by groups of four lanes.
  std::string lane(u32 lane, std::string_view text) const {
    static constexpr std::string_view codes[] = {"36", "32", "33", "35", "34", "96", "92", "93"};
    return paint(codes[lane / 4 % 8], text);
  }
  std::string graded(double efficiency, std::string_view text) const {
    return efficiency > 0.79 ? good(text) : efficiency > 0.4 ? middling(text) : bad(text);
  }

private:
  std::string paint(std::string_view code, std::string_view text) const {
    if (!style_.colour) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
  TextStyle style_;
};

// Columns that a text takes: UTF-8 code points, without escapes.
std::size_t columns(std::string_view text);
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);
// Words broken into lines of at most `width` columns; later lines start with `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);
// The text with × → – … and the like in ASCII.
std::string ascii(std::string_view text);
std::string plural(u64 count, std::string_view noun); // "1 request", "2 requests", "2 segments"

} // namespace warplens::explain
