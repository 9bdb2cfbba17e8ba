#include "findings/rules.h"
#include "base/closest.h"
#include <algorithm>

namespace warplens::findings {
namespace {

constexpr RuleEntry table[] = {
#define RULE(enumerator, id, severity, shown, summary, help)                                                 \
  {Rule::enumerator, id, Severity::severity, shown, summary, help},
#include "findings/rules.def"
#undef RULE
};

} // namespace

std::span<const RuleEntry> rules() { return table; }

const RuleEntry& entry(Rule rule) { return table[static_cast<std::size_t>(rule)]; }

std::string_view name(Rule rule) { return entry(rule).id; }

std::optional<Rule> rule_named(std::string_view id) {
  const RuleEntry* found = std::ranges::find(table, id, &RuleEntry::id);
  return found == std::end(table) ? std::nullopt : std::optional(found->rule);
}

Rule uncoalesced(access::Kind kind) {
  switch (kind) {
  case access::Kind::store: return Rule::uncoalesced_store;
  case access::Kind::atomic:
  case access::Kind::reduction: return Rule::uncoalesced_atomic;
  default: return Rule::uncoalesced_load;
  }
}

Rule of_any_kind(Rule rule) {
  const bool apart = rule == Rule::uncoalesced_store || rule == Rule::uncoalesced_atomic;
  return apart ? Rule::uncoalesced_load : rule;
}

std::string closest_rule(std::string_view id) {
  std::vector<std::string> known;
  for (const RuleEntry& rule : table) known.emplace_back(rule.id);
  return closest(id, known);
}

std::string_view name(Severity severity) {
  switch (severity) {
  case Severity::note: return "note";
  case Severity::warning: return "warning";
  case Severity::error: return "error";
  }
  return "";
}

std::optional<Severity> severity(std::string_view word) {
  for (Severity one : {Severity::note, Severity::warning, Severity::error})
    if (word == name(one)) return one;
  return {};
}

std::string_view name(Certainty certainty) {
  switch (certainty) {
  case Certainty::proved: return "proved";
  case Certainty::conditional: return "conditional";
  case Certainty::measured: return "measured";
  case Certainty::possible: return "possible";
  }
  return "";
}

std::string_view name(Standing::Baseline baseline) {
  switch (baseline) {
  case Standing::Baseline::none: return "none";
  case Standing::Baseline::fresh: return "new";
  case Standing::Baseline::unchanged: return "unchanged";
  case Standing::Baseline::worse: return "worse";
  }
  return "";
}

} // namespace warplens::findings
