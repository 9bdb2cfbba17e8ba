// The L1's tag and data stages against every measured access to global memory: what is exact is held to be, and of the
// classes that are estimates how many agree, and to which side the others differ (docs/MODEL.md).
#include "arch/count.h"
#include "arch/measured.h"
#include "arch/rules/l1_stages.h"
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using access::Kind;

constexpr const char* sets[] = {"h100_patterns.jsonl.gz", "h100_wide_loads.jsonl.gz",
                                "h200_l1_stages.jsonl.gz", "h200_l1_loads.jsonl.gz"};

struct Agreement {
  u32 seen = 0, tag_passes = 0, data_wavefronts = 0; // equal ones
  u32 counted_more = 0, measured_more = 0;           // of data wavefronts
  bool operator==(const Agreement&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Agreement& a) {
  return out << a.seen << " seen, tag passes " << a.tag_passes << ", data wavefronts " << a.data_wavefronts
             << ", more counted " << a.counted_more << ", more measured " << a.measured_more;
}

// Of the patterns that `wanted(access, counts)` names.
template <class F> Agreement agreement(F&& wanted) {
  static const std::map<std::string, std::string> suffix{
      {"load", "ld"}, {"store", "st"}, {"reduction", "red"}, {"atomic", "atom"}};
  Agreement out;
  for (const char* set : sets)
    for_each_measured(set, [&](const MeasuredPattern& pattern) {
      const std::string data = "l1tex__data_pipe_lsu_wavefronts_mem_lgds";
      if (pattern.space != "global" || pattern.op == "async_copy" || !pattern.has(data)) return;
      arch::Counts counts = arch::count(*arch::find(90), pattern.access);
      if (!wanted(pattern.access, counts)) return;
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
  Agreement loads =
      agreement([](const access::WarpAccess& a, const arch::Counts&) { return a.kind == Kind::load; });
  EXPECT_EQ(loads, (Agreement{1497, 1497, 1497, 0, 0}));
}

TEST(MeasuredStages, StoresAreExactButForNarrowOnesOfManyPasses) {
  auto narrow_and_many = [](const access::WarpAccess& a, const arch::Counts& counts) {
    return a.bytes < 4 && counts.tag_passes > arch::passes_together(a.bytes);
  };
  Agreement stores = agreement([&](const access::WarpAccess& a, const arch::Counts& counts) {
    return a.kind == Kind::store && !narrow_and_many(a, counts);
  });
  EXPECT_EQ(stores, (Agreement{702, 702, 702, 0, 0}));
  Agreement others = agreement([&](const access::WarpAccess& a, const arch::Counts& counts) {
    return a.kind == Kind::store && narrow_and_many(a, counts);
  });
  EXPECT_EQ(others, (Agreement{123, 123, 98, 17, 8}));
}

TEST(MeasuredStages, AtomicsAreEstimatesFromBelow) {
  Agreement reductions =
      agreement([](const access::WarpAccess& a, const arch::Counts&) { return a.kind == Kind::reduction; });
  EXPECT_EQ(reductions, (Agreement{393, 382, 332, 0, 61}));
  Agreement atomics =
      agreement([](const access::WarpAccess& a, const arch::Counts&) { return a.kind == Kind::atomic; });
  EXPECT_EQ(atomics, (Agreement{373, 363, 314, 0, 59}));
}

// One address bit more leads to another set: lanes at 0 and 2^bit + 128·line meet in a set for one of four lines.
TEST(MeasuredStages, EveryAddressBitLeadsToItsTagSet) {
  u32 seen = 0;
  for_each_measured(sets[2], [&](const MeasuredPattern& pattern) {
    if (pattern.json.at("family") != "stage_hash") return;
    ++seen;
    EXPECT_EQ(arch::count(*arch::find(90), pattern.access).tag_passes,
              pattern.counter("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld"))
        << pattern.json;
  });
  EXPECT_EQ(seen, 104u);
}

} // namespace
} // namespace warplens::test
