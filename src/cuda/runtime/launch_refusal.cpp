// See launch_refusal.h: the stream, the shape, what a block needs, what a cooperative grid needs, clusters.
#include "runtime/launch_refusal.h"
#include "runtime/occupancy.h"
#include "runtime/stream.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

using Found = std::optional<Refusal>;

// The error is that of the runtime that the program contains: 13.0 passes on what the driver says (tests/hardware/HARDWARE.md), 11 and 12 answer
// as the document of cudaLaunchKernel does.
Found check_shape(const arch::Limits& limits, const Kernel& kernel, const LaunchRequest& request) {
  std::optional<LaunchProblem> problem = launch_problem(limits.launch(), request.grid, request.block);
  if (!problem) return {};
  return Refusal{kernel.binary->before_13 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue,
                 fmt::format("{}: {}", problem->what, problem->most)};
}

Found check_threads(const Kernel& kernel, const LaunchRequest& request) {
  const auto& [x, y, z] = kernel.info.required_threads;
  const Dim3 required{x, std::max(y, 1u), std::max(z, 1u)}, &block = request.block;
  if (x != 0 && block != required)
    return Refusal{cudaErrorInvalidValue,
                   fmt::format("a block of {}×{}×{} threads, and the kernel was compiled for blocks of "
                               "{}×{}×{} (.reqntid)",
                               block.x, block.y, block.z, required.x, required.y, required.z)};
  const auto& most = kernel.info.max_threads;
  u64 declared = u64{std::max(most[0], 1u)} * std::max(most[1], 1u) * std::max(most[2], 1u);
  if (most[0] == 0 || request.block.count() <= declared) return {};
  return Refusal{cudaErrorInvalidValue,
                 fmt::format("a block of {} threads, and the kernel was compiled for at most {} "
                             "(__launch_bounds__)",
                             request.block.count(), declared)};
}

Found check_shared(const Runtime& runtime, const Kernel& kernel, const LaunchRequest& request) {
  const arch::Limits& limits = runtime.architecture().limits;
  u64 fixed = kernel.info.static_shared;
  u64 allowed = std::max<u64>(limits.shared_per_block, fixed + kernel.max_dynamic_shared);
  if (fixed <= allowed && request.shared <= allowed - fixed) return {};
  return Refusal{
      cudaErrorInvalidValue,
      fmt::format("{} bytes of shared memory and {} dynamic ones, where a block may have {} (more with "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, up to {})",
                  fixed, request.shared, allowed, limits.shared_per_block_optin)};
}

Found check_cooperative(const Runtime& runtime, const Kernel& kernel, const LaunchRequest& request) {
  if (!request.cooperative) return {};
  u64 resident =
      u64{active_blocks(runtime, kernel, static_cast<u32>(request.block.count()), request.shared)} *
      runtime.architecture().part.multiprocessors;
  if (request.grid.count() <= resident) return {};
  return Refusal{cudaErrorCooperativeLaunchTooLarge,
                 fmt::format("a cooperative grid has {} blocks; the device holds {} at a time",
                             request.grid.count(), resident)};
}

// Which error a driver gives was not compared: its header calls this one "cluster misconfiguration".
Found check_cluster(const Runtime& runtime, const Kernel& kernel, const LaunchRequest& request) {
  const auto& [x, y, z] = kernel.info.required_cluster;
  const Dim3 needed{x, y, z}, cluster = x != 0 && request.cluster.count() == 1 ? needed : request.cluster;
  constexpr u64 portable = 8, largest = 16;
  if (cluster.count() == 1) return {};
  u64 most = kernel.wide_clusters ? largest : portable;
  auto refuse = [](std::string why) { return Refusal{cudaErrorInvalidClusterSize, std::move(why)}; };
  if (!runtime.architecture().features.cluster_launch)
    return refuse("this compute capability has no clusters: they begin with 9.0");
  if (x != 0 && cluster != needed)
    return refuse(fmt::format("clusters of {}×{}×{} blocks for a kernel that was compiled for {}×{}×{}",
                              cluster.x, cluster.y, cluster.z, x, y, z));
  if (cluster.x > most || cluster.y > most || cluster.z > most || cluster.count() == 0 ||
      cluster.count() > most)
    return refuse(fmt::format("a cluster of {}×{}×{} blocks: it has at least 1 and at most {}", cluster.x,
                              cluster.y, cluster.z, most));
  if (request.grid.x % cluster.x != 0 || request.grid.y % cluster.y != 0 || request.grid.z % cluster.z != 0)
    return refuse(
        fmt::format("clusters of {}×{}×{} blocks do not divide the grid", cluster.x, cluster.y, cluster.z));
  return {};
}

} // namespace

std::optional<Refusal> refusal_of(const Runtime& runtime, const Kernel& kernel,
                                  const LaunchRequest& request) {
  if (!stream_exists(request.stream))
    return Refusal{cudaErrorInvalidResourceHandle, "the stream does not exist, or no longer"};
  if (Found found = check_shape(runtime.architecture().limits, kernel, request)) return found;
  if (Found found = check_threads(kernel, request)) return found;
  if (Found found = check_shared(runtime, kernel, request)) return found;
  if (Found found = check_cooperative(runtime, kernel, request)) return found;
  return check_cluster(runtime, kernel, request);
}

} // namespace warplens::runtime
