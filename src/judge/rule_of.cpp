#include "judge/rule_of.h"
#include "report/findings.h"
#include <algorithm>

namespace warplens::judge {
namespace {

using access::Space;

std::string_view uncoalesced(access::Kind kind) {
  switch (kind) {
  case access::Kind::store: return "uncoalesced-store";
  case access::Kind::atomic:
  case access::Kind::reduction: return "uncoalesced-atomic";
  default: return "uncoalesced-load";
  }
}

// Rules of advice by what they find fault with; empty for those that say that all is well.
std::string_view by_advice(std::string_view rule, access::Kind kind) {
  if (rule == "strided-access" || rule == "row-per-thread") return uncoalesced(kind);
  if (rule == "same-address-atomics") return "same-address-atomic";
  if (rule == "shared-address-atomics" || rule == "spread-atomics") return "contended-atomic";
  for (std::string_view same :
       {"scattered-access", "misaligned-access", "halo-access", "bank-conflict", "constant-serialised",
        "local-array", "divergent-access", "narrow-access", "repeated-load"})
    if (rule == same) return same;
  return {};
}

std::string_view by_pattern(const report::Row& row) {
  switch (row.space) {
  case Space::shared: return "bank-conflict";
  case Space::constant: return "constant-serialised";
  case Space::local: return "local-array";
  default: break;
  }
  switch (row.pattern.kind()) {
  case measure::PatternKind::misaligned: return "misaligned-access";
  case measure::PatternKind::scattered: return "scattered-access";
  default: return uncoalesced(row.site.kind);
  }
}

} // namespace

Broken rule_of(const report::Row& row) {
  const bool costs = row.excess_bytes != 0 || row.excess_cycles != 0 || row.wait_cycles != 0;
  for (const advise::Advice& advice : row.advice) {
    if (advice.change.empty()) continue;
    const std::string_view rule = by_advice(advice.rule, row.site.kind);
    if (!rule.empty()) return {rule, &advice};
  }
  return costs ? Broken{by_pattern(row), nullptr} : Broken{};
}

} // namespace warplens::judge
