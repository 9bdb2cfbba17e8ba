// Control flow of one function: predecessors, reverse post-order, immediate post-dominators.
#pragma once
#include "ir/module.h"

namespace warplens::ir {

struct Cfg {
  std::vector<std::vector<BlockId>> predecessors;
  std::vector<BlockId> reverse_post_order; // reachable blocks only
  // Where lanes that diverge at the end of a block meet again; not valid where paths only meet at the exit.
  std::vector<BlockId> post_dominator; // [blocks]
};
Cfg analyse(const Function&);

} // namespace warplens::ir
