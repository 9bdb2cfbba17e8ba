// Loads that a thread repeats only because a store between might change what they read: their address is the same, in each
// round of a loop or twice in a row, and the compiler would have loaded once had it known that the pointers lead to
// different memory.
#pragma once
#include "check/flow.h"
#include <optional>

namespace warplens::check {

// Of a load of global memory: the store for whose sake it is repeated; nothing where there is none, or where
// something else keeps the load in its place (a barrier, an atomic operation, a call, volatile).
std::optional<u32> store_that_repeats(const Flow&, u32 load, u32 block, u32 address);

} // namespace warplens::check
