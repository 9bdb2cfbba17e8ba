// The texts of one question, one per line, so that a diagnostic can show the right one with a caret: the
// access, the condition, then the definitions. Limits on what is accepted stand here.
#pragma once
#include "base/diagnostic.h"
#include <deque>
#include <string>

namespace warplens::explain {

inline constexpr std::size_t longest_text = 2000; // characters of one expression
inline constexpr u32 deepest_nesting = 100;       // brackets, operators before a value, ?: inside each other

// Where a token or a subexpression stands.
struct TextPlace {
  u32 line = 0; // 0-based index into Texts
  u32 column = 0, length = 0;
};

class Texts {
public:
  // `what` names the text in diagnostics: "expression", "--if", "--set row".
  u32 add(std::string what, std::string text);
  const std::string& text(u32 line) const { return texts_[line].text; }
  std::string_view cut(TextPlace) const;
  std::string source() const; // all lines, for diag::render
  diag::Span span(TextPlace) const;
  diag::Diagnostic error(std::string kind, std::string message, TextPlace, std::string help = {}) const;

private:
  struct Line {
    std::string what, text;
  };
  std::deque<Line> texts_; // tokens point into them
};

} // namespace warplens::explain
