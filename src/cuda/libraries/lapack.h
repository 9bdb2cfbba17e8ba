// Factorisations and what is solved with them, by the host's LAPACK: cuSOLVER's, and cuBLAS's of many small matrices.
#pragma once
#include "libraries/blas_matrices.h"
#include <fmt/format.h>
#include <optional>

namespace warplens::runtime {

// How much a leading dimension has beyond what a matrix of so many rows needs; negative: LAPACK would refuse it, and many of
// its builds end the program then.
inline i64 beyond(i64 leading, i64 rows) { return leading - std::max<i64>(rows, 1); }

// Room that a routine is given to work in: more than any of them needs at least, for blocks of 64 where that is not much.
template <class T> struct WorkRoom {
  explicit WorkRoom(i64 size)
      : elements(static_cast<std::size_t>(std::max<i64>(size, 1) * (size < 1 << 16 ? 64 : 6))) {}
  std::vector<T> elements;
  T* data() { return elements.data(); }
  int size() const { return static_cast<int>(std::min<std::size_t>(elements.size(), INT32_MAX)); }
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

// Rows that were not exchanged, where the program keeps no list. None: a number in it is no row's, which is told; LAPACK would
// exchange rows with what lies outside the matrix.
inline std::optional<std::vector<int>> pivots_of(const char* function, const int* pivots, int n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int row = pivots ? pivots[i] : i + 1;
    if (row < 1 || row > n) {
      refuse_content(function, fmt::format("row {} as a pivot of a matrix of {} rows", row, n));
      return {};
    }
    out[static_cast<std::size_t>(i)] = row;
  }
  return out;
}
inline Operand operand_of_pivots(const int* pivots, int n) { return vector(pivots, pivots ? n : 0, 1); }

template <class T>
cudaError_t solve(const char* name, char op, int n, int columns, const T* a, int lda, const int* pivots, T* b,
                  int ldb, int* info) {
  const auto rows = pivots_of(name, pivots, n);
  if (!rows) return cudaErrorIllegalAddress;
  return fortran<T>("getrs", op, n, columns, a, lda, rows->data(), b, ldb, info);
}
// The inverse of a factored matrix to another place.
template <class T>
cudaError_t invert(const char* name, int n, const T* a, int lda, const int* pivots, T* out, int ldo,
                   int* info) {
  const auto rows = pivots_of(name, pivots, n);
  if (!rows) return cudaErrorIllegalAddress;
  for (i64 j = 0; j < n; ++j) std::copy_n(a + j * lda, n, out + j * ldo);
  WorkRoom<T> room(n);
  return fortran<T>("getri", n, out, ldo, rows->data(), room.data(), room.size(), info);
}

} // namespace warplens::runtime
