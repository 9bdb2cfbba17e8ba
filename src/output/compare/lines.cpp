#include "compare/lines.h"
#include "access/opcode.h"
#include "source/places.h"
#include <filesystem>

namespace warplens::compare {

using access::Kind;
using access::Space;
using arch::Counts;

Kind joined(Kind kind) { return kind == Kind::reduction ? Kind::atomic : kind; }

Lines lines_of(const measure::LaunchRecord& launch) {
  Lines out;
  for (const measure::SiteRecord& site : launch.sites) {
    if (site.counters.empty() || measure::is_copied_half(site)) continue;
    if (site.counters[0].instructions + site.predicated_off == 0) continue;
    const access::SourceFrame place = source::user_frame(site.site);
    const bool placed = place.line != 0;
    LineKey key{placed ? std::filesystem::path(place.file).filename().string() : site.site.function,
                placed ? place.line : 0, site.space, joined(site.site.kind)};
    LineSum& sum = out[key];
    if (placed) sum.place = place;
    sum.function = site.site.function;
    if (access::is_bulk(site.site)) // of these, instructions alone have a counter
      sum.counts.instructions += site.counters[0].instructions;
    else
      sum.counts += site.counters[0];
    sum.counts.instructions += site.predicated_off;
    sum.bytes += site.counters[0].threads * site.site.bytes;
    sum.widest = std::max<u32>(sum.widest, site.site.bytes);
    sum.timing = sum.timing || site.site.timing_dependent != access::Timing::none;
    sum.opcodes.insert(site.site.opcode);
  }
  return out;
}

std::vector<LineCount> counts_of(Space space, Kind kind) {
  // Of stages: src/hardware/arch/MODEL.md, "What counts cost". Instructions and tags take an issue slot or a look-up each, threads nothing.
  const LineCount instructions{"instructions", &Counts::instructions, 1},
      threads{"threads", &Counts::threads, 1.0 / 32}, tags{"tags", &Counts::tags, 1},
      sectors{"sectors", &Counts::sectors, 4}, ideal_sectors{"ideal_sectors", &Counts::ideal_sectors, 4},
      wavefronts{"wavefronts", &Counts::wavefronts, 1},
      ideal_wavefronts{"ideal_wavefronts", &Counts::ideal_wavefronts, 1};
  switch (space) {
  case Space::global:
    if (kind == Kind::async_copy)
      return {instructions, threads, tags, sectors, ideal_sectors, wavefronts, ideal_wavefronts};
    return {instructions, threads, tags, sectors, ideal_sectors};
  case Space::shared: return {instructions, threads, wavefronts, ideal_wavefronts};
  case Space::local: return {instructions, threads, sectors};
  default: return {}; // no counter by instruction
  }
}

} // namespace warplens::compare
