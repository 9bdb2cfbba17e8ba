// cuBLAS's factorisations, inverses and least squares of many small matrices, by the host's LAPACK.
#include "libraries/lapack.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

// Does one(i) for each matrix; `operands` of the call are those whose addresses are known before.
template <class One>
int each_matrix(const char* name, BlasHandle* h, int count, std::initializer_list<i64> sizes,
                std::vector<Operand> operands, One&& one) {
  if (BlasStatus bad = check_call(h, sizes, {}); bad != blas_success) return bad;
  if (count < 0) return blas_invalid_value;
  return status_of(
      library_call(name, h->stream, std::move(operands), [=] { return each_of_batch(count, one); }));
}

template <class P> P* row(P* list, int n, i64 i) { return list ? list + i * n : nullptr; }

template <class T>
int getrf_batched(const char* name, BlasHandle* h, int n, T* const* a, int lda, int* pivots, int* info,
                  int count) {
  return each_matrix(
      name, h, count, {n, beyond(lda, n)},
      {vector(a, count, 1), vector(pivots, pivots ? i64{n} * count : 0, 1), vector(info, count, 1)},
      [=](i64 i) {
        return with_operands(name, {matrix(a[i], n, n, lda)},
                             [&] { return factor(n, n, a[i], lda, row(pivots, n, i), info + i); });
      });
}

template <class T>
int getri_batched(const char* name, BlasHandle* h, int n, const T* const* a, int lda, const int* pivots,
                  T* const* out, int ldo, int* info, int count) {
  return each_matrix(name, h, count, {n, beyond(lda, n), beyond(ldo, n)},
                     {vector(a, count, 1), vector(out, count, 1), vector(info, count, 1)}, [=](i64 i) {
                       const int* list = row(pivots, n, i);
                       return with_operands(
                           name,
                           {matrix(a[i], n, n, lda), matrix(out[i], n, n, ldo), operand_of_pivots(list, n)},
                           [&] { return invert(name, n, a[i], lda, list, out[i], ldo, info + i); });
                     });
}

// `info` is the host's.
template <class T>
int getrs_batched(const char* name, BlasHandle* h, int op, int n, int columns, const T* const* a, int lda,
                  const int* pivots, T* const* b, int ldb, int* info, int count) {
  const char letter = op_letter(op);
  if (letter == '\0' || !info) return blas_invalid_value;
  *info = 0;
  return each_matrix(
      name, h, count, {n, columns, beyond(lda, n), beyond(ldb, n)},
      {vector(a, count, 1), vector(b, count, 1)}, [=](i64 i) {
        int ignored = 0;
        const int* list = row(pivots, n, i);
        return with_operands(
            name, {matrix(a[i], n, n, lda), matrix(b[i], n, columns, ldb), operand_of_pivots(list, n)},
            [&] { return solve(name, letter, n, columns, a[i], lda, list, b[i], ldb, &ignored); });
      });
}

template <class T>
int matinv_batched(const char* name, BlasHandle* h, int n, const T* const* a, int lda, T* const* out, int ldo,
                   int* info, int count) {
  return each_matrix(
      name, h, count, {n, beyond(lda, n), beyond(ldo, n)},
      {vector(a, count, 1), vector(out, count, 1), vector(info, count, 1)}, [=](i64 i) -> cudaError_t {
        cudaError_t error = check_operands(name, {matrix(a[i], n, n, lda), matrix(out[i], n, n, ldo)});
        if (error != cudaSuccess) return error;
        std::vector<T> factors(static_cast<std::size_t>(i64{n} * n));
        for (i64 j = 0; j < n; ++j) std::copy_n(a[i] + j * lda, n, factors.data() + j * n);
        std::vector<int> pivots(static_cast<std::size_t>(n));
        error = factor(n, n, factors.data(), n, pivots.data(), info + i);
        if (error != cudaSuccess || info[i] != 0) return error;
        return invert(name, n, factors.data(), n, pivots.data(), out[i], ldo, info + i);
      });
}

// Least squares, of matrices with no fewer rows than columns: what is solved is in the first rows of C. `info` is the host's;
// `details`, if any, has a number for each matrix.
template <class T>
int gels_batched(const char* name, BlasHandle* h, int op, int m, int n, int columns, T* const* a, int lda,
                 T* const* c, int ldc, int* info, int* details, int count) {
  const char letter = op_letter(op);
  if (letter == '\0' || !info) return blas_invalid_value;
  if (op != 0) {
    library_gap(fmt::format("{} of transposed matrices", name));
    return blas_not_supported;
  }
  *info = 0;
  return each_matrix(
      name, h, count, {n, columns, i64{m} - n, beyond(lda, m), beyond(ldc, m)},
      {vector(a, count, 1), vector(c, count, 1), vector(details, details ? count : 0, 1)}, [=](i64 i) {
        cudaError_t error = check_operands(name, {matrix(a[i], m, n, lda), matrix(c[i], m, columns, ldc)});
        if (error != cudaSuccess) return error;
        int detail = 0;
        if (n > 0 &&
            columns > 0) { // else there is nothing to find, and perhaps a size that no memory could hold
          WorkRoom<T> room(std::max(n, columns));
          error = fortran<T>("gels", letter, m, n, columns, a[i], lda, c[i], ldc, room.data(), room.size(),
                             &detail);
        }
        if (details) details[i] = detail;
        return error;
      });
}

} // namespace

extern "C" {

#define WARPLENS_BLAS_BATCHED(X, T)                                                                          \
  int cublas##X##getrfBatched(BlasHandle* h, int n, T* const* a, int lda, int* pivots, int* info,            \
                              int count) {                                                                   \
    return getrf_batched("cublas" #X "getrfBatched", h, n, a, lda, pivots, info, count);                     \
  }                                                                                                          \
  int cublas##X##getriBatched(BlasHandle* h, int n, const T* const* a, int lda, const int* pivots,           \
                              T* const* out, int ldo, int* info, int count) {                                \
    return getri_batched("cublas" #X "getriBatched", h, n, a, lda, pivots, out, ldo, info, count);           \
  }                                                                                                          \
  int cublas##X##getrsBatched(BlasHandle* h, int op, int n, int columns, const T* const* a, int lda,         \
                              const int* pivots, T* const* b, int ldb, int* info, int count) {               \
    return getrs_batched("cublas" #X "getrsBatched", h, op, n, columns, a, lda, pivots, b, ldb, info,        \
                         count);                                                                             \
  }                                                                                                          \
  int cublas##X##matinvBatched(BlasHandle* h, int n, const T* const* a, int lda, T* const* out, int ldo,     \
                               int* info, int count) {                                                       \
    return matinv_batched("cublas" #X "matinvBatched", h, n, a, lda, out, ldo, info, count);                 \
  }                                                                                                          \
  int cublas##X##gelsBatched(BlasHandle* h, int op, int m, int n, int columns, T* const* a, int lda,         \
                             T* const* c, int ldc, int* info, int* details, int count) {                     \
    return gels_batched("cublas" #X "gelsBatched", h, op, m, n, columns, a, lda, c, ldc, info, details,      \
                        count);                                                                              \
  }
WARPLENS_BLAS_BATCHED(S, float)
WARPLENS_BLAS_BATCHED(D, double)
WARPLENS_BLAS_BATCHED(C, cfloat)
WARPLENS_BLAS_BATCHED(Z, cdouble)
#undef WARPLENS_BLAS_BATCHED

} // extern "C"
} // namespace warplens::runtime
