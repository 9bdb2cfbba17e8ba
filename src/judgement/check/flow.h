// Control flow of one function as the analysis asks for it: loops, and how far the lanes that part at a branch stay apart.
//
// Two things are assumed of the hardware, as the emulator does it and src/judgement/check/CHECK.md says: lanes that part meet again at
// the immediate post-dominator of the branch, and not before.
#pragma once
#include "ir/ssa.h"
#include <map>
#include <optional>

namespace warplens::check {

// Blocks, as a list while they are few: most branches are short, and functions have tens of thousands.
class Blocks {
public:
  Blocks() = default;
  Blocks(std::vector<u32> some, std::size_t of_all); // any order
  bool operator[](u32 block) const;
  bool is_short() const { return flags_.empty(); } // then items() is of use
  const std::vector<u32>& items() const { return items_; }
  template <class F> void each(F&& f) const {
    for (u32 b : items_) f(b);
    for (u32 b = 0; b < flags_.size(); ++b)
      if (flags_[b]) f(b);
  }

private:
  std::vector<u32> items_; // sorted
  std::vector<bool> flags_;
};

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

// What a value is computed from, as far as that can be seen.
struct Sources {
  bool thread = false, block = false;     // threadIdx, blockIdx
  bool other = false;                     // whatever else is no constant
  std::vector<ir::VariableId> parameters; // of 64 bits, as pointers are
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
  // [blocks]: the block itself or the nearest above it, in the dominator tree, whose execution the conditional end of its
  // dominator decides; ir::no_value where there is none.
  std::vector<u32> decided_at;

  const Loop* loop_at(u32 header) const; // null where none begins there
  const Split& split(u32 block);         // at the branch that ends the block
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
  // What computes a value; null where that is a phi, or an instruction that some lanes leave out.
  const ir::Instruction* definition(u32 ssa_value) const;
  const Sources& sources(u32 ssa_value);

private:
  void find_loops();
  void find_decisions();
  void find_definitions();
  std::vector<u32> defined_by_; // [values]: an instruction, or ir::no_value
  // All that can be reached from `from` by `next`, without going through blocks that `stops` at.
  template <class Next, class Stops> std::vector<u32> reachable(u32 from, Next&& next, Stops&& stops);
  std::map<u32, Split> splits_;
  std::map<u32, Sources> sources_;
  std::vector<u32> loop_at_; // [blocks]: the index in `loops`
  std::vector<u32> mark_;    // [blocks], of the last walk that came there
  u32 walk_ = 0;
};

// The operand with the address that is judged; none where it is none that is known.
std::optional<u32> address_operand(const ir::Form&, const ir::Instruction&, const ir::Function&);

} // namespace warplens::check
