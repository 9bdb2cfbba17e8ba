// Lanes are consecutive, but the first is inside a segment: one segment more per warp than needed.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void misaligned(const Subject& s, std::vector<Advice>& list) {
  if (!is_device(s.site.space) || s.site.pattern.kind != measure::PatternKind::misaligned) return;
  Advice out = draft(s, "misaligned-access", Metric::sectors);
  out.title = "consecutive, but not aligned to a segment";
  out.cause = "warps start inside a 32-byte sector, so each touches one sector more than its bytes fill";
  out.change = "pad rows to a multiple of the warp (cudaMallocPitch), start arrays at a multiple of 128 "
               "bytes, or shift the halo so that "
               "the main part is aligned";
  out.example = "cudaMallocPitch(&p, &pitch, width * sizeof(float), height);";
  out.after = predicted(s, consecutive(s));
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
