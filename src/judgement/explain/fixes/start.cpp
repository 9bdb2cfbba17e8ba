// Consecutive words that start in the middle of a segment: the array's start, or a constant offset in the
// index.
#include "explain/fixes/tools.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::explain {

void align_start(Situation& s, std::vector<advise::Advice>& list) {
  if (s.question.space != access::Space::global || s.form.kind == FormKind::other) return;
  i64 lowest = 0;
  bool any = false;
  for (std::size_t i = 0; i < s.footprint.offset.size(); ++i) {
    if (s.footprint.active[i] == 0) continue;
    if (!any || s.footprint.offset[i] < lowest) lowest = s.footprint.offset[i];
    any = true;
  }
  u64 shift = (static_cast<u64>(lowest) + s.manner.base) % 128;
  if (!any || shift == 0) return;
  Footprint aligned = s.footprint;
  for (i64& offset : aligned.offset) offset -= static_cast<i64>(shift);
  advise::Advice out;
  out.rule = findings::Rule::misaligned_access;
  out.title = "Start at a multiple of 128 bytes";
  out.cause = fmt::format(
      "The block's first access is {} bytes behind a multiple of 128, so its warps straddle segments.",
      shift);
  bool by_base = s.manner.base % 128 == shift;
  out.change = by_base ? fmt::format("Place the array {} bytes later, or at the start of its own cudaMalloc, "
                                     "which aligns to 256 bytes.",
                                     128 - shift)
                       : fmt::format("Let the array begin {} bytes later in its allocation, so that the "
                                     "first element used is aligned.",
                                     128 - shift);
  out.metric = metric_of(s);
  out.before = s.block;
  predict(s, aligned, s.manner, out);
  out.confidence = by_base ? advise::Confidence::certain : advise::Confidence::likely;
  offer(list, std::move(out));
}

} // namespace warplens::explain
