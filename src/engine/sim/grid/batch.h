// How many neighbouring CTAs run in lockstep as one.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

u32 batch_size(const LaunchState&);

} // namespace warplens::sim
