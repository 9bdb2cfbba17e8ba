// Dynamic parallelism: the device runtime's functions that compilers call for a launch in a kernel.
#pragma once
#include "sim/exec/caller.h"

namespace warplens::sim {

// Whether a function of this name is done here, also where the program has NVIDIA's definition of it (libcudadevrt), which
// ends in calls of the driver that only a GPU answers.
bool is_device_runtime(std::string_view name);

// True when the name is known and the call is done.
bool call_device_runtime(const Caller&, std::string_view name);

} // namespace warplens::sim
