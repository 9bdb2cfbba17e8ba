#include "gates/condition.h"
#include "base/closest.h"
#include "findings/rules.h"
#include <fmt/format.h>

namespace warplens::gates {

Result<Condition> parse_condition(std::string_view text, const diag::Span& where) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  Condition out{Never{}, std::string(text)};
  if (text == "never") return out;
  if (std::optional<findings::Severity> severity = findings::severity(text)) {
    out.what = *severity;
    return out;
  }
  if (text.find_first_of("<>=") != text.npos) {
    Result<Comparison> comparison = parse_comparison(text, where);
    if (!comparison) return failure(comparison.error());
    out.what = std::move(*comparison);
    return out;
  }
  if (const std::optional<findings::Rule> rule = findings::rule_named(text)) {
    out.what = *rule;
    return out;
  }
  std::vector<std::string> known{"never", "note", "warning", "error"};
  for (const findings::RuleEntry& rule : findings::rules()) known.emplace_back(rule.id);
  const std::string near = closest(text, known);
  return failure(diag::error(
      "bad-condition", fmt::format("'{}' is no severity, no rule and no comparison", text), where,
      near.empty() ? "say warning, a rule that `warplens rules` lists, or e.g. sectors-per-request>8"
                   : fmt::format("did you mean '{}'?", near)));
}

Result<std::vector<Condition>> parse_conditions(std::string_view text, const diag::Span& where) {
  std::vector<Condition> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    Result<Condition> one = parse_condition(text.substr(0, comma), where);
    if (!one) return failure(one.error());
    out.push_back(std::move(*one));
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

} // namespace warplens::gates
