// Which lanes of a warp may execute an instruction together.
#pragma once
#include "check/analysis.h"

namespace warplens::check {

// Conditions of branches whose edge is the only way to the block narrow the sets, and so does the instruction's guard.
// What else depends on a divergent branch (loops, early exits, ways that meet) may be executed by any of the lanes.
ActiveLanes active_lanes(Analysis&, u32 instruction, u32 block);

} // namespace warplens::check
