// Asks every rule about one site; what does not help is dropped. What lowers passes or
// sectors comes before what lowers instructions alone, and of these the largest gain first.
#include "advise/rules/rules.h"
#include "advise/rules/triton.h"
#include "base/bits.h"
#include <algorithm>
#include <tuple>

namespace warplens::advise {

namespace {

// No change moves less than the lanes ask for after it.
void keep_to_need(Advice& advice) {
  const u64 needed = advice.asks_for_less ? advice.after.ideal_sectors
                                          : ceil_div(advice.before.bytes_used, measure::sector_bytes);
  if (advice.metric == Metric::sectors && advice.after.sectors < needed)
    rules::set_sectors(advice.after, needed);
}

} // namespace

std::vector<Advice> advise(const measure::SiteRecord& site, const Context& context) {
  std::vector<Advice> out;
  if (context.architecture == nullptr || context.column >= site.counters.size()) return out;
  const arch::Counts& counters = site.counters[context.column];
  if (counters.instructions == 0 || site.distribution.classes.empty()) return out;
  rules::Subject subject{site, counters, context};
  if (is_spill(site.site))
    rules::spilled(subject, out);
  else
    for (rules::Rule* rule : rules::all) rule(subject, out);
  std::ranges::for_each(out, keep_to_need);
  // What does not help is not said; a note leaves all counts as they are.
  std::erase_if(out, [](const Advice& a) {
    u64 before = value(a.metric, a.before), after = value(a.metric, a.after);
    return after > before || (after == before && a.after != a.before);
  });
  if (is_triton(site.site))
    for (Advice& advice : out) say_for_triton(subject, advice);
  auto order = [](const Advice& a) {
    return std::tuple(a.metric != Metric::instructions && a.gain() > 1.05, a.gain());
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Advice& a, const Advice& b) { return order(a) > order(b); });
  return out;
}

} // namespace warplens::advise
