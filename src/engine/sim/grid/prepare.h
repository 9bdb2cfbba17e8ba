// What a launch needs before its first CTA begins.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// Checks the shape and what the kernel needs against what the device has; fills in the rest of the state.
std::optional<Fault> prepare(LaunchState&);

// The kernel's name as people call it, where the launch has one; else the PTX function's.
const std::string& kernel_name(const LaunchState&);

} // namespace warplens::sim
