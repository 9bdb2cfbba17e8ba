// What a translated function does not need, and its registers by what they hold.
//
// Machine code uses a register for one value after the other, and its translation computes more than is asked for: both words of a sum
// beside the sum, carries, predicates that nobody reads. Behind this
//
//   * a register holds values that flow together, and no others (its name has a number added), so that an address leads to where it
//     comes from (ir/origin.h);
//   * a result goes where it is copied to;
//   * what nobody reads is gone. Accesses stay, as the GPU performs them.
//
// Blocks, lines, sites and meetings stay as they are.
#pragma once
#include "ir/module.h"

namespace warplens::ir {
void tidy(const Module&, Function&);
} // namespace warplens::ir
