// cuBLAS's products with types of their own for each matrix (GemmEx), and of halves. The host's BLAS has float and double: the
// elements are widened, multiplied and narrowed again. Products of 8-bit integers are exact in double.
#include "libraries/blas_elements.h"
#include "libraries/blas_matrices.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

struct Side {
  const void* data;
  int type;
  i64 leading;
  long long step; // from one matrix of a batch to the next, in elements
};

struct Product {
  const char* name;
  char op_a, op_b;
  i64 m, n, k;
  int scalars;
  double alpha = 0, beta = 0;
  const void *alpha_at = nullptr,
             *beta_at = nullptr; // in device memory, to be read when the work is done; or null
};

// The i-th of a batch.
Side nth_side(Side side, i64 i) {
  side.data = nth(static_cast<const std::byte*>(side.data), i * static_cast<i64>(element_bytes(side.type)),
                  side.step);
  return side;
}

template <class T> std::vector<T> widened(const Side& side, i64 rows, i64 columns) {
  std::vector<T> out(static_cast<std::size_t>(rows * columns));
  for (i64 j = 0; j < columns; ++j)
    for (i64 i = 0; i < rows; ++i)
      out[static_cast<std::size_t>(j * rows + i)] =
          static_cast<T>(read_element(side.data, side.type, static_cast<u64>(j * side.leading + i)));
  return out;
}

// One product, in T.
template <class T> cudaError_t multiply(const Product& p, const Side& a, const Side& b, const Side& c) {
  if (p.m == 0 || p.n == 0) return cudaSuccess;
  const double alpha = p.alpha_at ? read_element(p.alpha_at, p.scalars, 0) : p.alpha,
               beta = p.beta_at ? read_element(p.beta_at, p.scalars, 0) : p.beta;
  const i64 rows_a = p.op_a == 'N' ? p.m : p.k, rows_b = p.op_b == 'N' ? p.k : p.n;
  const std::vector<T> x = widened<T>(a, rows_a, p.op_a == 'N' ? p.k : p.m),
                       y = widened<T>(b, rows_b, p.op_b == 'N' ? p.n : p.k);
  std::vector<T> z =
      beta != 0 ? widened<T>(c, p.m, p.n) : std::vector<T>(static_cast<std::size_t>(p.m * p.n));
  auto number = [](i64 n) { return static_cast<int>(n); };
  auto leading = [](i64 rows) { return static_cast<int>(std::max<i64>(1, rows)); };
  const Gemm<T> gemm{p.op_a,      p.op_b,          number(p.m),     number(p.n),
                     number(p.k), leading(rows_a), leading(rows_b), leading(p.m)};
  if (cudaError_t error = gemm(static_cast<T>(alpha), x.data(), y.data(), static_cast<T>(beta), z.data());
      error != cudaSuccess)
    return error;
  for (i64 j = 0; j < p.n; ++j)
    for (i64 i = 0; i < p.m; ++i)
      write_element(const_cast<void*>(c.data), c.type, static_cast<u64>(j * c.leading + i),
                    double{z[static_cast<std::size_t>(j * p.m + i)]});
  return cudaSuccess;
}

std::vector<Operand> operands_of(const Product& p, const Side& a, const Side& b, const Side& c) {
  auto operand = [&](const Side& side, i64 rows, i64 columns) {
    return matrix_of(side.data, rows, columns, side.leading, element_bytes(side.type));
  };
  return {p.op_a == 'N' ? operand(a, p.m, p.k) : operand(a, p.k, p.m),
          p.op_b == 'N' ? operand(b, p.k, p.n) : operand(b, p.n, p.k), operand(c, p.m, p.n)};
}

cudaError_t checked(const Product& p, const Side& a, const Side& b, const Side& c) {
  const bool in_double = p.scalars == real_64 || p.scalars == integer_32 || a.type == real_64;
  return with_operands(p.name, operands_of(p, a, b, c), [&] {
    return in_double ? multiply<double>(p, a, b, c) : multiply<float>(p, a, b, c);
  });
}

std::vector<Operand> scalars_of(const Product& p) { // those in device memory
  auto one = [&](const void* at) { return Operand{at, at ? element_bytes(p.scalars) : 0}; };
  return {one(p.alpha_at), one(p.beta_at)};
}

struct ExtendedCall { // what all these functions are given
  const char* name;
  BlasHandle* handle;
  int op_a, op_b;
  i64 m, n, k;
  const void *alpha, *beta;
  int compute;
};

