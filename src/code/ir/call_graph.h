// Who may call whom. A direct call names its callee; what goes through a pointer may reach every function whose
// address is taken somewhere in the module, by an instruction or by a variable: pointers travel through memory,
// also from one kernel to another. Kernels are not called: a function that gets the address of one launches it.
#pragma once
#include "ir/module.h"

namespace warplens::ir {

struct Callees {
  std::vector<FunctionId> direct; // in the order of the text, each as often as it is called
  bool indirect = false;          // it calls through pointers, too
};
Callees callees(const Module&, const Function&);

// Functions that may have their turn when `root` runs: itself first, then in the order in which calls are
// found. Those that are declared only are not among them.
struct Reachable {
  std::vector<FunctionId> functions;
  bool indirect = false; // one of them calls through pointers
};
Reachable reachable(const Module&, FunctionId root);

} // namespace warplens::ir
