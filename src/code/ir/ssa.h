// A function in static single assignment form, beside its instructions, which stay as they are: every definition of a
// register is a value with a number, and every use says which it reads. Where definitions meet, a phi is one more.
//
// PTX of compilers is nearly in this form: registers with one definition that dominates all uses need nothing, and only
// the others are renamed (by dominance frontiers, pruned by liveness: R. Cytron et al., "Efficiently Computing Static
// Single Assignment Form and the Control Dependence Graph", TOPLAS 13(4), 1991).
//
// A guarded definition keeps the old value in the lanes that the guard excludes: it reads what it overwrites.
#pragma once
#include "ir/cfg.h"

namespace warplens::ir {

inline constexpr u32 no_value = 0xffffffffu; // nothing was assigned

struct Phi {
  RegisterId reg;
  u32 value = no_value;
  std::vector<u32> incoming; // [predecessors of the block]
};

struct Ssa {
  std::vector<u32> of_operand;        // [operands]: what a register, or an address's, reads or defines
  std::vector<u32> overwritten;       // [operands]: what a definition takes the place of
  std::vector<u32> of_guard;          // [instructions]
  std::vector<std::vector<Phi>> phis; // [blocks]
  std::vector<BlockId> block_of;      // [values]
  std::vector<BlockId> dominator;     // [blocks]: immediate; not valid of block 0 and where it is not reached
  std::vector<u32> enter, leave;      // [blocks]: a walk over the dominator tree

  u32 values() const { return static_cast<u32>(block_of.size()); }
  bool dominates(BlockId a, BlockId b) const {
    return enter[a.value] <= enter[b.value] && leave[b.value] <= leave[a.value];
  }
};

Ssa single_assignment(const Function&, const Cfg&);

} // namespace warplens::ir
