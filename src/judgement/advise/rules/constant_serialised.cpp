// Constant memory serves one address at a time: lanes that want different ones wait for each other.
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void constant_serialised(const Subject& s, std::vector<Advice>& list) {
  if (s.site.space != access::Space::constant || s.counters.requests <= s.counters.instructions) return;
  Advice out = draft(s, findings::Rule::constant_serialised, Metric::requests);
  double each = static_cast<double>(s.counters.requests) / static_cast<double>(s.counters.instructions);
  out.title = fmt::format("{:.3g} constant-memory requests per instruction", each);
  out.cause =
      "the constant cache serves one address at a time, and the lanes of a warp ask for different ones";
  out.change = "read the table from global memory through const __restrict__ (or __ldg), or copy it to "
               "shared memory first";
  predict(
      s, [](access::WarpAccess& access) { access.space = access::Space::global; }, out);
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
