// See occupancy.h. Each resource is handed out in units, so sizes are rounded up before they are divided.
#include "runtime/occupancy.h"
#include "base/bits.h"
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

extern "C" {

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
