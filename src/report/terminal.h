// The report for people: pure functions of the model.
//
// The first screen holds the answer: for each kernel a headline that names the worst line, what is wrong, how
// much is wasted and the fix. Then one table per kernel, worst lines first, and what could not be counted.
// `details` adds what a reader of profiler output looks for: L1 efficiency, the table of instructions with
// their PTX, inlined places, accesses that never ran, and the hardware counters that each column predicts.
#pragma once
#include "report/model.h"

namespace warplens::report {

struct TerminalOptions {
  u32 width = 80; // no line is longer; at least 76, what the table needs
  bool colour = false;
  bool details = false;
  u32 top = 5; // source lines per kernel, kernels with a headline; 0: all
};

std::string terminal(const Model&, const TerminalOptions&);

} // namespace warplens::report
