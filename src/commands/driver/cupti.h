// The CUPTI that counts every launch's instructions, which not every version does (src/output/measured/recorder/cupti/instructions.h).
#pragma once
#include <string>

namespace warplens::driver {

// CUPTI 12.9, else 12.8, of Nsight Compute, which brings one along, or of a toolkit. Empty where there is none.
std::string find_cupti_that_counts_all();

} // namespace warplens::driver
