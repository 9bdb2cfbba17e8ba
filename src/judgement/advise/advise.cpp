// Asks every rule about one site; what does not help is dropped. What lowers passes or
// sectors comes before what lowers instructions alone, and of these the largest gain first.
#include "advise/advise.h"
#include "advise/rules/rules.h"
#include "advise/triton.h"
#include <algorithm>
#include <tuple>

namespace warplens::advise {

std::string_view name(Confidence confidence) {
  switch (confidence) {
  case Confidence::possible: return "possible";
  case Confidence::likely: return "likely";
  case Confidence::certain: return "certain";
  }
  return "";
}

std::string_view name(Metric metric) {
  switch (metric) {
  case Metric::instructions: return "instructions";
  case Metric::requests: return "requests";
  case Metric::sectors: return "sectors";
  case Metric::transactions: return "transactions";
  case Metric::wavefronts: return "wavefronts";
  case Metric::threads: return "threads";
  }
  return "";
}

u64 value(Metric metric, const arch::Counts& counts) {
  switch (metric) {
  case Metric::instructions: return counts.instructions;
  case Metric::requests: return counts.requests;
  case Metric::sectors: return counts.sectors;
  case Metric::transactions: return counts.transactions;
  case Metric::wavefronts: return counts.wavefronts;
  case Metric::threads: return counts.threads;
  }
  return 0;
}

double Advice::gain() const {
  u64 was = value(metric, before), is = value(metric, after);
  if (was == 0) return 1.0;
  return is == 0 ? static_cast<double>(was) : static_cast<double>(was) / static_cast<double>(is);
}

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

const Advice* same_advice(const std::vector<Advice>& there, const Advice& advice) {
  auto same = std::ranges::find_if(
      there, [&](const Advice& other) { return other.rule == advice.rule && other.metric == advice.metric; });
  return same == there.end() ? nullptr : &*same;
}

} // namespace warplens::advise
