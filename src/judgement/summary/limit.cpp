#include "summary/limit.h"
#include "base/bits.h"
#include "measure/reuse.h"
#include "measure/totals.h"
#include "summary/merging.h"
#include <algorithm>

namespace warplens::summary {
namespace {

using access::Kind;
using access::Space;

// Passes that are made whatever the caches hold and the assembler does.
struct Passes {
  u64 tag = 0, data = 0;
};

// `merged`: of so many like it the assembler may make one access. Of words side by side, which a lane accesses with one
// instruction, no bank is asked for less than it is for one of them: they take as many passes as that one at least. An
// array in local memory may be in registers, unless lanes want different elements of it.
Passes least_passes(const measure::SiteRecord& site, const arch::Counts& counts, u32 merged) {
  if (site.space == Space::constant) return {};
  if (site.space == Space::local && counts.sectors <= counts.ideal_sectors) return {};
  const bool plain = site.site.kind == Kind::load || site.site.kind == Kind::store;
  if (site.space == Space::shared) return {0, plain ? counts.wavefronts / merged : counts.instructions};
  if (plain) return {counts.tag_passes, counts.data_wavefronts};
  return {0, std::min(counts.data_wavefronts, counts.instructions)};
}

Limit sum_of(const measure::LaunchContent& launch, const arch::Architecture& row) {
  Limit out;
  Passes least;
  const measure::Reuse reuse(launch, row);
  const std::vector<u32> merged = mergeable(launch);
  for (std::size_t s = 0; s < launch.sites.size(); ++s) {
    const measure::SiteRecord& site = launch.sites[s];
    if (site.counters.empty() || site.site.timing_dependent != access::Timing::none) continue;
    const arch::Counts& counts = site.counters[0];
    const measure::StageCycles cycles = measure::cycles(counts, site.space, row, reuse.share_from_l2(site));
    switch (site.space) {
    case Space::shared: out.shared += cycles.data; break;
    case Space::constant: out.constant += cycles.busiest(); break;
    default: out.tag += cycles.tag, out.data += cycles.data, out.sectors += cycles.sectors;
    }
    const Passes passes = least_passes(site, counts, merged[s]);
    least.tag += passes.tag, least.data += passes.data;
  }
  out.bound = std::max(least.tag, least.data);
  return out;
}

} // namespace

void add(Limit& limit, const measure::LaunchContent& launch, u64 times, const arch::Architecture& row) {
  const Limit sum = sum_of(launch, row);
  const u64 multiprocessors = std::clamp<u64>(launch.grid.count(), 1, row.part.multiprocessors);
  for (u64 Limit::*member : {&Limit::tag, &Limit::data, &Limit::shared, &Limit::constant, &Limit::bound})
    limit.*member += ceil_div(sum.*member, multiprocessors) * times;
  limit.sectors += ceil_div(sum.sectors, row.part.multiprocessors) * times;
}

std::vector<Stage> stages(const Limit& limit) {
  std::vector<Stage> out{{"sectors", "sectors from L2 and memory", "sectors", limit.sectors},
                         limit.shared >= limit.data
                             ? Stage{"shared", "shared memory", "shared memory", limit.data + limit.shared}
                             : Stage{"data", "the L1's data stage", "L1", limit.data + limit.shared},
                         {"tag", "the L1's tag stage", "L1 tags", limit.tag},
                         {"constant", "the constant cache", "constant cache", limit.constant}};
  std::erase_if(out, [](const Stage& stage) { return stage.cycles == 0; });
  std::ranges::stable_sort(out, std::greater{}, &Stage::cycles);
  return out;
}

double seconds(u64 cycles, const arch::Architecture& row) {
  return static_cast<double>(cycles) / (1e3 * row.part.clock_khz);
}

} // namespace warplens::summary
