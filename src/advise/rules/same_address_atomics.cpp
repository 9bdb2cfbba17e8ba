// A warp updates one address with 32 atomic operations: add within the warp first, then let one lane update.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void same_address_atomics(const Subject& s, std::vector<Advice>& list) {
  access::Kind kind = s.site.site.kind;
  bool atomic = kind == access::Kind::atomic || kind == access::Kind::reduction;
  bool shared = s.site.space == access::Space::shared;
  bool together = s.site.pattern.kind() == measure::PatternKind::broadcast ||
                  (shared && s.counters.wavefronts > 2 * s.counters.ideal_wavefronts);
  if (!atomic || !together || s.counters.threads <= s.counters.instructions) return;
  Advice out = draft(s, "same-address-atomics", shared ? Metric::wavefronts : Metric::threads);
  out.title = "the lanes of a warp update the same address";
  out.cause = "updates of one address are performed one after the other";
  out.change = "combine the values within the warp (__reduce_add_sync, __shfl_down_sync) and let one lane "
               "perform the atomic operation";
  out.example = "int sum = __reduce_add_sync(mask, value); if (lane == 0) atomicAdd(p, sum);";
  out.after = predicted(s, {s.site.space, s.site.site.bytes, [](u32) { return u64{0}; }},
                        s.counters.instructions, s.counters.instructions);
  out.confidence =
      s.site.pattern.kind() == measure::PatternKind::broadcast ? Confidence::certain : Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
