// Control flow of one function: predecessors, reverse post-order, immediate post-dominators, and where lanes meet again.
#pragma once
#include "ir/module.h"

namespace warplens::ir {

struct Cfg {
  std::vector<std::vector<BlockId>> predecessors;
  std::vector<BlockId> reverse_post_order; // reachable blocks only
  // The first block that all paths from the end of a block come to; not valid where they only meet at the exit.
  std::vector<BlockId> post_dominator; // [blocks]
  // Where lanes that diverge at the end of a block wait for each other. In a kernel that is where those meet that go on: a
  // branch to its end is a predicated EXIT in machine code, which nobody waits for. Else the post-dominator. Machine code says it itself (Function::meetings).
  std::vector<BlockId> meeting; // [blocks]
};
Cfg analyse(const Function&);

} // namespace warplens::ir
