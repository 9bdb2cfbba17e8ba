// Which grids and blocks can be launched. The numbers are a compute capability's (a row of arch/table.cpp); the
// question has one answer, here, for the runtime, the emulator and `explain`.
#pragma once
#include "base/types.h"
#include <array>
#include <optional>
#include <string>

namespace warplens {

struct LaunchLimits {
  u32 threads_per_block = 1024;
  std::array<u32, 3> block{1024, 1024, 64};
  std::array<u32, 3> grid{2147483647, 65535, 65535};
};

struct LaunchProblem {
  enum class Of : u8 { block, grid } of = Of::block;
  std::string what; // "a block of 1024×1×1 threads cannot be launched"
  std::string most; // "a block has at least 1 and at most 512×512×64 threads, 512 in all"
};

// Why these limits forbid the launch; nothing where they allow it.
std::optional<LaunchProblem> launch_problem(const LaunchLimits&, const Dim3& grid, const Dim3& block);

} // namespace warplens
