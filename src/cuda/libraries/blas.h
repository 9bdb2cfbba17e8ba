// cuBLAS's handles, and the vectors and matrices of its routines: column-major like BLAS's, in device memory, which has the
// same addresses here.
#pragma once
#include "libraries/library_call.h"
#include <complex>

namespace warplens::runtime {

using cfloat = std::complex<float>;
using cdouble = std::complex<double>;

enum BlasStatus : int { // cublasStatus_t
  blas_success = 0,
  blas_not_initialized = 1,
  blas_invalid_value = 7,
  blas_execution_failed = 13,
  blas_internal_error = 14,
  blas_not_supported = 15
};
enum BlasType : int { // cudaDataType
  real_32 = 0,
  real_64 = 1,
  real_16 = 2,
  integer_8 = 3,
  complex_32 = 4,
  complex_64 = 5,
  integer_32 = 10,
  real_bf16 = 14,
  real_e4m3 = 28,
  real_e5m2 = 29
};

struct BlasHandle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0; // 1: scalars are in device memory, and read when the work is done
  int math_mode = 0;
  int atomics_mode = 0;
  u32 device = thread_state().device;
};
bool is_handle(const BlasHandle*);
BlasStatus status_of(cudaError_t);

// A scalar as the handle's mode says: its value now, or where it will be read.
template <class T> struct Scalar {
  const T* later = nullptr;
  T value{};
  Scalar(const BlasHandle* handle, const T* from)
      : later(handle->pointer_mode != 0 ? from : nullptr), value(later || !from ? T{} : *from) {}
  T get() const { return later ? *later : value; }
};

// Bytes from the first to behind the last element of a vector with a stride, and of a matrix with a leading dimension.
template <class T> Operand vector(const T* x, i64 n, i64 stride) {
  if (n <= 0) return {x, 0};
  const u64 step = static_cast<u64>(stride);
  return {x, extent_bytes(static_cast<u64>(n) - 1, stride < 0 ? -step : step, 1, sizeof(T))};
}
inline Operand matrix_of(const void* a, i64 rows, i64 columns, i64 leading, u64 element) {
  if (rows <= 0 || columns <= 0) return {a, 0};
  return {a, extent_bytes(static_cast<u64>(columns) - 1, static_cast<u64>(leading), static_cast<u64>(rows),
                          element)};
}
template <class T> Operand matrix(const T* a, i64 rows, i64 columns, i64 leading) {
  return matrix_of(a, rows, columns, leading, sizeof(T));
}

// A scalar or a result that the handle's mode has in device memory; the host's cannot be checked.
template <class T> Operand scalar(const BlasHandle* h, const T* at) {
  return {at, is_handle(h) && h->pointer_mode != 0 ? sizeof(T) : 0};
}

// The i-th of matrices or vectors at a stride. Nothing says that it is in memory: its operand is to be checked.
template <class T> T* nth(T* first, i64 i, i64 step) {
  return reinterpret_cast<T*>(reinterpret_cast<u64>(first) +
                              static_cast<u64>(i) * static_cast<u64>(step) * sizeof(T));
}

// "gemm" for double is the Fortran routine dgemm_ of the host's BLAS; null where there is none.
template <class T> constexpr char letter = 0;
template <> inline constexpr char letter<float> = 's';
template <> inline constexpr char letter<double> = 'd';
template <> inline constexpr char letter<cfloat> = 'c';
template <> inline constexpr char letter<cdouble> = 'z';
void* blas_routine(char letter, const char* name);

// Fortran takes everything by reference.
template <class V> const void* by_reference(const V& value) { return &value; }
template <class V> const void* by_reference(V* array) { return array; }
template <class> using Reference = const void*;

// Calls the routine; cudaErrorNotSupported where the host has none. The lengths of its letters are at the end, as Fortran
// compilers pass them.
template <class T, class... A> cudaError_t fortran(const char* name, const A&... arguments) {
  using Routine = void (*)(Reference<A>..., std::size_t, std::size_t, std::size_t, std::size_t);
  auto routine = reinterpret_cast<Routine>(blas_routine(letter<T>, name));
  if (!routine) return cudaErrorNotSupported;
  routine(by_reference(arguments)..., 1, 1, 1, 1);
  return cudaSuccess;
}

} // namespace warplens::runtime
