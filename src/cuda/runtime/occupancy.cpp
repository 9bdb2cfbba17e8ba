// See occupancy.h.
#include "runtime/occupancy.h"
#include "arch/occupancy.h"
#include "runtime/launch.h"
#include <algorithm>

namespace warplens::runtime {
u32 active_blocks(const Runtime& runtime, const Kernel& kernel, u32 threads, u64 dynamic_shared) {
  const arch::Limits& limits = runtime.architecture().limits;
  const u64 shared = kernel.info.static_shared;
  if (dynamic_shared > limits.shared_per_block_optin) return 0;
  return static_cast<u32>(
      arch::occupancy(limits, {threads, kernel.registers(), shared + dynamic_shared}).blocks());
}

namespace {

// Calls f(kernel, the launch's blocks that a multiprocessor holds), for a kernel and a device that have clusters.
template <class F> cudaError_t with_clusters(const void* function, const cudaLaunchConfig_t* config, F&& f) {
  return api([&](Runtime& runtime) -> cudaError_t {
    Kernel* kernel = runtime.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!config || (config->numAttrs != 0 && !config->attrs)) return cudaErrorInvalidValue;
    if (!runtime.architecture().features.cluster_launch) return cudaErrorInvalidClusterSize;
    if (cudaError_t error = kernel->resolve(runtime); error != cudaSuccess) return error;
    LaunchRequest request;
    apply(request, {config->attrs, config->numAttrs});
    const auto& [x, y, z] = kernel->info.required_cluster;
    if (x != 0 && request.cluster.count() == 1) request.cluster = {x, y, z};
    const auto& block = config->blockDim;
    return f(runtime, *kernel, request.cluster.count(),
             active_blocks(runtime, *kernel, block.x * block.y * block.z, config->dynamicSmemBytes));
  });
}

} // namespace

extern "C" {

// A cluster's blocks share a part of the device (a GPC) on a GPU, so that it may hold fewer than this: parts are not modelled.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  if (!clusters) return remember(cudaErrorInvalidValue);
  return with_clusters(function, config, [&](Runtime& runtime, Kernel&, u64 size, u32 blocks) {
    if (size == 0) return cudaErrorInvalidClusterSize;
    *clusters = static_cast<int>(blocks * runtime.architecture().part.multiprocessors / size);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  if (!size) return remember(cudaErrorInvalidValue);
  return with_clusters(function, config, [&](Runtime&, Kernel& kernel, u64, u32 blocks) {
    *size = blocks == 0 ? 0 : kernel.wide_clusters ? 16 : 8;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, std::size_t dynamic_shared,
                                                                   unsigned) {
  return api([&](Runtime& runtime) {
    Kernel* kernel = runtime.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    cudaError_t error = kernel->resolve(runtime);
    if (error == cudaSuccess)
      *blocks = static_cast<int>(active_blocks(runtime, *kernel, static_cast<u32>(threads), dynamic_shared));
    return error;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  return api([&](Runtime& runtime) {
    Kernel* kernel = runtime.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    cudaError_t error = kernel->resolve(runtime);
    if (error != cudaSuccess) return error;
    const arch::Limits& limits = runtime.architecture().limits;
    const u64 room = arch::shared_for(limits, static_cast<u32>(blocks));
    *bytes = room - std::min<u64>(room, kernel->info.static_shared);
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
