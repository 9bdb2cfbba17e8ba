// What findings are about: one table (rules.def) for every command, for SARIF's catalogue and for configuration.
#pragma once
#include "findings/finding.h"
#include <span>

namespace warplens::findings {

struct RuleEntry {
  Rule rule{};
  std::string_view id; // name(rule)
  Severity severity = Severity::warning;
  bool shown = true;        // unless the user asks for it
  std::string_view summary; // one sentence, no full stop
  std::string_view help;    // why it costs and what helps, a few sentences
};

std::span<const RuleEntry> rules(); // in the order of the table
const RuleEntry& entry(Rule);
std::optional<Rule> rule_named(std::string_view id);
Rule uncoalesced(access::Kind); // uncoalesced-load, -store or -atomic
Rule of_any_kind(Rule);         // uncoalesced-load for all three: what is wrong is the same
// The rule that a mistyped identifier is closest to; empty where none is near.
std::string closest_rule(std::string_view id);

std::string_view name(Severity);
std::optional<Severity> severity(std::string_view name);
std::string_view name(Certainty);
std::string_view name(Standing::Baseline);

} // namespace warplens::findings
