// What the counters of NVIDIA's profilers mean: Nsight Compute's metrics, the labels and rules that it shows, and the names of
// nvprof (metrics and events). Names of Nsight Compute are built of parts, unit__quantity_of-what.sum.per_second, and each part
// has a meaning; so a counter that no list has is read, too.
//
// Sources: the descriptions of `ncu --query-metrics` and the section files of Nsight Compute 2025.3.1, the profilers' manuals,
// and what was measured (src/hardware/arch/MODEL.md, tests/hardware/HARDWARE.md).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::arch {

struct CounterMeaning {
  std::string counts; // what is counted, in a sentence
  std::string costs;  // when a value above the ideal costs time; empty: it does not tell
  std::string ours;   // the number of WarpLens that it is (JSON's spelling); empty: none
  bool percent = false;
  bool memory = true; // of memory; else of computing, launches, scheduling
};

// Nothing for a name that neither a profiler nor WarpLens uses.
std::optional<CounterMeaning> counter_meaning(std::string_view name);

// Whole names, and what names that are built of parts begin with: for suggestions.
std::vector<std::string> counter_names();

// What one value of a counter says where it has an ideal: "9.00 of 32: 28% of the bytes in the sectors were asked for".
// Empty where a value says nothing by itself.
std::string judge_counter(std::string_view name, double value);

// The counter whose value, in the same launch, this one is divided by to become a number of one request:
// requests for sectors, instructions for passes. Empty where there is none.
std::string counter_per(std::string_view name);

} // namespace warplens::arch
