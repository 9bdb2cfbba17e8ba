// How many blocks of a kernel fit on one multiprocessor at a time.
#pragma once
#include "runtime/state.h"

namespace warplens::runtime {

// The least of what threads, blocks, registers and shared memory allow (arch/occupancy.h). `kernel` is resolved. 0: such a block
// never fits.
u32 active_blocks(const Runtime&, const Kernel& kernel, u32 threads, u64 dynamic_shared);

} // namespace warplens::runtime
