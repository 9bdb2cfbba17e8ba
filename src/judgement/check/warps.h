// The warps of a block, as few cases as stand for all: where a warp begins is a symbol, how its lanes lie is known.
//
//   256           threadIdx.x = 32*warp.x + lane
//   16 x 16       threadIdx.x = lane % 16, threadIdx.y = 2*warp.y + lane/16
//   24 x 3        every warp is a case of its own, the last with 8 lanes
//   not known     blockDim.x = 32*n, so that a warp lies in one row; the rest are symbols
#pragma once
#include "base/types.h"
#include "symbolic/warp/pool.h"
#include <optional>
#include <vector>

namespace warplens::check {

// Numbers that the launch decides: symbols of kind `launch` have one of these in Symbol::a.
enum class LaunchSymbol : u32 {
  block_x, // the grid's, blockIdx
  block_y,
  block_z,
  grid_x, // gridDim
  grid_y,
  grid_z,
  rows_of_warps, // blockDim.x / 32
  size_y,        // blockDim.y
  size_z,
  thread_y, // of a warp that lies in one row
  thread_z,
  warp_x, // threadIdx.x / 32 of such a warp
  warp_y, // threadIdx.y / rows of a warp of several rows
  warp_z  // threadIdx.z / planes of a warp of several planes
};

// step * symbol + lanes
struct Component {
  i64 step = 0;
  LaunchSymbol symbol{};
  symbolic::Range range; // of the symbol
  symbolic::Lanes lanes{};
};
struct WarpCase {
  Component thread[3], size[3];
  u32 active = full_mask; // the lanes that have a thread
};

// `block`: none where any with blockDim.x a multiple of 32 is meant.
// `most`: threads that it has at most.
std::vector<WarpCase> warp_cases(const std::optional<Dim3>& block, u32 most = 1024);
// Each warp of a block as a case: threadIdx is known of every lane.
std::vector<WarpCase> all_warps(const Dim3& block);

} // namespace warplens::check
