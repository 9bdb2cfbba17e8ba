// Coalesced without waste, but each instruction moves few bytes: 16 bytes a lane would need a fraction of the
// instructions.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <fmt/format.h>

namespace warplens::advise::rules {

void narrow(const Subject& s, std::vector<Advice>& list) {
  const access::Site& site = s.site.site;
  bool plain = site.kind == access::Kind::load || site.kind == access::Kind::store;
  if (!is_device(s.site.space) || !plain || s.site.pattern.kind() != measure::PatternKind::contiguous ||
      site.bytes >= 16 || s.counters.sectors > s.counters.ideal_sectors + s.counters.ideal_sectors / 20 ||
      s.counters.threads != s.counters.instructions * warp_size || moves_more_than_sectors(s))
    return;
  u64 lanes = ceil_div(s.counters.threads * site.bytes, 16), instructions = ceil_div(lanes, warp_size);
  if (instructions >= s.counters.instructions) return;
  Advice out = draft(s, findings::Rule::narrow_access, Metric::instructions);
  out.title = fmt::format("{} byte{} per thread and instruction", site.bytes, site.bytes == 1 ? "" : "s");
  out.cause = "the bytes are coalesced, but one instruction can move 16 per thread";
  out.change = fmt::format("let each thread handle {} consecutive elements with one vector access (float4, "
                           "int4); the start must be a "
                           "multiple of 16 bytes",
                           16 / site.bytes);
  out.example = "float4 v = reinterpret_cast<const float4*>(a)[i];";
  out.after = {};
  out.after.instructions = instructions, out.after.threads = lanes;
  out.confidence = Confidence::possible;
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
