// The third set of measurements: local elements of one and four words, and what shared atomics cost when
// lanes meet, by operation (tests/arch/data/README.md).
#include "arch/count.h"
#include "arch/measured.h"
#include <gtest/gtest.h>
#include <set>

namespace warplens::test {
namespace {

constexpr const char* third_set = "h100_local_and_shared_atomics.jsonl.gz";

arch::Counts count90(const access::WarpAccess& access) { return arch::count(*arch::find(90), access); }

u32 for_each_atomic(const std::set<std::string>& forms,
                    const std::function<void(const MeasuredPattern&)>& f) {
  u32 seen = 0;
  for_each_measured(third_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "shared" || !forms.contains(pattern.json.at("form"))) return;
    ++seen;
    f(pattern);
  });
  return seen;
}

TEST(MeasuredThirdSet, LocalElementsOfOneAndFourWords) {
  u32 seen = 0;
  for_each_measured(third_set, [&](const MeasuredPattern& pattern) {
    if (pattern.space != "local") return;
    ++seen;
    arch::Counts counts = count90(pattern.access);
    EXPECT_EQ(counts.requests, pattern.counter("l1tex__t_requests_pipe_lsu_mem_local_op_ld")) << pattern.json;
    EXPECT_EQ(counts.sectors, pattern.counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld")) << pattern.json;
    EXPECT_EQ(counts.tags, pattern.counter("l1tex__t_set_accesses_pipe_lsu_mem_local_op_ld")) << pattern.json;
  });
  EXPECT_EQ(seen, 60u);
}

TEST(MeasuredThirdSet, SharedAtomicsTakeATurnPerLane) {
  u32 seen = for_each_atomic(
      {"add 1, result used", "add 5", "add variable", "add variable, result used", "sub 1", "max", "or",
       "exch"},
      [](const MeasuredPattern& pattern) {
        arch::Counts counts = count90(pattern.access);
        EXPECT_EQ(counts.wavefronts, pattern.counter("memory_l1_wavefronts_shared")) << pattern.json;
        EXPECT_EQ(counts.ideal_wavefronts, pattern.counter("memory_l1_wavefronts_shared_ideal"))
            << pattern.json;
        EXPECT_EQ(counts.data_wavefronts,
                  pattern.counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom"))
            << pattern.json;
      });
  EXPECT_EQ(seen, 160u);
}

// src/hardware/arch/MODEL.md states these two as differences: the access does not say which atomic it is.
TEST(MeasuredThirdSet, CompareAndSwapTakesTwoPassesPerTurn) {
  u32 seen = for_each_atomic({"cas"}, [](const MeasuredPattern& pattern) {
    EXPECT_EQ(2 * count90(pattern.access).wavefronts, pattern.counter("memory_l1_wavefronts_shared"))
        << pattern.json;
  });
  EXPECT_EQ(seen, 20u);
}

TEST(MeasuredThirdSet, IncrementsWithoutResultShareTheirWordLikeLoads) {
  u32 seen = for_each_atomic({"add 1"}, [](const MeasuredPattern& pattern) {
    access::WarpAccess as_load = pattern.access;
    as_load.kind = access::Kind::load;
    EXPECT_EQ(count90(as_load).wavefronts, pattern.counter("memory_l1_wavefronts_shared")) << pattern.json;
  });
  EXPECT_EQ(seen, 20u);
}

} // namespace
} // namespace warplens::test
