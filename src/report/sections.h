// The sections of the terminal report, one function each; terminal.cpp puts them in order.
#pragma once
#include "report/terminal.h"
#include "text/style.h"

namespace warplens::report {

using text::Style;

struct Page {
  const Model& model;
  TerminalOptions options;
  Style style;
};

std::string title_section(const Page&);                 // what was counted, and how the program ended
std::string headline_section(const Page&);              // the answer
std::string kernel_section(const Page&, const Kernel&); // one table
std::string problem_section(const Page&);               // failed, unknown, not implemented, warnings
std::string closing_section(const Page&);               // spills, where to read on
std::string pearson_table(const Page&, const Kernel&);  // --details: instructions, L1 and L2 transactions
std::string legend_section(const Page&);                // --details: the counters that each column predicts

// "matmul.cu:15"; "PTX line 77" without line information.
std::string place_name(const Line&);
// "load global 4 B"
std::string access_name(const Row&);
// "stride 512 bytes (128 floats) in 50% of warps"
std::string pattern_text(const Row&);

} // namespace warplens::report
