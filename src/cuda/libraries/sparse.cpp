// cuSPARSE's generic interface, as far as products go: a sparse matrix times a dense vector or matrix, in float, double and
// their complex types, or of real types that differ. Sums are made in double, row by row in the order in which the elements are stored.
#include "libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

// How elements are read and written: of one type, or of real types that differ, by way of double.
template <class T> struct OneType {
  using Number = Wide<T>;
  Number a(const void* values, i64 i) const { return Number(static_cast<const T*>(values)[i]); }
  Number b(const void* values, i64 i) const { return a(values, i); }
  Number c(const void* values, i64 i) const { return a(values, i); }
  void write(void* values, i64 i, Number x) const { static_cast<T*>(values)[i] = T(x); }
};
struct MixedTypes {
  using Number = double;
  int type_a, type_b, type_c;
  double a(const void* values, i64 i) const { return read_element(values, type_a, static_cast<u64>(i)); }
  double b(const void* values, i64 i) const { return read_element(values, type_b, static_cast<u64>(i)); }
  double c(const void* values, i64 i) const { return read_element(values, type_c, static_cast<u64>(i)); }
  void write(void* values, i64 i, double x) const { write_element(values, type_c, static_cast<u64>(i), x); }
};

// C = alpha op(A) B + beta C.
template <class Elements, class W = typename Elements::Number>
cudaError_t multiply(const Elements& of, const SparseMatrix& a, int op, const View& b, const View& c,
                     bool conjugated_b, W alpha, W beta) {
  if (c.columns == 0) return cudaSuccess; // and perhaps more rows than there is memory
  std::vector<W> sums(static_cast<std::size_t>(c.rows * c.columns));
  cudaError_t error = each_element(a, [&](i64 row, i64 column, i64 i) {
    const i64 to = op == 0 ? row : column, from = op == 0 ? column : row;
    const W value = turned(of.a(a.values, i), op == 2);
    for (i64 j = 0; j < c.columns; ++j)
      sums[static_cast<std::size_t>(to * c.columns + j)] +=
          value * turned(of.b(b.values, b.at(from, j)), conjugated_b);
  });
  if (error != cudaSuccess) return error;
  for (i64 i = 0; i < c.rows; ++i)
    for (i64 j = 0; j < c.columns; ++j) {
      W sum = alpha * sums[static_cast<std::size_t>(i * c.columns + j)];
      if (beta != W{}) sum += beta * of.c(c.values, c.at(i, j)); // what is multiplied by zero is not read
      of.write(c.values, c.at(i, j), sum);
    }
  return cudaSuccess;
}

} // namespace

int sparse_product(const char* name, SparseHandle* handle, int op, const void* alpha, const SparseMatrix& a,
                   const SparseFactor& b, bool conjugated_b, const void* beta, const SparseFactor& c,
                   int scalar_type) {
  if (!alpha || !beta || op < 0 || op > 2) return sparse_invalid_value;
  const bool same = known_type(a.type) && b.type == a.type && c.type == a.type,
             real = element_bytes(a.type) != 0 && element_bytes(b.type) != 0 && element_bytes(c.type) != 0;
  if (same) scalar_type = a.type;
  if (!same && (!real || (scalar_type != real_32 && scalar_type != real_64 && scalar_type != integer_32))) {
    library_gap(fmt::format("{} of these types", name));
    return sparse_not_supported;
  }
  const View &x = b.view, &y = c.view;
  const i64 high = op == 0 ? a.rows : a.columns, wide = op == 0 ? a.columns : a.rows;
  if (y.rows != high || x.rows != wide || x.columns != y.columns) return sparse_invalid_value;
  const int batches = common_batches({a.batches, x.batches, y.batches});
  if (batches == 0 || y.batches != batches) return sparse_invalid_value;
  std::vector<Operand> operands = operands_of(a);
  operands.insert(operands.end(), {b.operand, c.operand, scalar(*handle, alpha, scalar_type),
                                   scalar(*handle, beta, scalar_type)});
  auto each_of_batch = [=, bytes_b = value_bytes(b.type), bytes_c = value_bytes(c.type)](auto&& one) {
    cudaError_t error = cudaSuccess;
    for (i64 i = 0; error == cudaSuccess && i < batches; ++i)
      error = one(nth_of(a, i), nth_of(x, i, bytes_b), nth_of(y, i, bytes_c));
    return error;
  };
  return sparse_status(library_call(
      name, handle->stream, std::move(operands),
      [=, mixed = MixedTypes{a.type, b.type, c.type}, p = SparseScalar(*handle, scalar_type, alpha),
       q = SparseScalar(*handle, scalar_type, beta)] {
        if (!same)
          return each_of_batch([&](const SparseMatrix& m, const View& from, const View& to) {
            return multiply(mixed, m, op, from, to, false, read_element(p.at(), scalar_type, 0),
                            read_element(q.at(), scalar_type, 0));
          });
        return of_type(scalar_type, [&](auto zero) {
          using T = decltype(zero);
          return each_of_batch([&](const SparseMatrix& m, const View& from, const View& to) {
            return multiply(OneType<T>{}, m, op, from, to, conjugated_b, Wide<T>(p.get<T>()),
                            Wide<T>(q.get<T>()));
          });
        });
      }));
}

extern "C" {

// Analyses and preparations: nothing of them is needed, whatever their parameters.
int sparse_nothing_to_prepare() { return sparse_success; }

int cusparseCreate(SparseHandle** handle) {
  std::lock_guard lock(Runtime::get().mutex);
  return Runtime::get().start() == cudaSuccess ? create(handle, SparseHandle{}) : sparse_not_initialized;
}
int cusparseDestroy(SparseHandle* handle) { return destroy(handle); }
int cusparseSetStream(SparseHandle* handle, cudaStream_t stream) {
  return set(handle, &SparseHandle::stream, stream);
}
int cusparseGetStream(SparseHandle* handle, cudaStream_t* stream) {
  return get(handle, &SparseHandle::stream, stream);
}
int cusparseSetPointerMode(SparseHandle* handle, int mode) {
  return set(handle, &SparseHandle::pointer_mode, mode);
}
int cusparseGetPointerMode(SparseHandle* handle, int* mode) {
  return get(handle, &SparseHandle::pointer_mode, mode);
}
int cusparseGetVersion(SparseHandle*, int* version) { return answer(version, 12600, sparse_invalid_value); }
int cusparseGetProperty(int which, int* value) { // major, minor, patch
  if (!value || which < 0 || which > 2) return sparse_invalid_value;
  constexpr int parts[] = {12, 6, 0};
  *value = parts[which];
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
int cusparseSpMV(SparseHandle* h, int op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                 const void* beta, const DenseVector* y, int scalar_type, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, x, y)) return bad;
  return sparse_product("cusparseSpMV", h, op, alpha, *a, {view_of(*x), operand(*x), x->type}, false, beta,
                        {view_of(*y), operand(*y), y->type}, scalar_type);
}

int cusparseSpMM_bufferSize(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const void*, const DenseMatrix*, int, int, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSpMM(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                 const DenseMatrix* b, const void* beta, const DenseMatrix* c, int scalar_type, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b, c)) return bad;
  return sparse_product("cusparseSpMM", h, op_a, alpha, *a, {view_of(*b, op_b != 0), operand(*b), b->type},
                        op_b == 2, beta, {view_of(*c, false), operand(*c), c->type}, scalar_type);
}

} // extern "C"
} // namespace warplens::runtime
