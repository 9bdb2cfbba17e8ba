// When a command fails: the words of --fail-on. A severity ("warning": it and what is graver), a rule ("bank-conflict"), or a
// comparison that each access is held to ("sectors-per-request>8"), or the whole run ("excess>20%"). "never": nothing fails
// but comments.
#pragma once
#include "findings/finding.h"
#include "gates/comparison.h"
#include <variant>

namespace warplens::gates {

struct Never {};
struct Condition {
  std::variant<Never, findings::Severity, findings::Rule, Comparison> what;
  std::string text; // as written
};

// Errors: bad-condition, at `where`, with what was probably meant.
Result<Condition> parse_condition(std::string_view text, const diag::Span& where);
// Several, with commas between.
Result<std::vector<Condition>> parse_conditions(std::string_view text, const diag::Span& where);

} // namespace warplens::gates
