// Characters and colours of the terminal drawings, with an ASCII fallback for each.
#pragma once
#include "explain/view/render.h"
#include "text/layout.h"
#include "text/style.h"
#include <string>
#include <string_view>

namespace warplens::explain {

using text::pad_left;
using text::pad_right;
using text::plural;
using text::width_of;

class Theme : public text::Style {
public:
  explicit Theme(const TextStyle& style) : text::Style{style.colour}, unicode_(style.unicode) {}
  std::string_view bar() const { return unicode_ ? "│" : "|"; }
  std::string_view unused() const { return unicode_ ? "·" : "."; }
  std::string_view dash() const { return unicode_ ? "–" : "-"; }
  std::string_view times() const { return unicode_ ? "×" : "x"; }
  std::string_view arrow() const { return unicode_ ? "→" : "->"; }
  std::string_view more() const { return unicode_ ? "⋮" : ":"; }
  std::string_view yes() const { return unicode_ ? "✓" : "+"; }
  std::string_view no() const { return unicode_ ? "✗" : "!"; }
  std::string_view full() const { return unicode_ ? "█" : "#"; }
  std::string_view empty() const { return unicode_ ? "░" : "."; }

  // A lane's own colour, from eight that a terminal tells apart, by groups of four lanes.
  std::string lane(u32 lane, std::string_view text) const {
    static constexpr std::string_view codes[] = {"36", "32", "33", "35", "34", "96", "92", "93"};
    return paint(codes[lane / 4 % 8], text);
  }
  std::string graded(double efficiency, std::string_view text) const {
    return efficiency > 0.79 ? good(text) : efficiency > 0.4 ? poor(text) : bad(text);
  }

private:
  bool unicode_;
};

// The text with × → – … and the like in ASCII.
std::string ascii(std::string_view text);

} // namespace warplens::explain
