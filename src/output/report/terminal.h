// The report for people: pure functions of the model.
//
// The first screen holds the answer: for each cause of waste a headline that names the arrays and lines, what is wrong, how
// much is wasted and the fix, and the kernels that have nothing to fix. Then the worst lines of the program, one table per
// kernel, worst lines first, and what could not be counted.
// `details` adds what a reader of profiler output looks for: L1 efficiency, the table of instructions with
// their PTX, inlined places, accesses that never ran, and the hardware counters that each column predicts.
#pragma once
#include "summary/model.h"
#include <functional>

namespace warplens::report {

using namespace summary; // what is shown

// One table over the whole program, in the place of those of kernels.
enum class Grouping : u8 { none, line, kernel, file, array };

struct TerminalOptions {
  u32 width = 80; // no line is longer; at least 60, with details 76
  bool colour = false;
  bool details = false;
  u32 top_lines = 5;    // headlines, source lines of the program and of each kernel; 0: all
  u32 top_kernels = 5;  // with a table; 0: all
  bool summary = false; // no tables of kernels
  Grouping group_by = Grouping::none;
  bool annotate = false; // the source with counts in the margin, in the place of the tables of kernels
  // annotate: the whole text of a file, as the compiler names it; empty where it is not at hand. May be empty itself.
  std::function<std::string_view(const std::string& file)> source{};
};

std::string terminal(const Model&, const TerminalOptions&);

} // namespace warplens::report
