// Calls of functions that are declared but not defined.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// True when the name is known and the call was made.
bool call_builtin(Exec&, const Op&, const ir::Function& callee, const CallSite&);

} // namespace warplens::sim
