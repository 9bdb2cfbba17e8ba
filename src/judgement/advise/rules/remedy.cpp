#include "advise/remedy.h"
#include "advise/rules/rules.h"

namespace warplens::advise {

findings::Remedy remedy(const Advice& advice, const measure::SiteRecord& site, const Context& context) {
  if (context.column >= site.counters.size() || site.distribution.classes.empty()) return {};
  const rules::Subject subject{site, site.counters[context.column], context};
  switch (advice.rule) {
  case findings::Rule::bank_conflict: return rules::remedy_of_conflict(subject);
  case findings::Rule::uncoalesced_load:
  case findings::Rule::uncoalesced_store:
  case findings::Rule::uncoalesced_atomic:
    if (advice.way == Way::other) return {}; // another shape of the block
    if (site.pattern.kind() == measure::PatternKind::strided) return rules::remedy_of_stride(subject);
    return {findings::Remedy::Kind::other_order, 0, 0};
  default: return {};
  }
}

} // namespace warplens::advise
