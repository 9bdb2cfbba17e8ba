// Factorisations and what is solved with them, by the host's LAPACK: cuSOLVER's, and cuBLAS's of many small matrices.
#pragma once
#include "runtime/libraries/blas_matrices.h"

namespace warplens::runtime {

// Room that a routine is given to work in: more than any of them needs at least, for blocks of 64.
template <class T> struct WorkRoom {
  explicit WorkRoom(i64 size) : elements(static_cast<std::size_t>(std::max<i64>(size, 1) * 64)) {}
  std::vector<T> elements;
  T* data() { return elements.data(); }
  int size() const { return static_cast<int>(elements.size()); }
};

// LU without exchanges of rows, which both libraries do where there is no room for them; LAPACK always exchanges. `info`: the
// first column, from 1 on, whose pivot is 0.
template <class T> void factor_in_place(int m, int n, T* a, i64 lda, int* info) {
  *info = 0;
  for (i64 k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k * lda + k];
    if (pivot == T{}) {
      if (*info == 0) *info = static_cast<int>(k + 1);
      continue;
    }
    for (i64 i = k + 1; i < m; ++i) a[k * lda + i] /= pivot;
    for (i64 j = k + 1; j < n; ++j)
      for (i64 i = k + 1; i < m; ++i) a[j * lda + i] -= a[k * lda + i] * a[j * lda + k];
  }
}
template <class T> cudaError_t factor(int m, int n, T* a, int lda, int* pivots, int* info) {
  if (pivots) return fortran<T>("getrf", m, n, a, lda, pivots, info);
  factor_in_place(m, n, a, lda, info);
  return cudaSuccess;
}

// Rows that were not exchanged, where the program keeps no list.
inline std::vector<int> pivots_of(const int* pivots, int n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = pivots ? pivots[i] : i + 1;
  return out;
}
template <class T>
cudaError_t solve(char op, int n, int columns, const T* a, int lda, const int* pivots, T* b, int ldb,
                  int* info) {
  return fortran<T>("getrs", op, n, columns, a, lda, pivots_of(pivots, n).data(), b, ldb, info);
}
// The inverse of a factored matrix to another place.
template <class T>
cudaError_t invert(int n, const T* a, int lda, const int* pivots, T* out, int ldo, int* info) {
  for (i64 j = 0; j < n; ++j) std::copy_n(a + j * lda, n, out + j * ldo);
  WorkRoom<T> room(n);
  return fortran<T>("getri", n, out, ldo, pivots_of(pivots, n).data(), room.data(), room.size(), info);
}

} // namespace warplens::runtime
