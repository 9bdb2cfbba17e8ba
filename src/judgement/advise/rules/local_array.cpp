// Local memory is device memory. Lanes with different indices are not coalesced; an array that the compiler
// can keep in registers does not go there at all.
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void local_array(const Subject& s, std::vector<Advice>& list) {
  if (s.site.space != access::Space::local) return;
  std::string names;
  if (s.context.launch != nullptr) names = access::text_of(s.context.launch->record().local_arrays);
  if (!names.empty()) names = " (" + names + ")";
  Advice out = draft(s, findings::Rule::local_array, Metric::sectors);
  predict(s, consecutive(s), out);
  if (20 * out.after.sectors <= 19 * s.counters.sectors) {
    out.title = "lanes use different indices of a local array";
    out.cause = fmt::format("local memory{} interleaves the threads' arrays: one index is consecutive over "
                            "the lanes, different indices are not",
                            names);
    out.change = shared_index;
  } else {
    out.title = "an array in local memory";
    out.cause =
        fmt::format("an array{} that is indexed at run time lives in device memory, not in registers", names);
    out.change = "unroll the loops over it (#pragma unroll) so that every index is a constant, or move it to "
                 "shared memory";
    out.after = {}, out.lanes.reset(), out.asks_for_less = true;
    out.confidence = Confidence::possible;
  }
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
