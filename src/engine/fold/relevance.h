// Which instructions of a function can matter for counting: those whose results may reach an address, a
// branch, a guard, a barrier or the choice of lanes in a warp-level instruction. Only they are followed; what
// a kernel merely computes and stores is not looked at.
//
// By registers, without regard to the order of instructions: a register that matters anywhere matters
// everywhere. What passes through memory does not count: it is unknown when it comes back. Arguments of calls
// always do.
#pragma once
#include "ir/module.h"

namespace warplens::fold {

std::vector<bool> relevant_instructions(const ir::Module&, const ir::Function&);

// By parameter of a kernel, in order: whether what it is given can reach such a place. Two launches that differ in the
// others alone have the same addresses and branches. A parameter that is used in any way but a load from its name counts
// as one that can.
std::vector<bool> relevant_parameters(const ir::Module&, const ir::Function&);

} // namespace warplens::fold
