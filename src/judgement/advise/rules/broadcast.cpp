// All lanes read one address: the hardware reads it once. A note, so that a low share of used bytes does not
// alarm.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void broadcast(const Subject& s, std::vector<Advice>& list) {
  bool load = s.site.site.kind == access::Kind::load;
  if (!is_device(s.site.space) || !load || s.site.pattern.kind() != measure::PatternKind::broadcast) return;
  if (times_read(s) >= often && !moves_more_than_sectors(s)) return; // repeated.cpp says more
  Advice out = draft(s, findings::Rule::broadcast_load, Metric::sectors);
  out.title = "one address for the whole warp";
  if (moves_more_than_sectors(s)) { // up to 3.x a broadcast may cost a transaction for every lane, or a line
    out.cause =
        "all lanes read the same element, and this architecture moves far more than its sector for it";
    out.change = "read it from __constant__ memory, or load it once per block into shared memory";
    list.push_back(std::move(out));
    return;
  }
  out.cause = "all lanes read the same element, which is one sector a warp: coalesced";
  out.change = "nothing is lost; a small table that never changes is even cheaper in __constant__ memory, "
               "and const __restrict__ lets the "
               "compiler use the read-only path";
  out.confidence = Confidence::certain;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
