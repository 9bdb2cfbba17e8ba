// Loops that lanes leave together: of one block, whose rounds a register counts from one constant to another.
#pragma once
#include "ir/cfg.h"
#include "ir/module.h"

namespace warplens::sim {

// Lanes that enter the block together go round equally often, so that the branch at its end never parts them: the register that it asks
// is set to a constant in the only other block that leads here, and a constant is added to it once a round.
bool is_counted_loop(const ir::Module&, const ir::Function&, const ir::Cfg&, ir::BlockId);

} // namespace warplens::sim
