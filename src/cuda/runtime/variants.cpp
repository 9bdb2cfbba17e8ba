// What differs between the majors of the CUDA Runtime: its version, and how much there is of two structures.
// A suffix is the first major with that variant; the rows VARIANTS of exports.def say who gets which.
#include "runtime/state.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace warplens::runtime {
namespace {

cudaError_t tell_version(int* version, int value) { return remember(answer(version, value)); }

// Fields that a major lacks are skipped; what the row does not say stays 0.
template <class Properties> Properties properties_of(const arch::Architecture& row) {
  Properties p;
  std::memset(&p, 0, sizeof p);
  const arch::Limits& limits = row.limits;
  row.part.name.copy(p.name, sizeof p.name - 1);
  p.totalGlobalMem = row.part.memory_bytes;
  p.sharedMemPerBlock = limits.shared_per_block;
  p.regsPerBlock = static_cast<int>(limits.registers_per_block);
  p.warpSize = warp_size;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = static_cast<int>(limits.threads_per_block);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = static_cast<int>(limits.block[i]);
    p.maxGridSize[i] = static_cast<int>(limits.grid[i]);
  }
  p.totalConstMem = row.memory.constant_bytes;
  p.major = static_cast<int>(arch::major(row));
  p.minor = static_cast<int>(arch::minor(row));
  p.textureAlignment = row.memory.texture_alignment;
  p.texturePitchAlignment = row.memory.texture_pitch_alignment;
  p.surfaceAlignment = row.memory.surface_alignment;
  p.multiProcessorCount = static_cast<int>(row.part.multiprocessors);
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.asyncEngineCount = 1;
  p.pciBusID = 1;
  p.memoryBusWidth = static_cast<int>(row.part.memory_bus_bits);
  p.l2CacheSize = static_cast<int>(row.part.l2_bytes);
  p.maxThreadsPerMultiProcessor = static_cast<int>(limits.threads_per_sm);
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = limits.shared_per_sm;
  p.regsPerMultiprocessor = static_cast<int>(limits.registers_per_sm);
  p.concurrentManagedAccess = p.canUseHostPointerForRegisteredMem = row.features.concurrent_managed_access;
  p.cooperativeLaunch = row.features.cooperative_launch;
  p.sharedMemPerBlockOptin = limits.shared_per_block_optin;
  p.maxBlocksPerMultiProcessor = static_cast<int>(limits.blocks_per_sm);
  p.reservedSharedMemPerBlock = limits.shared_reserved_per_block;
  p.clusterLaunch = row.features.cluster_launch;
  p.memoryPoolsSupported = p.hostRegisterSupported = 1;
  p.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  if constexpr (requires { p.clockRate; }) {
    p.clockRate = static_cast<int>(row.part.clock_khz);
    p.memoryClockRate = static_cast<int>(row.part.memory_clock_khz);
    p.deviceOverlap = 1;
  }
  return p;
}

// Writes the first `size` bytes, which are what the caller's major has of the structure.
template <class Properties> cudaError_t get_properties(void* out, int device, std::size_t size) {
  return api([&](Runtime& runtime) {
    if (!out) return cudaErrorInvalidValue;
    if (!runtime.is_device(device)) return cudaErrorInvalidDevice;
    Properties properties = properties_of<Properties>(runtime.architecture());
    properties.pciBusID += device;
    properties.multiGpuBoardGroupID = device;
    write_uuid(reinterpret_cast<char*>(&properties.uuid), runtime.architecture(), static_cast<u32>(device));
    std::memcpy(out, &properties, size);
    return cudaSuccess;
  });
}

cudaFuncAttributes attributes_of(const Runtime& runtime, const Kernel& kernel) {
  const arch::Limits& limits = runtime.architecture().limits;
  const auto& most = kernel.info.max_threads;
  cudaFuncAttributes a{};
  a.sharedSizeBytes = kernel.info.static_shared;
  a.localSizeBytes = kernel.info.local_bytes;
  a.maxThreadsPerBlock =
      most[0] ? static_cast<int>(std::max(most[0], 1u) * std::max(most[1], 1u) * std::max(most[2], 1u))
              : static_cast<int>(limits.threads_per_block);
  a.numRegs = static_cast<int>(kernel.registers());
  // Machine code alone does not say what PTX it was made from: nvcc's is of the same version.
  const Binary& code = kernel.code();
  a.ptxVersion = static_cast<int>(code.ptx_sm != 0 ? code.ptx_sm : code.machine_code);
  a.binaryVersion = static_cast<int>(arch::sm(runtime.architecture()));
  a.maxDynamicSharedSizeBytes = static_cast<int>(
      std::max<u64>(kernel.max_dynamic_shared,
                    limits.shared_per_block - std::min(limits.shared_per_block, kernel.info.static_shared)));
  a.preferredShmemCarveout = kernel.carveout;
  a.nonPortableClusterSizeAllowed = kernel.wide_clusters;
  const auto& cluster = kernel.info.required_cluster;
  a.clusterDimMustBeSet = kernel.info.explicit_cluster && cluster[0] == 0;
  a.requiredClusterWidth = static_cast<int>(cluster[0]);
  a.requiredClusterHeight = static_cast<int>(cluster[1]);
  a.requiredClusterDepth = static_cast<int>(cluster[2]);
  return a;
}

cudaError_t get_attributes(void* out, const void* function, std::size_t size) {
  return api([&](Runtime& runtime) {
    Kernel* kernel = runtime.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (!out) return cudaErrorInvalidValue;
    if (cudaError_t error = kernel->resolve(runtime); error != cudaSuccess) return error;
    cudaFuncAttributes attributes = attributes_of(runtime, *kernel);
    std::memcpy(out, &attributes, size);
    return cudaSuccess;
  });
}

} // namespace

extern "C" {

cudaError_t cudaRuntimeGetVersion_11(int* version) { return tell_version(version, 11080); }
cudaError_t cudaRuntimeGetVersion_12(int* version) { return tell_version(version, 12090); }
cudaError_t cudaRuntimeGetVersion_13(int* version) { return tell_version(version, 13000); }

// In CUDA 12 the name without a suffix keeps the layout of 11.
cudaError_t cudaGetDeviceProperties_11(cudaDeviceProp12* properties, int device) {
  return get_properties<cudaDeviceProp12>(properties, device, cudaDeviceProp12::size_in_11);
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp12* properties, int device) {
  return get_properties<cudaDeviceProp12>(properties, device, sizeof(cudaDeviceProp12));
}
cudaError_t cudaGetDeviceProperties_13(cudaDeviceProp* properties, int device) {
  return get_properties<cudaDeviceProp>(properties, device, sizeof(cudaDeviceProp));
}

cudaError_t cudaFuncGetAttributes_11(cudaFuncAttributes* attributes, const void* function) {
  return get_attributes(attributes, function, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
}
cudaError_t cudaFuncGetAttributes_12(cudaFuncAttributes* attributes, const void* function) {
  return get_attributes(attributes, function, sizeof(cudaFuncAttributes));
}

} // extern "C"
} // namespace warplens::runtime
