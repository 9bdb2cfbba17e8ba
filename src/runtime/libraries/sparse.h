// cuSPARSE's descriptions of sparse matrices (CSR, CSC, COO) and of dense vectors and matrices, and how their elements are
// found.
#pragma once
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
  int fill = 0, diagonal = 0; // of a triangle: cusparseFillMode_t, cusparseDiagType_t
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

enum SparseStatus : int { // cusparseStatus_t
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

inline int sparse_status(cudaError_t error) {
  return error == cudaSuccess ? sparse_success : sparse_execution_failed;
}

inline i64 index_at(const void* list, int type, i64 i) {
  return type == index_64 ? static_cast<const i64*>(list)[i] : i64{static_cast<const i32*>(list)[i]};
}
inline u64 index_bytes(int type) { return type == index_64 ? 8 : 4; }
inline u64 value_bytes(int type) {
  return type == real_32 ? 4 : type == real_64 || type == complex_32 ? 8 : 16;
}
// A scalar of a call, if it is in device memory.
inline Operand scalar(const SparseHandle& handle, const void* at, int type) {
  return {at, handle.pointer_mode != 0 ? value_bytes(type) : 0};
}
inline bool known_type(int type) {
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

inline Operand operand(const DenseVector& v) {
  return {v.values, extent_bytes(static_cast<u64>(v.size), 1, 0, value_bytes(v.type))};
}
inline std::vector<Operand> operands_of(const SparseMatrix& m) {
  const i64 outer =
      m.format == SparseMatrix::coo ? m.count : (m.format == SparseMatrix::csr ? m.rows : m.columns) + 1;
  const int outer_type = m.format == SparseMatrix::coo ? m.index_type : m.offset_type;
  auto count = static_cast<u64>(m.count);
  return {{m.offsets, extent_bytes(static_cast<u64>(outer), 1, 0, index_bytes(outer_type))},
          {m.indices, extent_bytes(count, 1, 0, index_bytes(m.index_type))},
          {m.values, extent_bytes(count, 1, 0, value_bytes(m.type))}};
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
inline View view_of(const DenseMatrix& m, bool transposed) {
  const i64 down = m.order == by_columns ? 1 : m.leading, right = m.order == by_columns ? m.leading : 1;
  if (transposed) return {m.values, m.columns, m.rows, right, down};
  return {m.values, m.rows, m.columns, down, right};
}

inline Operand operand(const DenseMatrix& m) {
  return m.order == by_columns ? matrix_of(m.values, m.rows, m.columns, m.leading, value_bytes(m.type))
                               : matrix_of(m.values, m.columns, m.rows, m.leading, value_bytes(m.type));
}

} // namespace warplens::runtime
