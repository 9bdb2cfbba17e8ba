// What an access costs, in words: shared by the terminal and the SVG drawing.
#pragma once
#include "explain/model/explanation.h"

namespace warplens::explain {

// "1 instruction, 2 transactions of 64 and 32 bytes = 96 moved, 64 asked for"
std::string cost_sentence(const Explanation&, const arch::Counts&, const std::map<u64, u64>& sizes);
std::string cost_sentence(const Explanation&); // of the drawn warp

// Is there no way to serve these lanes with less? So a broadcast of one word is not to blame for the rest of
// its sector.
bool as_few_as_possible(const Explanation&, const arch::Counts&);
// Lines of 128 bytes that L1 is asked for, and how many the bytes would fill: where L1 works in lines of four
// sectors.
bool has_lines(const Explanation&);
double ideal_lines(const arch::Counts&, u32 bytes);

} // namespace warplens::explain
