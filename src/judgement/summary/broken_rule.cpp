#include "summary/broken_rule.h"
#include "summary/findings.h"
#include <algorithm>

namespace warplens::summary {
namespace {

using access::Space;
using findings::Rule;

Rule by_pattern(const AccessRow& row) {
  switch (row.space) {
  case Space::shared: return Rule::bank_conflict;
  case Space::constant: return Rule::constant_serialised;
  case Space::local: return Rule::local_array;
  default: break;
  }
  switch (row.pattern.kind()) {
  case measure::PatternKind::misaligned: return Rule::misaligned_access;
  case measure::PatternKind::scattered: return Rule::scattered_access;
  default: return findings::uncoalesced(row.site.kind);
  }
}

} // namespace

Broken rule_of(const AccessRow& row) {
  const bool costs = row.excess_bytes != 0 || row.excess_cycles != 0 || row.wait_cycles != 0;
  for (const advise::Advice& advice : row.advice) {
    if (!advice.change.empty() && !advice.by_itself) return {advice.rule, &advice};
  }
  return costs ? Broken{by_pattern(row), nullptr} : Broken{};
}

} // namespace warplens::summary
