// Lanes are consecutive, but the first is inside a segment: one segment more per warp than needed. Up to 3.x
// this holds also where the sectors are full: lines of 128 bytes, and on 1.0 and 1.1 nothing coalesces unless
// the half-warp starts at a multiple of 16 words.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void misaligned(const Subject& s, std::vector<Advice>& list) {
  bool inside_sector = s.site.pattern.kind() == measure::PatternKind::misaligned;
  bool inside_segment =
      s.site.pattern.kind() == measure::PatternKind::contiguous && moves_more_than_sectors(s);
  if (!is_device(s.site.space) || !(inside_sector || inside_segment)) return;
  Advice out = draft(s, "misaligned-access", inside_sector ? Metric::sectors : Metric::transactions);
  out.title = "consecutive, but not aligned to a segment";
  out.cause = inside_sector
                  ? "warps start inside a 32-byte sector, so each touches one sector more than its bytes fill"
                  : "warps start inside a segment that this architecture moves whole or not at all";
  out.change = "pad rows to a multiple of the warp (cudaMallocPitch), start arrays at a multiple of 128 "
               "bytes, or shift the halo so that "
               "the main part is aligned";
  out.example = "cudaMallocPitch(&p, &pitch, width * sizeof(float), height);";
  out.after = predicted(s, consecutive(s));
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
