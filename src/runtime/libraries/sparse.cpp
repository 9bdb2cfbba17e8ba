// cuSPARSE's generic interface, as far as products go: a sparse matrix (CSR, CSC, COO) times a dense vector or matrix, in float,
// double and their complex types. Sums are made in double, row by row in the order in which the elements are stored.
#include "runtime/libraries/blas.h"
#include <algorithm>

namespace warplens::runtime {

struct SparseHandle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0; // 1: scalars are in device memory
};
struct SparseMatrix {
  enum Format : u8 { csr, csc, coo } format;
  i64 rows, columns, count;
  void *offsets, *indices, *values; // of COO the rows, the columns
  int offset_type, index_type, base, type;
};
struct DenseVector {
  i64 size;
  void* values;
  int type;
};
struct DenseMatrix {
  i64 rows, columns, leading;
  void* values;
  int type, order;
};
struct LegacyMatrix { // of the interface before the generic one: only its settings
  int type = 0, fill = 0, diagonal = 0, base = 0;
};

namespace {

enum Status : int { // cusparseStatus_t
  sparse_success = 0,
  sparse_not_initialized = 1,
  sparse_invalid_value = 3,
  sparse_execution_failed = 6,
  sparse_not_supported = 10
};
constexpr int index_32 = 2, index_64 = 3; // cusparseIndexType_t
constexpr int by_columns = 1;             // cusparseOrder_t

// Objects that the program was given and has not destroyed; they outlive its atexit handlers.
template <class T> std::map<const T*, std::unique_ptr<T>>& objects() {
  static auto* all = new std::map<const T*, std::unique_ptr<T>>;
  return *all;
}
template <class T> int create(T** out, T value) {
  if (!out) return sparse_invalid_value;
  std::lock_guard lock(Runtime::get().mutex);
  auto created = std::make_unique<T>(value);
  *out = created.get();
  objects<T>()[*out] = std::move(created);
  return sparse_success;
}
template <class T> int destroy(T* object) {
  std::lock_guard lock(Runtime::get().mutex);
  return !object || objects<T>().erase(object) != 0 ? sparse_success : sparse_invalid_value;
}
template <class T, class Body> int with(T* object, Body&& body) {
  std::lock_guard lock(Runtime::get().mutex);
  if (!objects<T>().contains(object)) return sparse_invalid_value;
  body(*object);
  return sparse_success;
}
template <class T> bool exists(const T* object) { return objects<T>().contains(object); }

int status_of_call(cudaError_t error) {
  return error == cudaSuccess ? sparse_success : sparse_execution_failed;
}

i64 index_at(const void* list, int type, i64 i) {
  return type == index_64 ? static_cast<const i64*>(list)[i] : i64{static_cast<const i32*>(list)[i]};
}
u64 width_of(int type) { return type == index_64 ? 8 : 4; }
u64 size_of(int type) { return type == real_32 ? 4 : type == real_64 || type == complex_32 ? 8 : 16; }
bool known_type(int type) {
  return type == real_32 || type == real_64 || type == complex_32 || type == complex_64;
}

// Calls f(row, column, number) for each stored element. Indices that are none of the matrix's are an error of the call.
template <class F> cudaError_t each_element(const SparseMatrix& m, F&& f) {
  const bool coordinates = m.format == SparseMatrix::coo;
  const i64 outer = coordinates ? 1 : m.format == SparseMatrix::csr ? m.rows : m.columns;
  for (i64 o = 0; o < outer; ++o) {
    const i64 begin = coordinates ? 0 : index_at(m.offsets, m.offset_type, o) - m.base,
              end = coordinates ? m.count : index_at(m.offsets, m.offset_type, o + 1) - m.base;
    if (begin < 0 || end > m.count) return cudaErrorIllegalAddress;
    for (i64 i = begin; i < end; ++i) {
      const i64 inner = index_at(m.indices, m.index_type, i) - m.base;
      const i64 first = coordinates ? index_at(m.offsets, m.index_type, i) - m.base : o;
      const i64 row = m.format == SparseMatrix::csc ? inner : first,
                column = m.format == SparseMatrix::csc ? first : inner;
      if (row < 0 || row >= m.rows || column < 0 || column >= m.columns) return cudaErrorIllegalAddress;
      f(row, column, i);
    }
  }
  return cudaSuccess;
}

std::vector<Operand> operands_of(const SparseMatrix& m) {
  const i64 outer =
      m.format == SparseMatrix::coo ? m.count : (m.format == SparseMatrix::csr ? m.rows : m.columns) + 1;
  const int outer_type = m.format == SparseMatrix::coo ? m.index_type : m.offset_type;
  auto count = static_cast<u64>(m.count);
  return {{m.offsets, static_cast<u64>(outer) * width_of(outer_type)},
          {m.indices, count * width_of(m.index_type)},
          {m.values, count * size_of(m.type)}};
}

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, double>, double, cdouble>;
inline double turned(double x, bool) { return x; }
inline cdouble turned(const cdouble& x, bool conjugated) { return conjugated ? std::conj(x) : x; }

// A dense matrix as the product sees it: transposed where it says so.
struct View {
  void* values;
  i64 rows, columns, row_step, column_step;
};
View view_of(const DenseMatrix& m, bool transposed) {
  const i64 down = m.order == by_columns ? 1 : m.leading, right = m.order == by_columns ? m.leading : 1;
  if (transposed) return {m.values, m.columns, m.rows, right, down};
  return {m.values, m.rows, m.columns, down, right};
}

// C = alpha op(A) B + beta C.
template <class T>
cudaError_t multiply(const SparseMatrix& a, int op, const View& b, const View& c, bool conjugated_b,
                     const void* alpha, const void* beta) {
  using W = Wide<T>;
  const W p(*static_cast<const T*>(alpha)), q(*static_cast<const T*>(beta));
  std::vector<W> sums(static_cast<std::size_t>(c.rows * c.columns));
  const T* x = static_cast<const T*>(b.values);
  const T* values = static_cast<const T*>(a.values);
  cudaError_t error = each_element(a, [&](i64 row, i64 column, i64 i) {
    const i64 to = op == 0 ? row : column, from = op == 0 ? column : row;
    const W value = turned(W(values[i]), op == 2);
    for (i64 j = 0; j < c.columns; ++j)
      sums[static_cast<std::size_t>(to * c.columns + j)] +=
          value * turned(W(x[from * b.row_step + j * b.column_step]), conjugated_b);
  });
  if (error != cudaSuccess) return error;
  T* y = static_cast<T*>(c.values);
  for (i64 i = 0; i < c.rows; ++i)
    for (i64 j = 0; j < c.columns; ++j) {
      T& out = y[i * c.row_step + j * c.column_step];
      W sum = p * sums[static_cast<std::size_t>(i * c.columns + j)];
      if (q != W{}) sum += q * W(out); // what is multiplied by zero is not read
      out = T(sum);
    }
  return cudaSuccess;
}

struct Scalars { // their values now, or where they will be read
  const void *alpha, *beta;
  alignas(16) std::byte now[2][16]{};
  bool later;
  Scalars(const SparseHandle& handle, int type, const void* a, const void* b)
      : alpha(a), beta(b), later(handle.pointer_mode != 0) {
    if (later) return;
    std::copy_n(static_cast<const std::byte*>(a), size_of(type), now[0]);
    std::copy_n(static_cast<const std::byte*>(b), size_of(type), now[1]);
  }
};

int product(const char* name, SparseHandle* handle, int op, const void* alpha, const SparseMatrix* a,
            const View& b, std::vector<Operand> dense, bool conjugated_b, const void* beta, const View& c,
            int type_b, int type_c) {
  if (!alpha || !beta || op < 0 || op > 2) return sparse_invalid_value;
  if (!known_type(a->type) || type_b != a->type || type_c != a->type) {
    library_gap((std::string(name) + " of mixed or narrow types").c_str());
    return sparse_not_supported;
  }
  const i64 high = op == 0 ? a->rows : a->columns, wide = op == 0 ? a->columns : a->rows;
  if (c.rows != high || b.rows != wide || b.columns != c.columns) return sparse_invalid_value;
  std::vector<Operand> operands = operands_of(*a);
  operands.insert(operands.end(), dense.begin(), dense.end());
  return status_of_call(
      library_call(name, handle->stream, std::move(operands),
                   [=, m = *a, s = Scalars(*handle, a->type, alpha, beta)]() -> cudaError_t {
                     const void *p = s.later ? s.alpha : s.now[0], *q = s.later ? s.beta : s.now[1];
                     switch (m.type) {
                     case real_32: return multiply<float>(m, op, b, c, conjugated_b, p, q);
                     case real_64: return multiply<double>(m, op, b, c, conjugated_b, p, q);
                     case complex_32: return multiply<cfloat>(m, op, b, c, conjugated_b, p, q);
                     default: return multiply<cdouble>(m, op, b, c, conjugated_b, p, q);
                     }
                   }));
}

Operand operand(const DenseMatrix& m) {
  return m.order == by_columns ? matrix_of(m.values, m.rows, m.columns, m.leading, size_of(m.type))
                               : matrix_of(m.values, m.columns, m.rows, m.leading, size_of(m.type));
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
  return with(handle, [&](SparseHandle& h) { *stream = h.stream; });
}
int cusparseSetPointerMode(SparseHandle* handle, int mode) {
  return with(handle, [&](SparseHandle& h) { h.pointer_mode = mode; });
}
int cusparseGetPointerMode(SparseHandle* handle, int* mode) {
  return with(handle, [&](SparseHandle& h) { *mode = h.pointer_mode; });
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

int cusparseCreateMatDescr(LegacyMatrix** out) { return create(out, LegacyMatrix{}); }
int cusparseDestroyMatDescr(LegacyMatrix* m) { return destroy(m); }
int cusparseSetMatType(LegacyMatrix* m, int type) {
  return with(m, [&](LegacyMatrix& known) { known.type = type; });
}
int cusparseSetMatIndexBase(LegacyMatrix* m, int base) {
  return with(m, [&](LegacyMatrix& known) { known.base = base; });
}
int cusparseSetMatFillMode(LegacyMatrix* m, int fill) {
  return with(m, [&](LegacyMatrix& known) { known.fill = fill; });
}
int cusparseSetMatDiagType(LegacyMatrix* m, int diagonal) {
  return with(m, [&](LegacyMatrix& known) { known.diagonal = diagonal; });
}

int cusparseCreateDnVec(DenseVector** out, i64 size, void* values, int type) {
  return create(out, DenseVector{size, values, type});
}
int cusparseCreateConstDnVec(DenseVector** out, i64 size, void* values, int type) {
  return cusparseCreateDnVec(out, size, values, type);
}
int cusparseDestroyDnVec(DenseVector* v) { return destroy(v); }
int cusparseDnVecGet(DenseVector* v, i64* size, void** values, int* type) {
  return with(v, [&](DenseVector& known) { *size = known.size, *values = known.values, *type = known.type; });
}
int cusparseDnVecGetValues(DenseVector* v, void** values) {
  return with(v, [&](DenseVector& known) { *values = known.values; });
}
int cusparseDnVecSetValues(DenseVector* v, void* values) {
  return with(v, [&](DenseVector& known) { known.values = values; });
}
int cusparseCreateDnMat(DenseMatrix** out, i64 rows, i64 columns, i64 leading, void* values, int type,
                        int order) {
  return create(out, DenseMatrix{rows, columns, leading, values, type, order});
}
int cusparseCreateConstDnMat(DenseMatrix** out, i64 rows, i64 columns, i64 leading, void* values, int type,
                             int order) {
  return cusparseCreateDnMat(out, rows, columns, leading, values, type, order);
}
int cusparseDestroyDnMat(DenseMatrix* m) { return destroy(m); }
int cusparseDnMatSetValues(DenseMatrix* m, void* values) {
  return with(m, [&](DenseMatrix& known) { known.values = values; });
}
int cusparseDnMatGetValues(DenseMatrix* m, void** values) {
  return with(m, [&](DenseMatrix& known) { *values = known.values; });
}

int cusparseCreateCsr(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                      void* values, int offset_type, int index_type, int base, int type) {
  return create(out, SparseMatrix{SparseMatrix::csr, rows, columns, count, offsets, indices, values,
                                  offset_type, index_type, base, type});
}
int cusparseCreateConstCsr(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                           void* values, int offset_type, int index_type, int base, int type) {
  return cusparseCreateCsr(out, rows, columns, count, offsets, indices, values, offset_type, index_type, base,
                           type);
}
int cusparseCreateCsc(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                      void* values, int offset_type, int index_type, int base, int type) {
  return create(out, SparseMatrix{SparseMatrix::csc, rows, columns, count, offsets, indices, values,
                                  offset_type, index_type, base, type});
}
int cusparseCreateCoo(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* row_indices,
                      void* column_indices, void* values, int index_type, int base, int type) {
  return create(out, SparseMatrix{SparseMatrix::coo, rows, columns, count, row_indices, column_indices,
                                  values, index_type, index_type, base, type});
}
int cusparseDestroySpMat(SparseMatrix* m) { return destroy(m); }
int cusparseSpMatGetSize(SparseMatrix* m, i64* rows, i64* columns, i64* count) {
  return with(
      m, [&](SparseMatrix& known) { *rows = known.rows, *columns = known.columns, *count = known.count; });
}
int cusparseSpMatGetValues(SparseMatrix* m, void** values) {
  return with(m, [&](SparseMatrix& known) { *values = known.values; });
}
int cusparseSpMatSetValues(SparseMatrix* m, void* values) {
  return with(m, [&](SparseMatrix& known) { known.values = values; });
}
int cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return with(m, [&](SparseMatrix& known) {
    known.offsets = offsets, known.indices = indices, known.values = values;
  });
}

// Room for intermediate results is not needed; programs allocate what they are told, and some do not like 0.
int cusparseSpMV_bufferSize(SparseHandle*, int, const void*, const SparseMatrix*, const DenseVector*,
                            const void*, const DenseVector*, int, int, std::size_t* bytes) {
  if (!bytes) return sparse_invalid_value;
  *bytes = 16;
  return sparse_success;
}
int cusparseSpMV_preprocess(SparseHandle*, int, const void*, const SparseMatrix*, const DenseVector*,
                            const void*, const DenseVector*, int, int, void*) {
  return sparse_success;
}
int cusparseSpMV(SparseHandle* h, int op, const void* alpha, const SparseMatrix* a, const DenseVector* x,
                 const void* beta, const DenseVector* y, int, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (!exists(h)) return sparse_not_initialized;
  if (!exists(a) || !exists(x) || !exists(y)) return sparse_invalid_value;
  auto bytes = [](const DenseVector& v) { return static_cast<u64>(v.size) * size_of(v.type); };
  return product("cusparseSpMV", h, op, alpha, a, {x->values, x->size, 1, 1, 0},
                 {{x->values, bytes(*x)}, {y->values, bytes(*y)}}, false, beta, {y->values, y->size, 1, 1, 0},
                 x->type, y->type);
}

int cusparseSpMM_bufferSize(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const void*, const DenseMatrix*, int, int, std::size_t* bytes) {
  if (!bytes) return sparse_invalid_value;
  *bytes = 16;
  return sparse_success;
}
int cusparseSpMM_preprocess(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const void*, const DenseMatrix*, int, int, void*) {
  return sparse_success;
}
int cusparseSpMM(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                 const DenseMatrix* b, const void* beta, const DenseMatrix* c, int, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (!exists(h)) return sparse_not_initialized;
  if (!exists(a) || !exists(b) || !exists(c)) return sparse_invalid_value;
  return product("cusparseSpMM", h, op_a, alpha, a, view_of(*b, op_b != 0), {operand(*b), operand(*c)},
                 op_b == 2, beta, view_of(*c, false), b->type, c->type);
}

} // extern "C"
} // namespace warplens::runtime
