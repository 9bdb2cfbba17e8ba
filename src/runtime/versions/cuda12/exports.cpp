// What differs in CUDA 12: its version and cudaDeviceProp (the unsuffixed name keeps the layout of 11), and
// hints on managed memory that take a device number.
#include "runtime/function.h"
#include "runtime/properties.h"

namespace warplens::runtime {
const int runtime_version = 12090;
}

#pragma GCC visibility push(default)
namespace warplens::runtime {
extern "C" {

cudaError_t cudaGetDeviceProperties(void* properties, int device) {
  return get_properties<cudaDeviceProp11>(properties, device);
}
cudaError_t cudaGetDeviceProperties_v2(void* properties, int device) {
  return get_properties<cudaDeviceProp12>(properties, device);
}
cudaError_t cudaFuncGetAttributes(void* attributes, const void* function) {
  return function_attributes<cudaFuncAttributes12>(attributes, function);
}
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return api([](Runtime&) { return cudaSuccess; });
}
cudaError_t cudaMemAdvise(const void*, std::size_t, int, int) {
  return api([](Runtime&) { return cudaSuccess; });
}

} // extern "C"
} // namespace warplens::runtime
#pragma GCC visibility pop
