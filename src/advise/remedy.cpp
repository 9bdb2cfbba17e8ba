#include "advise/remedy.h"
#include "advise/rules/remedies.h"

namespace warplens::advise {

findings::Remedy remedy(const Advice& advice, const measure::SiteRecord& site, const Context& context) {
  if (context.column >= site.counters.size() || site.distribution.classes.empty()) return {};
  const rules::Subject subject{site, site.counters[context.column], context};
  if (advice.rule == "bank-conflict") return rules::remedy_of_conflict(subject);
  if (advice.rule == "strided-access") return rules::remedy_of_stride(subject);
  if (advice.rule == "row-per-thread") return {findings::Remedy::Kind::other_order, 0, 0};
  return {};
}

} // namespace warplens::advise
