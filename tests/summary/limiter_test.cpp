// What limits a kernel, held against what Nsight Compute saw on an H100: tests/hardware/data/h100_limiters.json has 237 kernels of
// tests/hardware/variants*.cu. memory_percent is gpu__compute_memory_throughput, compute_percent sm__throughput, of the peak;
// memory_stalls the share of warp stalls that wait for memory (long and short scoreboard, lg_throttle, mio_throttle, drain,
// tex_throttle, imc_miss, membar). For the profiler memory limits a kernel where it is at 60 % of its peak and above compute, or
// where at least half of the stalls are of memory.
#include "summary/bottleneck.h"
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warplens::summary {
namespace {

TEST(Limiter, AgreesWithTheProfiler) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/hardware/data/h100_limiters.json");
  const nlohmann::json data = nlohmann::json::parse(file);
  std::map<Limiter, u32> all, by_memory;
  u32 kernels = 0;
  for (const nlohmann::json& row : data["kernels"]) {
    std::map<std::string, nlohmann::json> kernel;
    for (std::size_t i = 0; i < row.size(); ++i) kernel[data["columns"][i]] = row[i];
    const double memory = kernel["memory_percent"], compute = kernel["compute_percent"];
    const bool seen = (memory >= 60 && memory >= compute) || kernel["memory_stalls"].get<double>() >= 0.5;
    Bottleneck sum;
    sum.memory = kernel["memory_cycles"], sum.issue = kernel["issue_cycles"],
    sum.waiting = kernel["waiting_cycles"];
    if (kernel["atomics_wait"].get<bool>())
      sum.atomics = 100'000'000; // how long is not in the data; all are long
    const Limiter said = limiter(sum, 1);
    ++kernels, ++all[said];
    if (seen) ++by_memory[said];
  }
  EXPECT_EQ(kernels, 237u);
  EXPECT_EQ(all[Limiter::memory], 142u);
  EXPECT_EQ(by_memory[Limiter::memory], 140u);
  EXPECT_EQ(all[Limiter::unclear], 34u);
  EXPECT_EQ(all[Limiter::arithmetic], 6u);
  EXPECT_EQ(by_memory[Limiter::arithmetic], 3u) << "of which two have atomics, and are not clear in a report";
}

TEST(Limiter, AtomicsThatWaitLessThanTheInstructionsTakeAreNotTheLimit) {
  Bottleneck sum;
  sum.memory = 3000, sum.issue = 20'000, sum.atomics = 10'000;
  EXPECT_EQ(limiter(sum, 1), Limiter::arithmetic);
  sum.atomics = 40'000;
  EXPECT_EQ(limiter(sum, 1), Limiter::memory);
  sum.waiting = 200'000;
  EXPECT_EQ(limiter(sum, 1), Limiter::unclear) << "loads may wait as long";
}

} // namespace
} // namespace warplens::summary
