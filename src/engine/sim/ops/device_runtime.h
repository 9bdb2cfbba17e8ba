// Dynamic parallelism: the device runtime's functions that compilers call for a launch in a kernel.
#pragma once
#include "sim/ops/caller.h"

namespace warplens::sim {

// True when the name is known and the call is done.
bool call_device_runtime(const Caller&, std::string_view name);

} // namespace warplens::sim
