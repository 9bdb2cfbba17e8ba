// Sums of a report never wrap, whatever numbers stand in it, and it says where they were cut.
#include "measure/totals.h"
#include "summary/summable.h"
#include <gtest/gtest.h>
#include <limits>

namespace warplens::summary {
namespace {

constexpr u64 most = std::numeric_limits<u64>::max();

// `sites` loads, each with that number in all of its counts; `times` launches that are alike.
Input input_of(u64 value, u32 sites, u64 times) {
  measure::LaunchRecord launch;
  launch.kernel = launch.name = "k", launch.sm = {90}, launch.block = {32, 1, 1},
  launch.warp_instructions = value;
  for (u32 s = 0; s < sites; ++s) {
    measure::SiteRecord site;
    site.site.id = access::SiteId(s), site.site.bytes = 4, site.space = access::Space::global;
    arch::Counts counts;
    for (const arch::CountMember& member : arch::count_members) counts.*member.value = value;
    site.counters = {counts};
    measure::WarpClass warps;
    warps.warps = value, warps.example.active = full_mask;
    site.distribution.classes = {warps};
    launch.sites.push_back(std::move(site));
  }
  Input out;
  out.sm = {90};
  out.launches.emplace_back(std::move(launch));
  out.launches[0].when = {{0, 0, times, 1}};
  return out;
}

bool says_so(const Input& input) {
  return std::ranges::count(input.messages, counts_too_large, &diag::Diagnostic::kind) == 1;
}

TEST(Summable, SumsOfAnyNumbersStayBelowTheirLimit) {
  for (u64 value : {most, most / 2, u64{1} << 62, u64{1} << 52})
    for (u32 sites : {1u, 3u, 100u})
      for (u64 times : {u64{1}, u64{3}, u64{1} << 40}) {
        Input input = input_of(value, sites, times), before = input;
        make_summable(input);
        unsigned __int128 bytes = 0;
        for (const measure::SiteRecord& site : input.launches[0].record.sites)
          bytes += static_cast<unsigned __int128>(site.counters[0].wavefronts) * 128 * times;
        EXPECT_LE(bytes, most) << value << ' ' << sites << ' ' << times;
        EXPECT_EQ(input.launches[0].record.sites != before.launches[0].record.sites, says_so(input));
        EXPECT_GT(input.launches[0].record.sites[0].counters[0].sectors, 0u) << "still a site that ran";
      }
}

TEST(Summable, TheSameTwiceIsNotLess) {
  auto moved = [](u64 times) {
    const Model model = *build(input_of(u64{1} << 62, 2, times), {}, {});
    return model.moved_bytes;
  };
  EXPECT_GE(moved(3) + 1024, moved(1));
}

TEST(Summable, OrdinaryNumbersStayAsTheyAre) {
  Input input = input_of(u64{1} << 30, 20, 1000), before = input;
  make_summable(input);
  EXPECT_EQ(input.launches[0].record, before.launches[0].record);
  EXPECT_FALSE(says_so(input));
}

} // namespace
} // namespace warplens::summary
