// cuBLAS: handles and their settings, and copies of vectors and matrices between host and device.
#include "libraries/blas.h"
#include "libraries/host_library.h"
#include "runtime/memory.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

template <class Body> int with_handle(BlasHandle* handle, Body&& body) {
  return runtime::with_handle(handle, blas_not_initialized, body);
}

template <class T> int set(BlasHandle* handle, T BlasHandle::*member, T value) {
  return with_handle(handle, [&] {
    handle->*member = value;
    return blas_success;
  });
}
template <class T> int get(BlasHandle* handle, T BlasHandle::*member, T* value) {
  return with_handle(handle, [&] { return answer(value, handle->*member, blas_invalid_value); });
}

constexpr int cublas_version = 130000;

} // namespace

bool is_handle(const BlasHandle* handle) { return of_device<Handles<BlasHandle>>().contains(handle); }

BlasStatus status_of(cudaError_t error) {
  switch (error) {
  case cudaSuccess: return blas_success;
  case cudaErrorNotSupported: return blas_not_supported;
  case cudaErrorInvalidValue: return blas_invalid_value;
  default: return blas_execution_failed;
  }
}

void* blas_routine(char letter, const char* name) {
  const std::string routine = letter + std::string(name) + "_";
  if (void* found = host_function(host_blas, routine.c_str())) return found;
  return host_function(host_lapack, routine.c_str()); // where the BLAS has no LAPACK with it
}

// Columns of `rows` elements: a pitch is a leading dimension in bytes.
static int copy_columns(i64 rows, i64 columns, i64 element, const void* from, i64 from_leading, void* to,
                        i64 to_leading, cudaMemcpyKind kind, cudaStream_t stream) {
  if (rows < 0 || columns < 0 || element <= 0 || from_leading < rows || to_leading < rows)
    return rows == 0 || columns == 0 ? blas_success : blas_invalid_value;
  auto bytes = [&](i64 count) {
    return extent_bytes(static_cast<u64>(count), 1, 0, static_cast<u64>(element));
  };
  return status_of(cudaMemcpy2DAsync(to, bytes(to_leading), from, bytes(from_leading), bytes(rows),
                                     static_cast<std::size_t>(columns), kind, stream));
}
// A vector with strides is a matrix with one row.
static int copy_vector(i64 n, i64 element, const void* from, i64 from_stride, void* to, i64 to_stride,
                       cudaMemcpyKind kind, cudaStream_t stream) {
  if (from_stride == 1 && to_stride == 1) return copy_columns(n, 1, element, from, n, to, n, kind, stream);
  return copy_columns(1, n, element, from, from_stride, to, to_stride, kind, stream);
}

