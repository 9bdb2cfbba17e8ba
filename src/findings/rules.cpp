#include "findings/rules.h"
#include "base/closest.h"
#include <algorithm>

namespace warplens::findings {
namespace {

constexpr Rule table[] = {
#define RULE(id, severity, shown, summary, help) {id, Severity::severity, shown, summary, help},
#include "findings/rules.def"
#undef RULE
};

} // namespace

std::span<const Rule> rules() { return table; }

const Rule* rule(std::string_view id) {
  const Rule* found = std::ranges::find(table, id, &Rule::id);
  return found == std::end(table) ? nullptr : found;
}

std::string closest_rule(std::string_view id) {
  std::vector<std::string> known;
  for (const Rule& rule : table) known.emplace_back(rule.id);
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
