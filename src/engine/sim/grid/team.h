// Threads that are kept between launches: waking one takes a few microseconds, making one ten times that, and
// programs launch small kernels by the thousand.
#pragma once
#include "base/types.h"
#include <functional>

namespace warplens::sim {

// Calls job(0) … job(count - 1), job(0) in the calling thread and the others at the same time in threads of
// their own, as far as the system gives any; returns when all have returned. `job` must not throw. Any thread
// may call, also in a forked child.
void run_together(u32 count, const std::function<void(u32)>& job);

} // namespace warplens::sim
