// Questions about kernels and their settings.
#include "runtime/state.h"

namespace warplens::runtime {
extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api([&](Runtime& r) {
    Kernel* kernel = r.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (cudaError_t error = kernel->resolve(r); error != cudaSuccess) return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || u64{kernel->info.static_shared} + static_cast<u32>(value) >
                           r.architecture().limits.shared_per_block_optin)
        return cudaErrorInvalidValue;
      kernel->max_dynamic_shared = static_cast<u32>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel->carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel->wide_clusters = value != 0;
      return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

static cudaError_t known(const void* function) {
  return api(
      [&](Runtime& r) { return r.binaries.kernel(function) ? cudaSuccess : cudaErrorInvalidDeviceFunction; });
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) { return known(function); }
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) { return known(function); }

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api([&](Runtime& r) {
    Kernel* kernel = r.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    return answer(name, kernel->name.c_str());
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  return api([&](Runtime& r) {
    Kernel* kernel = r.binaries.kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (cudaError_t error = kernel->resolve(r); error != cudaSuccess) return error;
    if (index >= kernel->info.parameters.size()) return cudaErrorInvalidValue;
    if (offset) *offset = kernel->info.parameters[index].first;
    if (size) *size = kernel->info.parameters[index].second;
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
