#include "base/launch_limits.h"
#include <fmt/format.h>

namespace warplens {
namespace {

// Each size first: the product of three large ones may wrap round to a small one.
bool within(const Dim3& size, const std::array<u32, 3>& most) {
  return size.x != 0 && size.y != 0 && size.z != 0 && size.x <= most[0] && size.y <= most[1] &&
         size.z <= most[2];
}

std::string text(const Dim3& size) { return fmt::format("{}×{}×{}", size.x, size.y, size.z); }
std::string text(const std::array<u32, 3>& size) { return text(Dim3{size[0], size[1], size[2]}); }

} // namespace

std::optional<LaunchProblem> launch_problem(const LaunchLimits& limits, const Dim3& grid, const Dim3& block) {
  using Of = LaunchProblem::Of;
  if (!within(block, limits.block) || block.count() > limits.threads_per_block)
    return LaunchProblem{Of::block, fmt::format("a block of {} threads cannot be launched", text(block)),
                         fmt::format("a block has at least 1 and at most {} threads, {} in all",
                                     text(limits.block), limits.threads_per_block)};
  if (!within(grid, limits.grid))
    return LaunchProblem{Of::grid, fmt::format("a grid of {} blocks cannot be launched", text(grid)),
                         fmt::format("a grid has at least 1 and at most {} blocks", text(limits.grid))};
  return std::nullopt;
}

} // namespace warplens
