// Lanes go anywhere: each along a row of its own, or to unrelated places. There the prediction is a bound: what
// consecutive addresses would cost.
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void scattered(const Subject& s, std::vector<Advice>& list) {
  if (!is_device(s.site.space) || is_atomic(s.site.site.kind) ||
      s.site.pattern.kind() != measure::PatternKind::scattered)
    return;
  bool load = s.site.site.kind == access::Kind::load;
  Advice out = draft(s, "scattered-access", Metric::sectors);
  if (say_rows_of_threads(s, out)) {
    list.push_back(std::move(out));
    return;
  }
  out.title = "neighbouring threads go to unrelated places";
  out.cause = fmt::format("{} lanes touch {} sectors", s.site.pattern.lanes, s.site.pattern.units);
  out.change =
      load ? "sort or renumber the indices so that neighbouring threads want neighbouring elements; or load "
             "consecutive data into shared memory and gather there"
           : "sort by destination, or collect a block's elements in shared memory, so that neighbouring "
             "threads "
             "write neighbouring ones";
  out.after = predicted(s, consecutive(s));
  out.confidence = Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
