// All lanes read one address: the hardware reads it once. A note, so that a low share of used bytes does not
// alarm.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void broadcast(const Subject& s, std::vector<Advice>& list) {
  bool load = s.site.site.kind == access::Kind::load;
  if (!is_device(s.site.space) || !load || s.site.pattern.kind != measure::PatternKind::broadcast) return;
  Advice out = draft(s, "broadcast-load", Metric::sectors);
  out.title = "one address for the whole warp";
  out.cause = "all lanes read the same element, which is one sector a warp: coalesced";
  out.change = "nothing is lost; a small table that never changes is even cheaper in __constant__ memory, "
               "and const __restrict__ lets the "
               "compiler use the read-only path";
  out.confidence = Confidence::certain;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
