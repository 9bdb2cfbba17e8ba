// One array has one layout. Each access is advised on by itself, so that those of one array may be told to do different things: to give
// its rows to warps, to let another index run along them, to take turns. Where that is so, the other order of indices is said of all,
// since it serves all that are equally far apart. And it is said of none where another kernel, which writes what these read, or reads
// what they write, would lose more than they gain. Where it loses less, that is subtracted from the gain.
//
// What one loop reads changes together, too: where a warp takes the rows of one array, it takes those of the others.
#pragma once
#include "summary/model.h"
#include <deque>

namespace warplens::summary {

// `launches`: what the advice of each kernel looked at, in the same order. Kernels that call an array the same are taken to mean one.
void agree_on_layouts(std::vector<Kernel>& kernels, const std::deque<advise::Launch>& launches);

} // namespace warplens::summary
