// Registers that lie in memory: whether one does is decided at each execution, by the addresses (lower/aliasing.cpp
// says which ops may try, and why nobody can tell).
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// A load of all lanes from the host address `memory` on: makes the register an alias of it, if the op may and the lanes lie
// in a row.
bool alias_source(const Exec&, const Op&, const Strides& host_stride, u64 memory, Value& to);

// Where the store that the op's result is for will put all lanes in a row, if it will and no source lies in its way;
// else null. Who computes the result there makes the register an alias of it.
void* result_target(Exec&, const Op&);

// Whether lanes that may lie in memory can be copied to other memory in any order.
bool may_copy(const Value& from, u64 to);

} // namespace warplens::sim
