// Sites built from a known access, for the tests of the rules: as if some full warps had executed it.
#pragma once
#include "advise/remedy.h"
#include "arch/table.h"
#include <gtest/gtest.h>

namespace warplens::advise {

using access::Kind;
using access::Space;

// A site as if `warps` full warps had executed `address(lane)`.
struct Built {
  measure::SiteRecord site;
  Context context;
};

template <class F> Built site(Space space, Kind kind, u32 bytes, F&& address, u64 warps = 100, u32 sm = 90) {
  Built out;
  out.context.architecture = arch::find(sm);
  access::WarpAccess access{{.space = space, .kind = kind, .bytes = static_cast<u8>(bytes)}, full_mask};
  for (u32 lane = 0; lane < warp_size; ++lane) access.address[lane] = address(lane);
  out.site.site.bytes = static_cast<u8>(bytes);
  out.site.site.kind = kind;
  out.site.space = space;
  out.site.counters = {arch::count(*out.context.architecture, access) * warps};
  out.site.distribution.classes = {measure::class_of(access, warps, *out.context.architecture)};
  out.site.pattern = measure::pattern_of(out.site.distribution);
  return out;
}

inline std::vector<Advice> advise_in(const Built& built, const measure::LaunchRecord& record) {
  const Launch launch(record);
  Context context = built.context;
  context.launch = &launch;
  return advise(built.site, context);
}

inline void expect(const Built& built, std::string_view rule, u64 before, u64 after) {
  std::vector<Advice> list = advise(built.site, built.context);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(findings::name(list[0].rule), rule);
  EXPECT_EQ(value(list[0].metric, list[0].before), before);
  EXPECT_EQ(value(list[0].metric, list[0].after), after);
}

// A launch of these sites, for rules that look at what else a kernel does.
inline measure::LaunchRecord launch_of(std::vector<Built*> sites) {
  measure::LaunchRecord launch;
  launch.grid = {100, 1, 1}, launch.block = {32, 1, 1};
  u32 id = 0;
  for (Built* built : sites) {
    built->site.site.id = access::SiteId(id++);
    launch.sites.push_back(built->site);
  }
  return launch;
}

inline const Advice& only(const std::vector<Advice>& list) {
  EXPECT_EQ(list.size(), 1u);
  static const Advice none;
  return list.empty() ? none : list[0];
}

} // namespace warplens::advise
