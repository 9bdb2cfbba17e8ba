// See occupancy.h. Each resource is handed out in units, so sizes are rounded up before they are divided.
#include "runtime/occupancy.h"
#include "base/bits.h"
#include "runtime/launch.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

u64 shared_per_block(const arch::Limits& limits, u64 bytes) {
  return align_up(bytes + limits.shared_reserved_per_block, limits.shared_allocation_unit);
}

u64 blocks_by_registers(const arch::Limits& limits, u32 registers, u64 warps) {
  if (registers == 0) return limits.blocks_per_sm;
  u64 per_warp = align_up(u64{registers} * warp_size, limits.register_allocation_unit);
  u64 warps_that_fit = limits.registers_per_sm / per_warp / limits.warp_schedulers * limits.warp_schedulers;
  return warps_that_fit / warps;
}

} // namespace

u32 active_blocks(const Runtime& runtime, const Kernel& kernel, u32 threads, u64 dynamic_shared) {
  const arch::Limits& limits = runtime.architecture().limits;
  if (threads == 0 || threads > limits.threads_per_block) return 0;
  u64 warps = ceil_div(threads, warp_size);
  u64 shared = kernel.info.static_shared, most = limits.shared_per_block_optin;
  if (shared > most || dynamic_shared > most - shared) return 0;
  shared += dynamic_shared;
  u64 blocks = std::min<u64>(limits.blocks_per_sm, limits.threads_per_sm / warp_size / warps);
  blocks = std::min(blocks, blocks_by_registers(limits, kernel.registers(), warps));
  if (u64 each = shared_per_block(limits, shared); each != 0)
    blocks = std::min(blocks, limits.shared_per_sm / each);
  return static_cast<u32>(blocks);
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
    u64 each = align_down(limits.shared_per_sm / static_cast<u32>(blocks), limits.shared_allocation_unit);
    u64 taken = u64{limits.shared_reserved_per_block} + kernel->info.static_shared;
    u64 room = each > taken ? each - taken : 0;
    u32 optin = limits.shared_per_block_optin;
    *bytes = std::min<u64>(room, optin - std::min(optin, kernel->info.static_shared));
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
