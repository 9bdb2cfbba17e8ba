// Loads that a loop repeats only because one of its stores might change what they read: their address is the same in each
// round, and the compiler would have moved them out of the loop had it known that the pointers lead to different memory.
#pragma once
#include "check/flow.h"
#include <optional>

namespace warplens::check {

// Of a load of global memory: a store in the same loop, for whose sake it is repeated; nothing where there is none, or where
// something else keeps the load in its place (a barrier, an atomic operation, a call, volatile).
std::optional<u32> store_that_repeats(const Flow&, u32 load, u32 block, u32 address);

} // namespace warplens::check
