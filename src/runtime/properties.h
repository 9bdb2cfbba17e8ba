// cudaDeviceProp of any major version, filled from the architecture's row.
#pragma once
#include "runtime/abi/device_prop.h"
#include "runtime/state.h"
#include <cstring>

namespace warplens::runtime {

// Fields that a version lacks are skipped; what the row does not say stays 0.
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
  if constexpr (requires { p.clockRate; }) {
    p.clockRate = static_cast<int>(row.part.clock_khz);
    p.memoryClockRate = static_cast<int>(row.part.memory_clock_khz);
    p.deviceOverlap = 1;
  }
  if constexpr (requires { p.clusterLaunch; }) {
    p.clusterLaunch = row.features.cluster_launch;
    p.memoryPoolsSupported = p.hostRegisterSupported = 1;
  }
  return p;
}

template <class Properties> cudaError_t get_properties(void* out, int device) {
  return api([&](Runtime& runtime) {
    if (!out) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    Properties properties = properties_of<Properties>(runtime.architecture());
    std::memcpy(out, &properties, sizeof properties);
    return cudaSuccess;
  });
}

} // namespace warplens::runtime
