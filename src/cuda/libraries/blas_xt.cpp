// cublasXt: cuBLAS's routines for matrices in host memory, which it brings to its devices in tiles. Here host and device memory
// have one address space, so that a product is the same call of the host's BLAS. A call is done when it returns.
//
// Products alone. Tiles and what the CPU would share of the work (block dimension, ratio) are taken and change nothing.
#include "libraries/blas_matrices.h"
#include "runtime/memory.h"

namespace warplens::runtime {
namespace {

struct XtSettings {
  int block = 2048; // rows and columns of a tile
  int pinning = 0;
  u32 device = thread_state().device;
};
std::map<const BlasHandle*, XtSettings>& settings() {
  return of_device<std::map<const BlasHandle*, XtSettings>>();
}

template <class Body> int with_settings(const BlasHandle* handle, Body&& body) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  auto found = settings().find(handle);
  return found == settings().end() ? blas_not_initialized : body(found->second);
}

// What is in device memory is checked as ever; of the host's memory nobody knows how long it is.
std::vector<Operand> on_device(const std::vector<Operand>& all) {
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  std::vector<Operand> out;
  for (const Operand& one : all)
    if (one.bytes != 0 && place(runtime, one.data, 1) != PointerPlace::host) out.push_back(one);
  return out;
}

template <class T>
int product(const char* name, const BlasHandle* h, int op_a, int op_b, std::size_t m, std::size_t n,
            std::size_t k, const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb,
            const T* beta, T* c, std::size_t ldc) {
  if (int known = with_settings(h, [](XtSettings&) { return blas_success; }); known != blas_success)
    return known;
  for (std::size_t size : {m, n, k, lda, ldb, ldc})
    if (size > INT32_MAX) {
      library_gap("cublasXt's matrices of more than 2^31 rows or columns");
      return blas_not_supported;
    }
  auto number = [](std::size_t size) { return static_cast<i64>(size); };
  const Gemm<T> gemm =
      gemm_of<T>(op_a, op_b, number(m), number(n), number(k), number(lda), number(ldb), number(ldc));
  if (gemm.op_a == '\0' || gemm.op_b == '\0' || !gemm.fits() || !alpha || !beta) return blas_invalid_value;
  return status_of(library_call(name, nullptr, on_device(gemm.operands(a, b, c)),
                                [=, x = *alpha, y = *beta] { return gemm(x, a, b, y, c); }));
}

} // namespace

extern "C" {

int cublasCreate_v2(BlasHandle**);
int cublasDestroy_v2(BlasHandle*);

int cublasXtCreate(BlasHandle** handle) {
  const int status = cublasCreate_v2(handle);
  if (status != blas_success) return status;
  Runtime& runtime = Runtime::get();
  std::lock_guard lock(runtime.mutex);
  settings()[*handle] = {};
  return blas_success;
}
int cublasXtDestroy(BlasHandle* handle) {
  const int known = with_settings(handle, [&](XtSettings&) {
    settings().erase(handle);
    return blas_success;
  });
  return known == blas_success ? cublasDestroy_v2(handle) : known;
}
// Of one device.
int cublasXtDeviceSelect(BlasHandle* handle, int count, const int* devices) {
  return with_settings(handle, [&](XtSettings&) {
    return count == 1 && devices && devices[0] == 0 ? blas_success : blas_invalid_value;
  });
}
int cublasXtMaxBoards(int* count) {
  if (!count) return blas_invalid_value;
  *count = 1;
  return blas_success;
}
int cublasXtGetNumBoards(int count, const int* devices, int* boards) {
  if (count != 1 || !devices || devices[0] != 0 || !boards) return blas_invalid_value;
  *boards = 1;
  return blas_success;
}
int cublasXtSetBlockDim(BlasHandle* handle, int block) {
  return with_settings(handle, [&](XtSettings& s) {
    if (block <= 0) return blas_invalid_value;
    s.block = block;
    return blas_success;
  });
}
int cublasXtGetBlockDim(BlasHandle* handle, int* block) {
  return with_settings(handle, [&](XtSettings& s) {
    if (!block) return blas_invalid_value;
    *block = s.block;
    return blas_success;
  });
}
int cublasXtSetPinningMemMode(BlasHandle* handle, int mode) {
  return with_settings(handle, [&](XtSettings& s) {
    if (mode != 0 && mode != 1) return blas_invalid_value;
    s.pinning = mode;
    return blas_success;
  });
}
int cublasXtGetPinningMemMode(BlasHandle* handle, int* mode) {
  return with_settings(handle, [&](XtSettings& s) {
    if (!mode) return blas_invalid_value;
    *mode = s.pinning;
    return blas_success;
  });
}
// The routine and the ratio by which the CPU would share the work.
int cublasXtSetCpuRoutine(BlasHandle* handle, int, int, void*) {
  return with_settings(handle, [](XtSettings&) { return blas_success; });
}
int cublasXtSetCpuRatio(BlasHandle* handle, int, int, float) {
  return with_settings(handle, [](XtSettings&) { return blas_success; });
}

#define XT_PRODUCT(letter, T)                                                                                \
  int cublasXt##letter##gemm(BlasHandle* h, int op_a, int op_b, std::size_t m, std::size_t n, std::size_t k, \
                             const T* alpha, const T* a, std::size_t lda, const T* b, std::size_t ldb,       \
                             const T* beta, T* c, std::size_t ldc) {                                         \
    return product("cublasXt" #letter "gemm", h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);  \
  }
XT_PRODUCT(S, float)
XT_PRODUCT(D, double)
XT_PRODUCT(C, cfloat)
XT_PRODUCT(Z, cdouble)
#undef XT_PRODUCT

} // extern "C"
} // namespace warplens::runtime