extern "C" {

int cublasCreate_v2(BlasHandle** handle) {
  return add_handle(handle, {}, blas_invalid_value, blas_not_initialized);
}
int cublasDestroy_v2(BlasHandle* handle) {
  return with_handle(handle, [&] {
    of_device<Handles<BlasHandle>>().erase(handle);
    return blas_success;
  });
}
int cublasSetStream_v2(BlasHandle* handle, cudaStream_t stream) {
  return set(handle, &BlasHandle::stream, stream);
}
int cublasGetStream_v2(BlasHandle* handle, cudaStream_t* stream) {
  return get(handle, &BlasHandle::stream, stream);
}
int cublasSetPointerMode_v2(BlasHandle* handle, int mode) {
  return set(handle, &BlasHandle::pointer_mode, mode);
}
int cublasGetPointerMode_v2(BlasHandle* handle, int* mode) {
  return get(handle, &BlasHandle::pointer_mode, mode);
}
int cublasSetMathMode(BlasHandle* handle, int mode) { return set(handle, &BlasHandle::math_mode, mode); }
int cublasGetMathMode(BlasHandle* handle, int* mode) { return get(handle, &BlasHandle::math_mode, mode); }
int cublasSetAtomicsMode(BlasHandle* handle, int mode) {
  return set(handle, &BlasHandle::atomics_mode, mode);
}
int cublasGetAtomicsMode(BlasHandle* handle, int* mode) {
  return get(handle, &BlasHandle::atomics_mode, mode);
}
int cublasSetWorkspace_v2(BlasHandle* handle) {
  return with_handle(handle, [] { return blas_success; });
}
int cublasGetVersion_v2(BlasHandle*, int* value) { return answer(value, cublas_version, blas_invalid_value); }
int cublasGetProperty(int which, int* value) { // major, minor, patch
  if (!value || which < 0 || which > 2) return blas_invalid_value;
  *value = which == 0 ? cublas_version / 10000 : 0;
  return blas_success;
}
std::size_t cublasGetCudartVersion() { return 13000; }

const char* cublasGetStatusName(int status) {
  switch (status) {
  case blas_success: return "CUBLAS_STATUS_SUCCESS";
  case blas_not_initialized: return "CUBLAS_STATUS_NOT_INITIALIZED";
  case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
  case blas_invalid_value: return "CUBLAS_STATUS_INVALID_VALUE";
  case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
  case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
  case blas_execution_failed: return "CUBLAS_STATUS_EXECUTION_FAILED";
  case blas_internal_error: return "CUBLAS_STATUS_INTERNAL_ERROR";
  case blas_not_supported: return "CUBLAS_STATUS_NOT_SUPPORTED";
  case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
  default: return "unknown cuBLAS status";
  }
}
const char* cublasGetStatusString(int status) {
  switch (status) {
  case blas_success: return "success";
  case blas_not_initialized: return "the library was not initialized";
  case blas_invalid_value: return "an unsupported value or parameter was passed to the function";
  case blas_execution_failed: return "the function failed to launch on the GPU";
  case blas_not_supported: return "the functionality requested is not supported";
  default: return "an internal operation failed";
  }
}

int cublasSetVector(int n, int size, const void* from, int from_stride, void* to, int to_stride) {
  return copy_vector(n, size, from, from_stride, to, to_stride, cudaMemcpyHostToDevice, nullptr);
}
int cublasGetVector(int n, int size, const void* from, int from_stride, void* to, int to_stride) {
  return copy_vector(n, size, from, from_stride, to, to_stride, cudaMemcpyDeviceToHost, nullptr);
}
int cublasSetMatrix(int rows, int columns, int size, const void* from, int from_leading, void* to,
                    int to_leading) {
  return copy_columns(rows, columns, size, from, from_leading, to, to_leading, cudaMemcpyHostToDevice,
                      nullptr);
}
int cublasGetMatrix(int rows, int columns, int size, const void* from, int from_leading, void* to,
                    int to_leading) {
  return copy_columns(rows, columns, size, from, from_leading, to, to_leading, cudaMemcpyDeviceToHost,
                      nullptr);
}
int cublasSetVectorAsync(int n, int size, const void* from, int from_stride, void* to, int to_stride,
                         cudaStream_t stream) {
  return copy_vector(n, size, from, from_stride, to, to_stride, cudaMemcpyHostToDevice, stream);
}
int cublasGetVectorAsync(int n, int size, const void* from, int from_stride, void* to, int to_stride,
                         cudaStream_t stream) {
  return copy_vector(n, size, from, from_stride, to, to_stride, cudaMemcpyDeviceToHost, stream);
}
int cublasSetMatrixAsync(int rows, int columns, int size, const void* from, int from_leading, void* to,
                         int to_leading, cudaStream_t stream) {
  return copy_columns(rows, columns, size, from, from_leading, to, to_leading, cudaMemcpyHostToDevice,
                      stream);
}
int cublasGetMatrixAsync(int rows, int columns, int size, const void* from, int from_leading, void* to,
                         int to_leading, cudaStream_t stream) {
  return copy_columns(rows, columns, size, from, from_leading, to, to_leading, cudaMemcpyDeviceToHost,
                      stream);
}

} // extern "C"
} // namespace warplens::runtime
