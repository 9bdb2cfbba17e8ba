// An asynchronous copy past the L1 moves a sector once for each place of shared memory that parts of it go to. Lanes that read one
// sector and write to different rows move it several times.
#include "advise/rules/rules.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void scattered_copy(const Subject& s, std::vector<Advice>& list) {
  if (!is_device(s.site.space) || s.site.site.kind != access::Kind::async_copy ||
      s.counters.sectors <= s.counters.ideal_sectors)
    return;
  Advice out = draft(s, findings::Rule::uncoalesced_load, Metric::sectors);
  predict(s, neighbouring_destinations(), out);
  if (out.after.sectors >= s.counters.sectors) return;
  out.title = "lanes that read one sector write to different places";
  out.cause = "the copy goes past the L1, and moves a sector once for each place that parts of it go to";
  out.change = fmt::format("let lanes that read neighbouring {} bytes write them side by side: a sector of "
                           "32 bytes stays together, at a "
                           "multiple of 32 bytes in shared memory",
                           s.site.site.bytes);
  out.example = "tile[row][chunk ^ (row % 8)], 8 chunks of 16 bytes in a row: pairs stay pairs";
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
