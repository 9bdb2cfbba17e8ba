// The L1's tag and data stages against every measured access to global memory: what is exact is held to be, and of the
// classes that are estimates how many agree, and to which side the others differ (src/hardware/arch/MODEL.md).
#include "arch/count.h"
#include "arch/measured.h"
#include "arch/rules/l1_stages.h"
#include "arch/rules/requests.h"
#include "base/bits.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using access::Kind;

constexpr const char* sets[] = {"h100_patterns.jsonl.gz", "h100_wide_loads.jsonl.gz",
                                "h200_l1_stages.jsonl.gz", "h200_l1_loads.jsonl.gz",
                                "h200_l1_operations.jsonl.gz"};

struct Agreement {
  u32 seen = 0, tag_passes = 0, data_wavefronts = 0; // equal ones
  u32 counted_more = 0, measured_more = 0;           // of data wavefronts
  bool operator==(const Agreement&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Agreement& a) {
  return out << a.seen << " seen, tag passes " << a.tag_passes << ", data wavefronts " << a.data_wavefronts
             << ", more counted " << a.counted_more << ", more measured " << a.measured_more;
}

// Of the patterns of these sets that `wanted(pattern, counts)` names.
template <class F> Agreement agreement(F&& wanted) {
  static const std::map<std::string, std::string> suffix{
      {"load", "ld"}, {"store", "st"}, {"reduction", "red"}, {"atomic", "atom"}};
  Agreement out;
  for (const char* set : sets)
    for_each_measured(set, [&](const MeasuredPattern& pattern) {
      const std::string data = "l1tex__data_pipe_lsu_wavefronts_mem_lgds";
      if (pattern.space != "global" || pattern.op == "async_copy" || !pattern.has(data)) return;
      arch::Counts counts = arch::count(*arch::find(90), pattern.access);
      if (!wanted(pattern, counts)) return;
      u64 tag = pattern.counter("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_" + suffix.at(pattern.op));
      ++out.seen;
      out.tag_passes += counts.tag_passes == tag;
      out.data_wavefronts += counts.data_wavefronts == pattern.counter(data);
      out.counted_more += counts.data_wavefronts > pattern.counter(data);
      out.measured_more += counts.data_wavefronts < pattern.counter(data);
    });
  return out;
}

TEST(MeasuredStages, LoadsAreExact) {
  Agreement loads = agreement(
      [](const MeasuredPattern& pattern, const arch::Counts&) { return pattern.access.kind == Kind::load; });
  EXPECT_EQ(loads, (Agreement{1897, 1897, 1897, 0, 0}));
}

// Those whose lanes all wait in front of the data stage.
bool goes_together(const MeasuredPattern& pattern, const arch::Counts& counts) {
  return counts.tag_passes <= arch::passes_together(pattern.access.bytes);
}

TEST(MeasuredStages, StoresAreExactWhereTheyGoThroughTogether) {
  auto stores = [](bool together, bool narrow) {
    return agreement([=](const MeasuredPattern& pattern, const arch::Counts& counts) {
      return pattern.access.kind == Kind::store && goes_together(pattern, counts) == together &&
             (pattern.access.bytes < 4) == narrow;
    });
  };
  EXPECT_EQ(stores(true, false), (Agreement{573, 573, 573, 0, 0}));
  EXPECT_EQ(stores(true, true), (Agreement{428, 428, 428, 0, 0}));
  EXPECT_EQ(stores(false, false), (Agreement{74, 74, 71, 3, 0}));
  EXPECT_EQ(stores(false, true), (Agreement{237, 237, 184, 35, 18}));
}

// Does a lane go before an earlier one that wants another line of the same tag set?
bool overtakes(const access::WarpAccess& access) {
  std::array<std::vector<u64>, 4> lines; // of each set, as lanes first want them
  bool out = false;
  for_each_lane(access.active, [&](u32 lane) {
    u64 line = access.address[lane] >> 7;
    std::vector<u64>& known = lines[arch::tag_set(line)];
    auto place = std::ranges::find(known, line);
    out |= place != known.end() && place + 1 != known.end();
    if (place == known.end()) known.push_back(line);
  });
  return out;
}

bool is_swap(const MeasuredPattern& pattern) {
  return pattern.json.value("form", "").find(".cas.") != std::string::npos;
}

// Tag passes are exact where no lane overtakes another, too.
TEST(MeasuredStages, AtomicsAreExactInOnePassAndEstimatesFromBelow) {
  auto atomics = [](bool one_pass, bool overtaking) {
    return agreement([=](const MeasuredPattern& pattern, const arch::Counts& counts) {
      return is_atomic(pattern.access.kind) && !is_swap(pattern) && (counts.tag_passes == 1) == one_pass &&
             overtakes(pattern.access) == overtaking;
    });
  };
  EXPECT_EQ(atomics(true, false), (Agreement{317, 317, 317, 0, 0}));
  EXPECT_EQ(atomics(false, false), (Agreement{985, 985, 687, 0, 298}));
  EXPECT_EQ(atomics(false, true), (Agreement{607, 552, 495, 4, 108}));
}

// Two words of each lane go through: what it compares with, and what it stores.
TEST(MeasuredStages, CompareAndSwapTakesMore) {
  Agreement swaps =
      agreement([](const MeasuredPattern& pattern, const arch::Counts&) { return is_swap(pattern); });
  EXPECT_EQ(swaps, (Agreement{50, 21, 2, 0, 48}));
}

// One address bit more leads to another set: lanes at 0 and 2^bit + 128·line meet in a set for one of four lines.
TEST(MeasuredStages, EveryAddressBitLeadsToItsTagSet) {
  u32 seen = 0;
  for (const char* set : {"h200_l1_stages.jsonl.gz", "h200_l1_operations.jsonl.gz"})
    for_each_measured(set, [&](const MeasuredPattern& pattern) {
      if (!pattern.json.at("family").get<std::string>().ends_with("_hash")) return;
      ++seen;
      EXPECT_EQ(arch::count(*arch::find(90), pattern.access).tag_passes,
                pattern.counter("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld"))
          << pattern.json;
    });
  EXPECT_EQ(seen, 104u + 88u);
}

} // namespace
} // namespace warplens::test
