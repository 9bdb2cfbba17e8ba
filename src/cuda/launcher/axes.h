// The axes y and z that a kernel needs: whether its blocks, and its grid, are to have more than one dimension.
//
//   (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x     a thread's place in its block, whatever the block's shape
//   threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0                the choice of one thread
//
// ask for none, and neither does a block's place in the grid. Libraries write them for every shape: cooperative groups do.
#pragma once
#include "ir/module.h"

namespace warplens::launcher {

// Of %tid.y, %tid.z, %ctaid.y and %ctaid.z those whose value gets anywhere but into such a place or choice.
std::vector<ir::Special> axes_of(const ir::Module&, const ir::Function& kernel);

} // namespace warplens::launcher
