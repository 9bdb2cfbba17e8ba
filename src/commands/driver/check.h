// `warplens check`: every memory access of CUDA code, judged for all launches without running anything.
#pragma once
#include "driver/options/check.h"
#include "driver/options/output.h"

namespace warplens::driver {

// The exit code: 0 nothing found, 1 a finding fails, 2 an input that cannot be judged.
Output check(const CheckOptions&);

} // namespace warplens::driver
