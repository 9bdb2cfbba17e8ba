// What a launch needs before its first CTA begins.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Checks the shape and what the kernel needs against what the device has; fills in the rest of the state.
std::optional<Fault> prepare(LaunchState&);

} // namespace warplens::sim
