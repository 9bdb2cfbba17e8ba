// Several words of one bank in one request. Where the step between lanes is known, the step with one more
// element per row is tried; otherwise the prediction is the access without conflicts.
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void bank_conflict(const Subject& s, std::vector<Advice>& list) {
  const measure::Pattern& pattern = s.site.pattern;
  bool atomic = s.site.site.kind == access::Kind::atomic || s.site.site.kind == access::Kind::reduction;
  if (s.site.space != access::Space::shared || atomic || s.counters.wavefronts <= s.counters.ideal_wavefronts)
    return;
  if (pattern.kind() != measure::PatternKind::bank_conflict || s.site.site.kind == access::Kind::ldmatrix)
    return;
  u32 bytes = s.site.site.bytes;
  u64 pad = bytes < 4 ? 4 : bytes,
      step = static_cast<u64>(pattern.shape.stride < 0 ? -pattern.shape.stride : pattern.shape.stride);
  Change change = consecutive(s);
  bool known = step > bytes;
  if (known) change.address = [step, pad](u32 lane) { return lane * (step + pad); };
  Advice out = draft(s, "bank-conflict", Metric::wavefronts);
  out.title = pattern.ways > 1 ? fmt::format("{}-way bank conflict", pattern.ways) : "bank conflicts";
  out.cause = known ? fmt::format("lanes are {} bytes apart, so several want different words of one bank, "
                                  "which gives one word a pass",
                                  step)
                    : "several lanes want different words of one bank, which gives one word a pass";
  out.change = "pad each row of the shared array by one element, so that a column spreads over all banks";
  out.example = "__shared__ float tile[32][32 + 1];";
  out.after = predicted(s, change);
  out.confidence = known ? Confidence::likely : Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
