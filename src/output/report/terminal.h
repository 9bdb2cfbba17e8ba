// The report for people: pure functions of the model.
//
// The first screen, of at most 25 lines, is the answer: what is wasted; each cause, with where, why, the change, its gain and
// whether it costs time; a line for each kernel; the accesses that cost most. `lines` adds a table for each kernel with all
// of its accesses. `details` adds what a reader of profiler output looks for: L1 efficiency, the table of instructions with
// their PTX, inlined places, accesses that never ran, and the hardware counters that each column predicts.
#pragma once
#include "summary/model.h"
#include <functional>

namespace warplens::report {

using namespace summary; // what is shown

// One table over the whole program, in the place of those of kernels.
enum class Grouping : u8 { none, line, kernel, file, array, range };

struct TerminalOptions {
  u32 width = 80; // no line is longer; at least 60, with details 76
  bool colour = false;
  bool details = false;
  u32 top_lines = 5;   // headlines, source lines of the program and of each kernel; 0: all
  u32 top_kernels = 5; // with a table; 0: all
  bool lines = false;  // a table of each kernel's lines
  Grouping group_by = Grouping::none;
  bool annotate = false; // the source with counts in the margin, in the place of the tables of kernels
  // annotate: the whole text of a file, as the compiler names it; empty where it is not at hand. May be empty itself.
  std::function<std::string_view(const std::string& file)> source{};
};

std::string terminal(const Model&, const TerminalOptions&);

} // namespace warplens::report
