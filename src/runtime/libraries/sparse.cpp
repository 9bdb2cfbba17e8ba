// cuSPARSE's generic interface, as far as products go: a sparse matrix times a dense vector or matrix, in float, double and
// their complex types. Sums are made in double, row by row in the order in which the elements are stored.
#include "runtime/libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

// C = alpha op(A) B + beta C.
template <class T>
cudaError_t multiply(const SparseMatrix& a, int op, const View& b, const View& c, bool conjugated_b, T alpha,
                     T beta) {
  using W = Wide<T>;
  if (c.columns == 0) return cudaSuccess; // and perhaps more rows than there is memory
  const W p(alpha), q(beta);
  std::vector<W> sums(static_cast<std::size_t>(c.rows * c.columns));
  const T* x = static_cast<const T*>(b.values);
  const T* values = static_cast<const T*>(a.values);
  cudaError_t error = each_element(a, [&](i64 row, i64 column, i64 i) {
    const i64 to = op == 0 ? row : column, from = op == 0 ? column : row;
    const W value = turned(W(values[i]), op == 2);
    for (i64 j = 0; j < c.columns; ++j)
      sums[static_cast<std::size_t>(to * c.columns + j)] += value * turned(W(x[b.at(from, j)]), conjugated_b);
  });
  if (error != cudaSuccess) return error;
  T* y = static_cast<T*>(c.values);
  for (i64 i = 0; i < c.rows; ++i)
    for (i64 j = 0; j < c.columns; ++j) {
      T& out = y[c.at(i, j)];
      W sum = p * sums[static_cast<std::size_t>(i * c.columns + j)];
      if (q != W{}) sum += q * W(out); // what is multiplied by zero is not read
      out = T(sum);
    }
  return cudaSuccess;
}

int product(const char* name, SparseHandle* handle, int op, const void* alpha, const SparseMatrix* a,
            const View& b, std::vector<Operand> dense, bool conjugated_b, const void* beta, const View& c,
            int type_b, int type_c) {
  if (!alpha || !beta || op < 0 || op > 2) return sparse_invalid_value;
  if (!known_type(a->type) || type_b != a->type || type_c != a->type) {
    library_gap(fmt::format("{} of mixed or narrow types", name));
    return sparse_not_supported;
  }
  const i64 high = op == 0 ? a->rows : a->columns, wide = op == 0 ? a->columns : a->rows;
  if (c.rows != high || b.rows != wide || b.columns != c.columns) return sparse_invalid_value;
  const int batches = common_batches({a->batches, b.batches, c.batches});
  if (batches == 0 || c.batches != batches) return sparse_invalid_value;
  std::vector<Operand> operands = operands_of(*a);
  operands.insert(operands.end(), dense.begin(), dense.end());
  operands.insert(operands.end(), {scalar(*handle, alpha, a->type), scalar(*handle, beta, a->type)});
  return sparse_status(library_call(
      name, handle->stream, std::move(operands),
      [=, m = *a, p = SparseScalar(*handle, a->type, alpha), q = SparseScalar(*handle, a->type, beta)] {
        return of_type(m.type, [&](auto zero) {
          using T = decltype(zero);
          cudaError_t error = cudaSuccess;
          for (i64 i = 0; error == cudaSuccess && i < batches; ++i)
            error = multiply<T>(nth_of(m, i), op, nth_of(b, i, sizeof(T)), nth_of(c, i, sizeof(T)),
                                conjugated_b, p.get<T>(), q.get<T>());
          return error;
        });
      }));
}

} // namespace

extern "C" {

int cusparseCreate(SparseHandle** handle) {
  std::lock_guard lock(Runtime::get().mutex);
  return Runtime::get().start() == cudaSuccess ? create(handle, SparseHandle{}) : sparse_not_initialized;
}
int cusparseDestroy(SparseHandle* handle) { return destroy(handle); }
int cusparseSetStream(SparseHandle* handle, cudaStream_t stream) {
  return with(handle, [&](SparseHandle& h) { h.stream = stream; });
}
int cusparseGetStream(SparseHandle* handle, cudaStream_t* stream) {
  return stream ? with(handle, [&](SparseHandle& h) { *stream = h.stream; }) : sparse_invalid_value;
}
int cusparseSetPointerMode(SparseHandle* handle, int mode) {
  return with(handle, [&](SparseHandle& h) { h.pointer_mode = mode; });
}
int cusparseGetPointerMode(SparseHandle* handle, int* mode) {
  return mode ? with(handle, [&](SparseHandle& h) { *mode = h.pointer_mode; }) : sparse_invalid_value;
}
int cusparseGetVersion(SparseHandle*, int* version) {
  if (!version) return sparse_invalid_value;
  *version = 12600;
  return sparse_success;
}
const char* cusparseGetErrorName(int status) {
  return status == sparse_success         ? "CUSPARSE_STATUS_SUCCESS"
         : status == sparse_not_supported ? "CUSPARSE_STATUS_NOT_SUPPORTED"
         : status == sparse_invalid_value ? "CUSPARSE_STATUS_INVALID_VALUE"
                                          : "CUSPARSE_STATUS_EXECUTION_FAILED";
}
const char* cusparseGetErrorString(int status) {
  return status == sparse_success         ? "success"
         : status == sparse_not_supported ? "operation not supported"
         : status == sparse_invalid_value ? "invalid value"
                                          : "execution failed";
}

int cusparseSpMV_bufferSize(SparseHandle*, int, const void*, const SparseMatrix*, const DenseVector*,
                            const void*, const DenseVector*, int, int, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSpMV_preprocess(SparseHandle*, int, const void*, const SparseMatrix*, const DenseVector*,
                            const void*, const DenseVector*, int, int, void*) {
  return sparse_success;
}
int cusparseSpMV(SparseHandle* h, int op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                 const void* beta, const DenseVector* y, int, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, x, y)) return bad;
  return product("cusparseSpMV", h, op, alpha, a, view_of(*x), {operand(*x), operand(*y)}, false, beta,
                 view_of(*y), x->type, y->type);
}

int cusparseSpMM_bufferSize(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const void*, const DenseMatrix*, int, int, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSpMM_preprocess(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const void*, const DenseMatrix*, int, int, void*) {
  return sparse_success;
}
int cusparseSpMM(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                 const DenseMatrix* b, const void* beta, const DenseMatrix* c, int, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b, c)) return bad;
  return product("cusparseSpMM", h, op_a, alpha, a, view_of(*b, op_b != 0), {operand(*b), operand(*c)},
                 op_b == 2, beta, view_of(*c, false), b->type, c->type);
}

} // extern "C"
} // namespace warplens::runtime
