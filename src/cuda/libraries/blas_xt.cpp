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

template <class Body> BlasStatus with_settings(const BlasHandle* handle, Body&& body) {
  std::lock_guard lock(Runtime::get().mutex);
  auto found = settings().find(handle);
  return found == settings().end() ? blas_not_initialized : body(found->second);
}
BlasStatus check(const BlasHandle* handle) {
  return with_settings(handle, [](XtSettings&) { return blas_success; });
}
BlasStatus set(const BlasHandle* handle, int XtSettings::*member, int value, bool valid) {
  return with_settings(handle, [&](XtSettings& s) {
    return valid ? answer(&(s.*member), value, blas_success) : blas_invalid_value;
  });
}
BlasStatus get(const BlasHandle* handle, int XtSettings::*member, int* value) {
  return with_settings(handle, [&](XtSettings& s) { return answer(value, s.*member, blas_invalid_value); });
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
  if (const BlasStatus known = check(h); known != blas_success) return known;
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
  std::lock_guard lock(Runtime::get().mutex);
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
int cublasXtMaxBoards(int* count) { return answer(count, 1, blas_invalid_value); }
int cublasXtGetNumBoards(int count, const int* devices, int* boards) {
  if (count != 1 || !devices || devices[0] != 0 || !boards) return blas_invalid_value;
  *boards = 1;
  return blas_success;
}
int cublasXtSetBlockDim(BlasHandle* handle, int block) {
  return set(handle, &XtSettings::block, block, block > 0);
}
int cublasXtGetBlockDim(BlasHandle* handle, int* block) { return get(handle, &XtSettings::block, block); }
int cublasXtSetPinningMemMode(BlasHandle* handle, int mode) {
  return set(handle, &XtSettings::pinning, mode, mode == 0 || mode == 1);
}
int cublasXtGetPinningMemMode(BlasHandle* handle, int* mode) {
  return get(handle, &XtSettings::pinning, mode);
}
// The routine and the ratio by which the CPU would share the work.
int cublasXtSetCpuRoutine(BlasHandle* handle) { return check(handle); }

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