int check(const ExtendedCall& call, const Side& a, const Side& b, const Side& c, Product& p) {
  p = {call.name, op_letter(call.op_a),     op_letter(call.op_b), call.m, call.n,
       call.k,    scalar_type(call.compute)};
  if (BlasStatus bad = check_call(call.handle, {call.m, call.n, call.k}, {p.op_a, p.op_b});
      bad != blas_success)
    return bad;
  auto known = [](int type) { return element_bytes(type) > 1 || type == integer_8; };
  if (!known(a.type) || !known(b.type) || !known(c.type) || c.type == integer_8) {
    library_gap(fmt::format("{} of complex or 8-bit results", call.name));
    return blas_not_supported;
  }
  if (!leads(a.leading, p.op_a == 'N' ? p.m : p.k) || !leads(b.leading, p.op_b == 'N' ? p.k : p.n) ||
      !leads(c.leading, p.m) || !call.alpha || !call.beta)
    return blas_invalid_value;
  if (call.handle->pointer_mode != 0)
    p.alpha_at = call.alpha, p.beta_at = call.beta;
  else
    p.alpha = read_element(call.alpha, p.scalars, 0), p.beta = read_element(call.beta, p.scalars, 0);
  return blas_success;
}

int strided(const ExtendedCall& call, const Side& a, const Side& b, const Side& c, i64 count) {
  Product p;
  if (int bad = check(call, a, b, c, p); bad != blas_success) return bad;
  if (count <= 0) return count == 0 ? blas_success : blas_invalid_value;
  return status_of(library_call(call.name, call.handle->stream, scalars_of(p), [=] {
    return each_of_batch(count,
                         [&](i64 i) { return checked(p, nth_side(a, i), nth_side(b, i), nth_side(c, i)); });
  }));
}

int batched(const ExtendedCall& call, const void* const* a, Side of_a, const void* const* b, Side of_b,
            void* const* c, Side of_c, i64 count) {
  Product p;
  if (int bad = check(call, of_a, of_b, of_c, p); bad != blas_success) return bad;
  std::vector<Operand> operands = scalars_of(p);
  operands.insert(operands.end(), {vector(a, count, 1), vector(b, count, 1), vector(c, count, 1)});
  return status_of(library_call(call.name, call.handle->stream, std::move(operands), [=] {
    return each_of_batch(count, [&](i64 i) {
      Side x = of_a, y = of_b, z = of_c;
      x.data = a[i], y.data = b[i], z.data = c[i];
      return checked(p, x, y, z);
    });
  }));
}

} // namespace

extern "C" {

int cublasGemmEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                 int type_a, int lda, const void* b, int type_b, int ldb, const void* beta, void* c,
                 int type_c, int ldc, int compute, int) {
  return strided({"cublasGemmEx", h, op_a, op_b, m, n, k, alpha, beta, compute}, {a, type_a, lda, 0},
                 {b, type_b, ldb, 0}, {c, type_c, ldc, 0}, 1);
}
int cublasGemmStridedBatchedEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                               const void* a, int type_a, int lda, long long step_a, const void* b,
                               int type_b, int ldb, long long step_b, const void* beta, void* c, int type_c,
                               int ldc, long long step_c, int count, int compute, int) {
  return strided({"cublasGemmStridedBatchedEx", h, op_a, op_b, m, n, k, alpha, beta, compute},
                 {a, type_a, lda, step_a}, {b, type_b, ldb, step_b}, {c, type_c, ldc, step_c}, count);
}
int cublasGemmBatchedEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                        const void* const* a, int type_a, int lda, const void* const* b, int type_b, int ldb,
                        const void* beta, void* const* c, int type_c, int ldc, int count, int compute, int) {
  return batched({"cublasGemmBatchedEx", h, op_a, op_b, m, n, k, alpha, beta, compute}, a,
                 {nullptr, type_a, lda, 0}, b, {nullptr, type_b, ldb, 0}, c, {nullptr, type_c, ldc, 0},
                 count);
}
int cublasSgemmEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const float* alpha, const void* a,
                  int type_a, int lda, const void* b, int type_b, int ldb, const float* beta, void* c,
                  int type_c, int ldc) {
  return strided({"cublasSgemmEx", h, op_a, op_b, m, n, k, alpha, beta, compute_32}, {a, type_a, lda, 0},
                 {b, type_b, ldb, 0}, {c, type_c, ldc, 0}, 1);
}
int cublasHgemm(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  return strided({"cublasHgemm", h, op_a, op_b, m, n, k, alpha, beta, compute_16}, {a, real_16, lda, 0},
                 {b, real_16, ldb, 0}, {c, real_16, ldc, 0}, 1);
}
int cublasHgemmStridedBatched(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                              const void* a, int lda, long long step_a, const void* b, int ldb,
                              long long step_b, const void* beta, void* c, int ldc, long long step_c,
                              int count) {
  return strided({"cublasHgemmStridedBatched", h, op_a, op_b, m, n, k, alpha, beta, compute_16},
                 {a, real_16, lda, step_a}, {b, real_16, ldb, step_b}, {c, real_16, ldc, step_c}, count);
}
int cublasHgemmBatched(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                       const void* const* a, int lda, const void* const* b, int ldb, const void* beta,
                       void* const* c, int ldc, int count) {
  return batched({"cublasHgemmBatched", h, op_a, op_b, m, n, k, alpha, beta, compute_16}, a,
                 {nullptr, real_16, lda, 0}, b, {nullptr, real_16, ldb, 0}, c, {nullptr, real_16, ldc, 0},
                 count);
}

} // extern "C"
} // namespace warplens::runtime
