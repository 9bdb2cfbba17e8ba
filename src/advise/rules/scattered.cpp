// Lanes go anywhere. The prediction is a bound: what consecutive addresses would cost.
#include "advise/rules/rules.h"

namespace warplens::advise::rules {

void scattered(const Subject& s, std::vector<Advice>& list) {
  if (!is_device(s.site.space) || s.site.pattern.kind() != measure::PatternKind::scattered) return;
  Advice out = draft(s, "scattered-access", Metric::sectors);
  out.title = "neighbouring threads go to unrelated places";
  out.cause = "almost every lane has a sector to itself";
  out.change =
      "sort or renumber the indices so that neighbouring threads want neighbouring elements; or load "
      "consecutive data into shared "
      "memory and scatter there; where neighbours are close in two dimensions, read through a texture";
  out.after = predicted(s, consecutive(s));
  out.confidence = Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
