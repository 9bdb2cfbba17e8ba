// cuBLAS's routines on matrices, by the host's BLAS, whose routines have the same parameters but for the letters; those that
// only cuBLAS has are loops.
#pragma once
#include "libraries/blas_vectors.h"

namespace warplens::runtime {

// cublasOperation_t, cublasFillMode_t, cublasSideMode_t, cublasDiagType_t as BLAS's letters; 0: none of them.
inline char op_letter(int op) { return op == 0 ? 'N' : op == 1 ? 'T' : op == 2 ? 'C' : '\0'; }
inline char fill_letter(int fill) { return fill == 0 ? 'L' : fill == 1 ? 'U' : '\0'; }
inline char side_letter(int side) { return side == 0 ? 'L' : side == 1 ? 'R' : '\0'; }
inline char diagonal_letter(int diagonal) { return diagonal == 0 ? 'N' : diagonal == 1 ? 'U' : '\0'; }

// The host's BLAS counts with ints.
inline bool fit_int(std::initializer_list<i64> numbers) {
  for (i64 n : numbers)
    if (n < -INT32_MAX || n > INT32_MAX) return false;
  return true;
}
// What cuBLAS checks before it does anything.
inline BlasStatus check_call(const BlasHandle* h, std::initializer_list<i64> sizes,
                             std::initializer_list<char> letters) {
  if (!is_handle(h)) return blas_not_initialized;
  for (i64 n : sizes)
    if (n < 0) return blas_invalid_value;
  for (char c : letters)
    if (c == '\0') return blas_invalid_value;
  return fit_int(sizes) ? blas_success : blas_not_supported;
}

template <class T> Operand operand_of(const T* a, i64 rows, i64 columns, i64 leading, char op) {
  return op == 'N' ? matrix(a, rows, columns, leading) : matrix(a, columns, rows, leading);
}
inline bool leads(i64 leading, i64 rows) { return leading >= std::max<i64>(1, rows) && leading <= INT32_MAX; }

template <class T> struct Gemm { // one product, in BLAS's words
  char op_a, op_b;
  int m, n, k, lda, ldb, ldc;
  cudaError_t operator()(T alpha, const T* a, const T* b, T beta, T* c) const {
    if (m == 0 || n == 0) return cudaSuccess;
    return fortran<T>("gemm", op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  bool fits() const {
    return leads(lda, op_a == 'N' ? m : k) && leads(ldb, op_b == 'N' ? k : n) && leads(ldc, m);
  }
  std::vector<Operand> operands(const T* a, const T* b, const T* c) const {
    return {operand_of(a, m, k, lda, op_a), operand_of(b, k, n, ldb, op_b), matrix(c, m, n, ldc)};
  }
};

template <class T> Gemm<T> gemm_of(int op_a, int op_b, i64 m, i64 n, i64 k, i64 lda, i64 ldb, i64 ldc) {
  return {op_letter(op_a),     op_letter(op_b),       static_cast<int>(m),   static_cast<int>(n),
          static_cast<int>(k), static_cast<int>(lda), static_cast<int>(ldb), static_cast<int>(ldc)};
}

template <class T>
int gemm(const char* name, BlasHandle* h, int op_a, int op_b, i64 m, i64 n, i64 k, const T* alpha, const T* a,
         i64 lda, const T* b, i64 ldb, const T* beta, T* c, i64 ldc) {
  const Gemm<T> product = gemm_of<T>(op_a, op_b, m, n, k, lda, ldb, ldc);
  if (BlasStatus bad = check_call(h, {m, n, k, lda, ldb, ldc}, {product.op_a, product.op_b});
      bad != blas_success)
    return bad;
  if (!product.fits() || !alpha || !beta) return blas_invalid_value;
  std::vector<Operand> operands = product.operands(a, b, c);
  operands.insert(operands.end(), {scalar(h, alpha), scalar(h, beta)});
  return status_of(library_call(
      name, h->stream, std::move(operands),
      [=, x = Scalar<T>(h, alpha), y = Scalar<T>(h, beta)] { return product(x.get(), a, b, y.get(), c); }));
}

// Matrices at a stride, or at the addresses in three arrays that are in device memory.
template <class T>
int gemm_strided(const char* name, BlasHandle* h, int op_a, int op_b, i64 m, i64 n, i64 k, const T* alpha,
                 const T* a, i64 lda, long long step_a, const T* b, i64 ldb, long long step_b, const T* beta,
                 T* c, i64 ldc, long long step_c, i64 count) {
  const Gemm<T> product = gemm_of<T>(op_a, op_b, m, n, k, lda, ldb, ldc);
  if (BlasStatus bad = check_call(h, {m, n, k, lda, ldb, ldc, count}, {product.op_a, product.op_b});
      bad != blas_success)
    return bad;
  if (!product.fits() || !alpha || !beta) return blas_invalid_value;
  return status_of(library_call(name, h->stream, {scalar(h, alpha), scalar(h, beta)},
                                [=, x = Scalar<T>(h, alpha), y = Scalar<T>(h, beta)] {
                                  return each_of_batch(count, [&](i64 i) {
                                    const T *one = nth(a, i, step_a), *other = nth(b, i, step_b);
                                    T* to = nth(c, i, step_c);
                                    return with_operands(name, product.operands(one, other, to), [&] {
                                      return product(x.get(), one, other, y.get(), to);
                                    });
                                  });
                                }));
}

template <class T>
int gemm_batched(const char* name, BlasHandle* h, int op_a, int op_b, i64 m, i64 n, i64 k, const T* alpha,
                 const T* const* a, i64 lda, const T* const* b, i64 ldb, const T* beta, T* const* c, i64 ldc,
                 i64 count) {
  const Gemm<T> product = gemm_of<T>(op_a, op_b, m, n, k, lda, ldb, ldc);
  if (BlasStatus bad = check_call(h, {m, n, k, lda, ldb, ldc, count}, {product.op_a, product.op_b});
      bad != blas_success)
    return bad;
  if (!product.fits() || !alpha || !beta) return blas_invalid_value;
  return status_of(library_call(
      name, h->stream,
      {vector(a, count, 1), vector(b, count, 1), vector(c, count, 1), scalar(h, alpha), scalar(h, beta)},
      [=, x = Scalar<T>(h, alpha), y = Scalar<T>(h, beta)] {
        return each_of_batch(count, [&](i64 i) {
          return with_operands(name, product.operands(a[i], b[i], c[i]),
                               [&] { return product(x.get(), a[i], b[i], y.get(), c[i]); });
        });
      }));
}

template <class T>
int gemv(const char* name, BlasHandle* h, int op, i64 m, i64 n, const T* alpha, const T* a, i64 lda,
         const T* x, i64 step_x, const T* beta, T* y, i64 step_y) {
  const char letter = op_letter(op);
  if (BlasStatus bad = check_call(h, {m, n, lda}, {letter}); bad != blas_success) return bad;
  if (!leads(lda, m) || step_x == 0 || step_y == 0 || !fit_int({step_x, step_y}) || !alpha || !beta)
    return blas_invalid_value;
  const i64 wide = letter == 'N' ? n : m, high = letter == 'N' ? m : n;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), leading = static_cast<int>(lda),
            from = static_cast<int>(step_x), to = static_cast<int>(step_y);
  return status_of(library_call(name, h->stream,
                                {matrix(a, m, n, lda), vector(x, wide, step_x), vector(y, high, step_y),
                                 scalar(h, alpha), scalar(h, beta)},
                                [=, p = Scalar<T>(h, alpha), q = Scalar<T>(h, beta)] {
                                  return fortran<T>("gemv", letter, rows, columns, p.get(), a, leading, x,
                                                    from, q.get(), y, to);
                                }));
}

// A += alpha x yᵀ, or x yᴴ where `conjugated`.
template <class T>
int ger(const char* name, BlasHandle* h, i64 m, i64 n, const T* alpha, const T* x, i64 step_x, const T* y,
        i64 step_y, T* a, i64 lda, bool conjugated) {
  if (BlasStatus bad = check_call(h, {m, n, lda}, {}); bad != blas_success) return bad;
  if (!leads(lda, m) || !alpha) return blas_invalid_value;
  return vector_call(
      name, h, {vector(x, m, step_x), vector(y, n, step_y), matrix(a, m, n, lda), scalar(h, alpha)},
      [=, p = Scalar<T>(h, alpha)] {
        Strided<const T> from(x, m, step_x), other(y, n, step_y);
        for (i64 j = 0; j < n; ++j)
          for (i64 i = 0; i < m; ++i)
            a[j * lda + i] += p.get() * from[i] * (conjugated ? conjugate(other[j]) : other[j]);
      });
}

// symv and the like: y = alpha A x + beta y of a matrix of which one triangle is stored.
template <class T>
int symv(const char* name, const char* routine, BlasHandle* h, int fill, i64 n, const T* alpha, const T* a,
         i64 lda, const T* x, i64 step_x, const T* beta, T* y, i64 step_y) {
  const char uplo = fill_letter(fill);
  if (BlasStatus bad = check_call(h, {n, lda}, {uplo}); bad != blas_success) return bad;
  if (!leads(lda, n) || step_x == 0 || step_y == 0 || !fit_int({step_x, step_y}) || !alpha || !beta)
    return blas_invalid_value;
  const int size = static_cast<int>(n), leading = static_cast<int>(lda), from = static_cast<int>(step_x),
            to = static_cast<int>(step_y);
  return status_of(library_call(
      name, h->stream,
      {matrix(a, n, n, lda), vector(x, n, step_x), vector(y, n, step_y), scalar(h, alpha), scalar(h, beta)},
      [=, p = Scalar<T>(h, alpha), q = Scalar<T>(h, beta)] {
        return fortran<T>(routine, uplo, size, p.get(), a, leading, x, from, q.get(), y, to);
      }));
}

// trsv, trmv.
template <class T>
int triangular_vector(const char* name, const char* routine, BlasHandle* h, int fill, int op, int diagonal,
                      i64 n, const T* a, i64 lda, T* x, i64 step) {
  const char uplo = fill_letter(fill), letter = op_letter(op), diag = diagonal_letter(diagonal);
  if (BlasStatus bad = check_call(h, {n, lda}, {uplo, letter, diag}); bad != blas_success) return bad;
  if (!leads(lda, n) || step == 0 || !fit_int({step})) return blas_invalid_value;
  const int size = static_cast<int>(n), leading = static_cast<int>(lda), by = static_cast<int>(step);
  return status_of(library_call(name, h->stream, {matrix(a, n, n, lda), vector(x, n, step)}, [=] {
    return fortran<T>(routine, uplo, letter, diag, size, a, leading, x, by);
  }));
}

// symm, hemm.
template <class T>
int symm(const char* name, const char* routine, BlasHandle* h, int side, int fill, i64 m, i64 n,
         const T* alpha, const T* a, i64 lda, const T* b, i64 ldb, const T* beta, T* c, i64 ldc) {
  const char where = side_letter(side), uplo = fill_letter(fill);
  if (BlasStatus bad = check_call(h, {m, n, lda, ldb, ldc}, {where, uplo}); bad != blas_success) return bad;
  const i64 order = where == 'L' ? m : n;
  if (!leads(lda, order) || !leads(ldb, m) || !leads(ldc, m) || !alpha || !beta) return blas_invalid_value;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), la = static_cast<int>(lda),
            lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  return status_of(library_call(name, h->stream,
                                {matrix(a, order, order, lda), matrix(b, m, n, ldb), matrix(c, m, n, ldc),
                                 scalar(h, alpha), scalar(h, beta)},
                                [=, p = Scalar<T>(h, alpha), q = Scalar<T>(h, beta)] {
                                  return fortran<T>(routine, where, uplo, rows, columns, p.get(), a, la, b,
                                                    lb, q.get(), c, lc);
                                }));
}

// syrk, herk: S is the type of alpha and beta, real where the result is Hermitian.
template <class T, class S>
int syrk(const char* name, const char* routine, BlasHandle* h, int fill, int op, i64 n, i64 k, const S* alpha,
         const T* a, i64 lda, const S* beta, T* c, i64 ldc) {
  const char uplo = fill_letter(fill), letter = op_letter(op);
  if (BlasStatus bad = check_call(h, {n, k, lda, ldc}, {uplo, letter}); bad != blas_success) return bad;
  if (!leads(lda, letter == 'N' ? n : k) || !leads(ldc, n) || !alpha || !beta) return blas_invalid_value;
  const int order = static_cast<int>(n), inner = static_cast<int>(k), la = static_cast<int>(lda),
            lc = static_cast<int>(ldc);
  return status_of(library_call(
      name, h->stream,
      {operand_of(a, n, k, lda, letter), matrix(c, n, n, ldc), scalar(h, alpha), scalar(h, beta)},
      [=, p = Scalar<S>(h, alpha), q = Scalar<S>(h, beta)] {
        return fortran<T>(routine, uplo, letter, order, inner, p.get(), a, la, q.get(), c, lc);
      }));
}

template <class T>
int syr2k(const char* name, BlasHandle* h, int fill, int op, i64 n, i64 k, const T* alpha, const T* a,
          i64 lda, const T* b, i64 ldb, const T* beta, T* c, i64 ldc) {
  const char uplo = fill_letter(fill), letter = op_letter(op);
  if (BlasStatus bad = check_call(h, {n, k, lda, ldb, ldc}, {uplo, letter}); bad != blas_success) return bad;
  const i64 rows = letter == 'N' ? n : k;
  if (!leads(lda, rows) || !leads(ldb, rows) || !leads(ldc, n) || !alpha || !beta) return blas_invalid_value;
  const int order = static_cast<int>(n), inner = static_cast<int>(k), la = static_cast<int>(lda),
            lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  return status_of(library_call(name, h->stream,
                                {operand_of(a, n, k, lda, letter), operand_of(b, n, k, ldb, letter),
                                 matrix(c, n, n, ldc), scalar(h, alpha), scalar(h, beta)},
                                [=, p = Scalar<T>(h, alpha), q = Scalar<T>(h, beta)] {
                                  return fortran<T>("syr2k", uplo, letter, order, inner, p.get(), a, la, b,
                                                    lb, q.get(), c, lc);
                                }));
}

// trsm in place; trmm of cuBLAS has a place of its own for the result, which may be B's.
template <class T> struct Triangular {
  char side, uplo, op, diag;
  int m, n, lda, ldb;
  cudaError_t operator()(const char* routine, T alpha, const T* a, T* b) const {
    return fortran<T>(routine, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb);
  }
  bool fits() const { return leads(lda, side == 'L' ? m : n) && leads(ldb, m); }
  std::vector<Operand> operands(const T* a, const T* b) const {
    const int order = side == 'L' ? m : n;
    return {matrix(a, order, order, lda), matrix(b, m, n, ldb)};
  }
};
template <class T>
Triangular<T> triangular_of(int side, int fill, int op, int diagonal, i64 m, i64 n, i64 lda, i64 ldb) {
  return {side_letter(side),   fill_letter(fill),   op_letter(op),         diagonal_letter(diagonal),
          static_cast<int>(m), static_cast<int>(n), static_cast<int>(lda), static_cast<int>(ldb)};
}
template <class T> BlasStatus check_triangular(const BlasHandle* h, const Triangular<T>& t, const T* alpha) {
  BlasStatus bad = check_call(h, {t.m, t.n, t.lda, t.ldb}, {t.side, t.uplo, t.op, t.diag});
  return bad != blas_success ? bad : t.fits() && alpha ? blas_success : blas_invalid_value;
}

template <class T>
int trsm(const char* name, BlasHandle* h, int side, int fill, int op, int diagonal, i64 m, i64 n,
         const T* alpha, const T* a, i64 lda, T* b, i64 ldb) {
  if (!fit_int({m, n, lda, ldb})) return blas_not_supported;
  const Triangular<T> t = triangular_of<T>(side, fill, op, diagonal, m, n, lda, ldb);
  if (BlasStatus bad = check_triangular(h, t, alpha); bad != blas_success) return bad;
  std::vector<Operand> operands = t.operands(a, b);
  operands.push_back(scalar(h, alpha));
  return status_of(library_call(name, h->stream, std::move(operands),
                                [=, p = Scalar<T>(h, alpha)] { return t("trsm", p.get(), a, b); }));
}

template <class T>
int trmm(const char* name, BlasHandle* h, int side, int fill, int op, int diagonal, i64 m, i64 n,
         const T* alpha, const T* a, i64 lda, const T* b, i64 ldb, T* c, i64 ldc) {
  if (!fit_int({m, n, lda, ldb, ldc}) || !leads(ldb, m)) return blas_invalid_value;
  const Triangular<T> t = triangular_of<T>(side, fill, op, diagonal, m, n, lda, ldc);
  if (BlasStatus bad = check_triangular(h, t, alpha); bad != blas_success) return bad;
  std::vector<Operand> operands = t.operands(a, c);
  operands.insert(operands.end(), {matrix(b, m, n, ldb), scalar(h, alpha)});
  return status_of(library_call(name, h->stream, std::move(operands), [=, p = Scalar<T>(h, alpha)] {
    for (i64 j = 0; j < n && b != c; ++j) std::copy_n(b + j * ldb, m, c + j * ldc);
    return t("trmm", p.get(), a, c);
  }));
}

template <class T>
int trsm_batched(const char* name, BlasHandle* h, int side, int fill, int op, int diagonal, i64 m, i64 n,
                 const T* alpha, const T* const* a, i64 lda, T* const* b, i64 ldb, i64 count) {
  if (!fit_int({m, n, lda, ldb, count})) return blas_not_supported;
  const Triangular<T> t = triangular_of<T>(side, fill, op, diagonal, m, n, lda, ldb);
  if (BlasStatus bad = check_triangular(h, t, alpha); bad != blas_success) return bad;
  return status_of(library_call(name, h->stream, {vector(a, count, 1), vector(b, count, 1), scalar(h, alpha)},
                                [=, p = Scalar<T>(h, alpha)] {
                                  return each_of_batch(count, [&](i64 i) {
                                    return with_operands(name, t.operands(a[i], b[i]),
                                                         [&] { return t("trsm", p.get(), a[i], b[i]); });
                                  });
                                }));
}

// C = alpha op(A) + beta op(B); C may be A or B where they are not transposed.
template <class T>
int geam(const char* name, BlasHandle* h, int op_a, int op_b, i64 m, i64 n, const T* alpha, const T* a,
         i64 lda, const T* beta, const T* b, i64 ldb, T* c, i64 ldc) {
  const char la = op_letter(op_a), lb = op_letter(op_b);
  if (BlasStatus bad = check_call(h, {m, n}, {la, lb}); bad != blas_success) return bad;
  if (!leads(ldc, m) || !alpha || !beta) return blas_invalid_value;
  auto at = [](const T* from, i64 leading, char op, i64 i, i64 j) {
    return op == 'N'   ? from[j * leading + i]
           : op == 'T' ? from[i * leading + j]
                       : conjugate(from[i * leading + j]);
  };
  auto read = [&](const T* from, i64 leading, char op, const T* factor) {
    const bool unread = !from && h->pointer_mode == 0 && *factor == T{};
    return unread ? Operand{from, 0} : operand_of(from, m, n, leading, op);
  };
  const Operand first = read(a, lda, la, alpha), second = read(b, ldb, lb, beta);
  return vector_call(name, h, {first, second, matrix(c, m, n, ldc), scalar(h, alpha), scalar(h, beta)},
                     [=, p = Scalar<T>(h, alpha), q = Scalar<T>(h, beta)] {
                       for (i64 j = 0; j < n; ++j)
                         for (i64 i = 0; i < m; ++i) {
                           T sum{}; // what is multiplied by zero is not read
                           if (p.get() != T{}) sum += p.get() * at(a, lda, la, i, j);
                           if (q.get() != T{}) sum += q.get() * at(b, ldb, lb, i, j);
                           c[j * ldc + i] = sum;
                         }
                     });
}

// C = diag(x) A, or A diag(x) at the right.
template <class T>
int dgmm(const char* name, BlasHandle* h, int side, i64 m, i64 n, const T* a, i64 lda, const T* x, i64 step,
         T* c, i64 ldc) {
  const char where = side_letter(side);
  if (BlasStatus bad = check_call(h, {m, n}, {where}); bad != blas_success) return bad;
  if (!leads(lda, m) || !leads(ldc, m)) return blas_invalid_value;
  const i64 length = where == 'L' ? m : n;
  return vector_call(name, h, {matrix(a, m, n, lda), vector(x, length, step), matrix(c, m, n, ldc)}, [=] {
    Strided<const T> diagonal(x, length, step);
    for (i64 j = 0; j < n; ++j)
      for (i64 i = 0; i < m; ++i) c[j * ldc + i] = a[j * lda + i] * diagonal[where == 'L' ? i : j];
  });
}

} // namespace warplens::runtime
