// What a launch's sites become before they are lines of a report: sites of several launches added up, and PTX instructions
// that a reader sees as one access as one row.
#pragma once
#include "measure/reuse.h"
#include "summary/model.h"
#include <tuple>

namespace warplens::summary {

// What a reader takes for one pattern: all that its words say.
using Look = std::tuple<measure::Shape, u32, u32, u32>;

// Sites of several launches, or several sites of one line, as one row.
struct Merge {
  measure::SiteRecord record;
  u32 sites = 1;
  struct Seen {
    measure::Pattern pattern;
    double warps = 0, excess = 0; // that it stands for
  };
  std::map<Look, Seen> patterns;

  void note_pattern(const measure::SiteRecord&);
  // The pattern that explains the waste, else the most frequent: one launch in order and one shuffled are
  // "scattered in 50% of warps". Reports of earlier versions have patterns alone.
  void settle_pattern();
};

using SiteKey = std::pair<u32, access::Space>; // PTX instruction of a module
using SiteSums = std::map<SiteKey, Merge>;

void add_counters(std::vector<arch::Counts>& sum, const std::vector<arch::Counts>& other);
bool ran(const std::vector<arch::Counts>&);

void add_launch(SiteSums&, const measure::LaunchContent&);
// The accesses that a reader sees as one: `ld.global.f32` of an unrolled loop, eight times on one line.
SiteSums merge_rows(SiteSums);
// With what it costs and what to change. The launch is the one that wastes most of those that were added up; `reuse`:
// what of its loads the L1 has. `by_l1`: passes of the L1 limit the kernel, so that what it has costs them.
AccessRow make_row(Merge, const advise::Launch&, const measure::Reuse& reuse, bool by_l1);

// What a row costs in launches of its kernel that differ: cost and how many launches, in the order of the first of each.
// Empty where all cost the same.
struct LaunchCost {
  Cost cost;
  u64 launches = 0;
};
std::vector<LaunchCost> costs_by_launch(const std::vector<Launch>&, const Kernel&, const AccessRow&);

// What accesses have in common that a reader sees as one place: the line and the calls on the way to it; without line
// information the function.
using PlaceKey = std::vector<std::tuple<std::string, u32, u32>>; // file (or function), line, column
PlaceKey place_of(const access::Site&, bool columns);

} // namespace warplens::summary
