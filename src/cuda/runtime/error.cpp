// Errors as the CUDA API hands them out: one per thread, cleared when it is read, unless a kernel's fault made it
// stick.
#include "runtime/state.h"

namespace warplens::runtime {
extern "C" {

cudaError_t cudaGetLastError() {
  cudaError_t error = last_error();
  last_error() = cudaSuccess;
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  if (error == runtime.owed) runtime.owed = cudaSuccess;                     // the program knows
  if (error == runtime.sticky && error != cudaSuccess) last_error() = error; // sticky errors stay
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error(); }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define WARPLENS_CUDA_ERROR(name, code, text)                                                                \
  case code:                                                                                                 \
    return #name;
#include "cuda/warplens/errors.def"
#undef WARPLENS_CUDA_ERROR
  default: return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define WARPLENS_CUDA_ERROR(name, code, text)                                                                \
  case code:                                                                                                 \
    return text;
#include "cuda/warplens/errors.def"
#undef WARPLENS_CUDA_ERROR
  default: return "unrecognized error code";
  }
}

} // extern "C"
} // namespace warplens::runtime
