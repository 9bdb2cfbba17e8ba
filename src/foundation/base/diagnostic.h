// Diagnostics as values. Library code never prints and never exits: it returns one of these, and the
// front end renders it. Wording: say what is wrong with the user's own names, then what to do next (`help`).
//
// A Kind is a stable identifier ("ptx-unknown-opcode"): tests and JSON consumers match on it, never on
// wording.
#pragma once
#include "base/result.h"
#include "base/types.h"
#include <string>
#include <string_view>
#include <vector>

namespace warplens::diag {

enum class Severity : u8 { note, warning, error };
std::string_view name(Severity);

// A place in a text: file name, 1-based line and column; 0 where unknown. `length` is for the caret's
// underline.
struct Span {
  std::string file;
  u32 line = 0;
  u32 column = 0;
  u32 length = 0;
  bool operator==(const Span&) const = default;
};

struct Diagnostic {
  std::string kind; // stable identifier, kebab-case: "ptx-unknown-opcode"
  Severity severity = Severity::error;
  std::string message; // one sentence, no full stop, the user's own names in 'quotes'
  Span span;
  std::vector<std::string> notes; // facts that explain it
  std::string help;               // the next step for the user; empty where there is none
  std::vector<Span>
      inlined_at; // the calls that the compiler inlined to get to `span`, innermost first; notes say them, too
  bool operator==(const Diagnostic&) const = default;
};

inline Diagnostic error(std::string kind, std::string message, Span span = {}, std::string help = {}) {
  return {std::move(kind), Severity::error, std::move(message), std::move(span), {}, std::move(help), {}};
}
inline Diagnostic warning(std::string kind, std::string message, Span span = {}, std::string help = {}) {
  return {std::move(kind), Severity::warning, std::move(message), std::move(span), {}, std::move(help), {}};
}
inline Diagnostic note(std::string kind, std::string message, Span span = {}, std::string help = {}) {
  return {std::move(kind), Severity::note, std::move(message), std::move(span), {}, std::move(help), {}};
}

// The text with what a terminal would obey made visible: control characters but tabs and line ends, and bytes that are not
// UTF-8, become \x1b. For everything that comes from a file, a program or another tool.
std::string without_controls(std::string_view text);

// "file:3:7: error: message" with the source line and a caret below it when `source` is given,
// then the notes and the help, one a line; ends with a newline. `colour` adds ANSI escapes; no others are in it.
std::string render(const Diagnostic& diagnostic, std::string_view source = {}, bool colour = false);

} // namespace warplens::diag

namespace warplens {
template <class T> using Result = ResultOr<T, diag::Diagnostic>;
}
