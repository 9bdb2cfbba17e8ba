// How users name a compute capability.
#pragma once
#include "arch/arch.h"
#include "base/diagnostic.h"
#include <string_view>
#include <vector>

namespace warplens::driver {

// "90", "9.0", "sm_90", "compute_90" → the row of 9.0.
Result<const arch::Architecture*> architecture_named(std::string_view name);
// A list of them, separated by commas: "10,2.0,sm_90". At least one.
Result<std::vector<const arch::Architecture*>> architectures_named(std::string_view names);

} // namespace warplens::driver
