// Names are those of a report of `ncu --set full` (Nsight Compute 2025.3.1 on an H100, driver 580.159.04, 27 November 2026) and of
// its section files for memory and source counters (data/nsight_compute_2025.3.txt).
#include "arch/profiler_counter_tables.h"
#include "arch/profiler_counters.h"
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace warplens::test {
namespace {

using arch::counter_meaning;

TEST(ProfilerCounters, EveryNameOfNsightComputeHasAMeaning) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA) + "/nsight_compute_2025.3.txt");
  std::size_t names = 0;
  for (std::string name; std::getline(file, name); ++names) {
    const auto meaning = counter_meaning(name);
    ASSERT_TRUE(meaning.has_value()) << name;
    EXPECT_GT(meaning->counts.size(), 5u) << name;
  }
  EXPECT_GT(names, 900u);
}

TEST(ProfilerCounters, AMeaningIsMadeOfTheParts) {
  const auto sectors = counter_meaning("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  ASSERT_TRUE(sectors.has_value());
  for (const char* part : {"32 bytes", "global memory", "loads", "added up"})
    EXPECT_NE(sectors->counts.find(part), std::string::npos) << part;
  EXPECT_EQ(sectors->ours, "sectors");
  EXPECT_NE(counter_meaning("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")->counts.find("local"),
            std::string::npos);
  EXPECT_EQ(counter_meaning("derived__memory_l1_wavefronts_shared_excessive")->ours,
            "wavefronts - ideal_wavefronts");
  EXPECT_EQ(counter_meaning("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")->ours,
            "wavefronts");
  EXPECT_FALSE(counter_meaning("sm__sass_thread_inst_executed_op_ffma_pred_on.sum")->memory);
  EXPECT_FALSE(counter_meaning("launch__registers_per_thread")->memory);
  EXPECT_FALSE(counter_meaning("no_such_counter").has_value());
  EXPECT_FALSE(counter_meaning("").has_value());
  EXPECT_FALSE(counter_meaning("xyz__t_sectors.sum").has_value());
}

TEST(ProfilerCounters, RulesLabelsAndNvprofsNamesAreKnown) {
  for (const char* name :
       {"Uncoalesced Global Accesses", "uncoalesced shared accesses", "Mem Busy", "L1/TEX Hit Rate",
        "gld_efficiency", "shared_replay_overhead", "shared_ld_bank_conflict", "gst_incoherent"})
    EXPECT_TRUE(counter_meaning(name).has_value()) << name;
  EXPECT_TRUE(counter_meaning("Memory Throughput")->percent);
  EXPECT_FALSE(counter_meaning("Memory Throughput (Gbyte/s)")->percent);
  EXPECT_FALSE(counter_meaning("gld_throughput")->percent);
}

TEST(ProfilerCounters, AValueIsHeldAgainstItsIdeal) {
  EXPECT_NE(
      arch::judge_counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 8).find("25%"),
      std::string::npos);
  EXPECT_NE(arch::judge_counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 25)
                .find("4.00 times"),
            std::string::npos);
  EXPECT_TRUE(
      arch::judge_counter("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.pct", 25).empty());
  EXPECT_NE(arch::judge_counter("gld_efficiency", 12.5).find("8.00 times"), std::string::npos);
  EXPECT_NE(arch::judge_counter("gld_efficiency", 100).find("nothing is lost"), std::string::npos);
  EXPECT_TRUE(arch::judge_counter("l1tex__t_sectors.sum", 5).empty()) << "a sum says nothing by itself";
}

// A row that another one hides would never be said.
TEST(ProfilerCounters, EveryRowOfTheTablesAnswersForItsName) {
  const auto told_of = [](const std::string& name) {
    return counter_meaning(name).value_or(arch::CounterMeaning{}).counts;
  };
  for (const arch::counters::Named& row : arch::counters::named)
    EXPECT_TRUE(told_of(std::string(row.name)).starts_with(row.counts)) << row.name;
  for (const arch::counters::Quantity& row : arch::counters::quantities)
    EXPECT_TRUE(told_of(fmt::format("{}__{}", row.unit, row.begins)).starts_with(row.counts))
        << row.unit << ' ' << row.begins;
  for (const arch::counters::Stall& row : arch::counters::stalls)
    EXPECT_NE(told_of(fmt::format("smsp__average_warps_issue_stalled_{}", row.name)).find(row.why),
              std::string::npos)
        << row.name;
}

// Held warps are no unit that is busy: none of them waits for a unit that has many.
TEST(ProfilerCounters, OccupancyIsNoUnitThatLimits) {
  const char* name = "sm__warps_active.avg.pct_of_peak_sustained_active";
  EXPECT_EQ(arch::judge_counter(name, 5), "5% of the warps that an SM can hold.");
  for (const char* one : {name, "smsp__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy",
                          "sm__maximum_warps_per_active_cycle_pct", "achieved_occupancy"}) {
    const auto meaning = counter_meaning(one);
    ASSERT_TRUE(meaning.has_value()) << one;
    EXPECT_NE(meaning->costs.find("hide little of the latency"), std::string::npos) << one;
  }
}

TEST(ProfilerCounters, OnlySumsAreToBeDivided) {
  const auto divides = [](std::string_view name) {
    return counter_meaning(name)->costs.starts_with("Divide it by");
  };
  EXPECT_TRUE(divides("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
  EXPECT_TRUE(divides("shared_load_transactions"));
  EXPECT_FALSE(divides("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"));
  EXPECT_FALSE(divides("gld_transactions_per_request"));
  EXPECT_FALSE(divides("L1 Conflicts Shared N-Way"));
}

TEST(ProfilerCounters, SectorsAreDividedByTheirOwnRequests) {
  EXPECT_EQ(arch::counter_per("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(arch::counter_per("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
            "smsp__sass_inst_executed_op_shared_st.sum");
  EXPECT_EQ(arch::counter_per("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"), "");
}

} // namespace
} // namespace warplens::test
