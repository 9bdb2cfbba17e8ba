// Launches by function, what a function says of itself, and how many blocks of it fit.
#include "runtime/launch.h"
#include "driver_api/frame.h"
#include "runtime/occupancy.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

struct LaunchConfig { // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  cudaStream_t stream;
  const cudaLaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(LaunchConfig) == 56);

CUresult launch_with(LaunchRequest request, void** extra) {
  return on_stream(request.stream, [&]() -> cudaError_t {
    Runtime& runtime = Runtime::get();
    std::lock_guard lock(runtime.mutex);
    Kernel* kernel = runtime.binaries.kernel(request.function);
    if (!kernel) return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = runtime.start(); error != cudaSuccess) return error;
    std::vector<void*> arguments;
    if (kernel->resolve(runtime) == cudaSuccess && !request.arguments && !kernel->info.parameters.empty()) {
      if (!extra) return cudaErrorInvalidValue;
      ResultOr<std::vector<void*>, cudaError_t> found = arguments_of(kernel->info, extra);
      if (!found) return found.error();
      arguments = std::move(*found);
      request.arguments = arguments.data();
    }
    return launch(request);
  });
}

template <class Body> CUresult of_function(CUfunction function, Body&& body) {
  return driver([&](Runtime& r) -> cudaError_t {
    Kernel* kernel = r.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidResourceHandle;
    cudaError_t error = kernel->resolve(r);
    return error == cudaSuccess ? body(r, *kernel) : error;
  });
}

// The same configuration as the Runtime API has it.
template <class F> CUresult with_runtime_config(const LaunchConfig* config, F&& f) {
  return in_context([&]() -> cudaError_t {
    if (!config) return cudaErrorInvalidValue;
    cudaLaunchConfig_t same{};
    same.gridDim = {config->grid[0], config->grid[1], config->grid[2]};
    same.blockDim = {config->block[0], config->block[1], config->block[2]};
    same.dynamicSmemBytes = config->shared;
    same.stream = config->stream;
    same.attrs = const_cast<cudaLaunchAttribute*>(config->attributes);
    same.numAttrs = config->count;
    return f(&same);
  });
}

} // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, cudaStream_t stream, void** arguments, void** extra) {
  return launch_with({function, {gx, gy, gz}, {bx, by, bz}, {}, shared, arguments, stream, false}, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, cudaStream_t stream,
                                   void** arguments) {
  return launch_with({function, {gx, gy, gz}, {bx, by, bz}, {}, shared, arguments, stream, true}, nullptr);
}

CUresult cuLaunchKernelEx(const LaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  if (!config || (config->count != 0 && !config->attributes)) return CUDA_ERROR_INVALID_VALUE;
  LaunchRequest request{function,
                        {config->grid[0], config->grid[1], config->grid[2]},
                        {config->block[0], config->block[1], config->block[2]},
                        {},
                        config->shared,
                        arguments,
                        config->stream,
                        false};
  apply(request, {config->attributes, config->count});
  return launch_with(request, extra);
}

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  return driver([&] {
    cudaFuncAttributes all{};
    if (!value) return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes_12(&all, function);
    if (error != cudaSuccess) return error;
    const int values[] = {all.maxThreadsPerBlock,
                          static_cast<int>(all.sharedSizeBytes),
                          static_cast<int>(all.constSizeBytes),
                          static_cast<int>(all.localSizeBytes),
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout,
                          all.clusterDimMustBeSet,
                          all.requiredClusterWidth,
                          all.requiredClusterHeight,
                          all.requiredClusterDepth,
                          all.nonPortableClusterSizeAllowed,
                          all.clusterSchedulingPolicyPreference}; // by CU_FUNC_ATTRIBUTE_…
    if (attribute < 0 || attribute >= static_cast<int>(std::size(values))) return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
  });
}
CUresult cuKernelGetAttribute(int* value, int attribute, CUfunction kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, kernel);
}
CUresult cuKernelSetAttribute(cudaFuncAttribute attribute, int value, CUfunction kernel, CUdevice) {
  return driver([&] { return cudaFuncSetAttribute(kernel, attribute, value); });
}
CUresult cuFuncSetCacheConfig(CUfunction function, int) {
  return of_function(function, [](Runtime&, Kernel&) { return cudaSuccess; });
}
CUresult cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice) {
  return cuFuncSetCacheConfig(kernel, config);
}
CUresult cuFuncSetSharedMemConfig(CUfunction function, int config) {
  return cuFuncSetCacheConfig(function, config);
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const LaunchConfig* config) {
  return with_runtime_config(config, [&](const cudaLaunchConfig_t* same) {
    return cudaOccupancyMaxActiveClusters(clusters, function, same);
  });
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const LaunchConfig* config) {
  return with_runtime_config(config, [&](const cudaLaunchConfig_t* same) {
    return cudaOccupancyMaxPotentialClusterSize(size, function, same);
  });
}

// The block with which most threads are resident; of equals the largest. `shared_of` says what a block of so many threads
// needs.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   std::size_t (*shared_of)(int), std::size_t shared,
                                                   int limit, unsigned) {
  return of_function(function, [&](Runtime& r, Kernel& kernel) {
    if (!grid || !block) return cudaErrorInvalidValue;
    const arch::Limits& limits = r.architecture().limits;
    const auto& declared = kernel.info.max_threads;
    u32 most = limits.threads_per_block;
    if (declared[0] != 0)
      most = std::min(most, declared[0] * std::max(declared[1], 1u) * std::max(declared[2], 1u));
    if (limit > 0) most = std::min(most, static_cast<u32>(limit));
    u32 best = 0, best_block = 0, best_count = 0;
    for (u32 threads = most; threads > 0; threads = (threads - 1) / warp_size * warp_size) {
      u32 count =
          active_blocks(r, kernel, threads, shared_of ? shared_of(static_cast<int>(threads)) : shared);
      if (count * threads > best) best = count * threads, best_block = threads, best_count = count;
    }
    *block = static_cast<int>(best_block);
    *grid = static_cast<int>(best_count * r.architecture().part.multiprocessors);
    return cudaSuccess;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          std::size_t (*shared_of)(int), std::size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

} // extern "C"
} // namespace warplens::runtime
