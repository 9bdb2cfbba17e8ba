// Control flow of one function as the analysis asks for it: loops, and how far the lanes that part at a branch stay apart.
//
// Two things are assumed of the hardware, as the emulator does it and docs/CHECK.md says: lanes that part meet again at
// the immediate post-dominator of the branch, and not before.
#pragma once
#include "ir/ssa.h"
#include <map>

namespace warplens::check {

using Blocks = std::vector<bool>; // [blocks]

// What lanes that take one way out of a branch come through before the others may join them.
struct Arm {
  u32 successor = 0;
  Blocks blocks;
};
struct Split {
  u32 block = 0; // that ends with the branch
  std::vector<Arm> arms;
  ir::BlockId meeting;             // not valid where the lanes meet at the exit alone
  bool repeats = false;            // lanes may come to the branch again before they meet
  bool reaches(u32 b) const;       // before or where the lanes meet
  bool goes_apart_to(u32 b) const; // before
};

struct Loop {
  u32 header = 0;
  Blocks body;
};

class Flow {
public:
  Flow(const ir::Module&, const ir::Function&);

  const ir::Module& module;
  const ir::Function& function;
  ir::Cfg cfg;
  ir::Ssa ssa;
  std::vector<Loop> loops;
  std::vector<std::vector<u32>> loops_of; // [blocks]: headers of the loops that the block is in, sorted
  bool irreducible = false; // a cycle that is no loop: nothing is known of what goes round in it

  const Loop* loop_at(u32 header) const;
  const Split& split(u32 block); // at the branch that ends the block
  // May what two of the predecessors bring to block `b` come from lanes that parted at the split?
  bool joins(const Split&, u32 b, const std::vector<ir::BlockId>& predecessors) const;
  // Is block `b` in an arm, without being reached through one edge of the split alone?
  bool partly_controls(const Split&, u32 b) const;
  // May lanes leave the loop one after the other, because of the split?
  bool leaves_apart(const Split&, const Loop&) const;
  // The edge from `block` to its `successor` is the only way there.
  bool only_way(u32 block, u32 successor) const;
  // Of a conditional end of a block: its last instruction; null where it has none.
  const ir::Instruction* conditional_end(u32 block) const;

private:
  void find_loops();
  std::map<u32, Split> splits_;
};

} // namespace warplens::check
