// One function of a module against its machine code. Internal to the room.
#pragma once
#include "machine_code/assembled.h"

namespace warplens::assembly {

struct FunctionCode {
  bool compiled = false; // it has code of its own; else it is inlined where it is called, or was not compiled
  std::vector<std::vector<const fatbin::MemoryInstruction*>> of; // by instruction of the function
  // By instruction: its only machine instruction stands behind the only branch that was made of the one that ends its block.
  std::vector<bool> behind_branch;
};

Outcome apply(ir::Module&, const ir::Function&, const FunctionCode&);

} // namespace warplens::assembly
