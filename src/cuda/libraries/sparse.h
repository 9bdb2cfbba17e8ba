// cuSPARSE's descriptions of sparse vectors and matrices (CSR, CSC, COO, BSR, Blocked-ELL) and of dense ones, and how their
// elements are found.
#pragma once
#include "libraries/blas_elements.h"
#include <algorithm>
#include <array>

namespace warplens::runtime {

struct SparseHandle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0; // 1: scalars are in device memory
  u32 device = thread_state().device;
};
struct SparseMatrix {
  enum Format : u8 { csr = 1, csc, coo, ell = 5, bsr } format; // cusparseFormat_t
  i64 rows, columns, count;         // of elements, also where they are stored in blocks
  void *offsets, *indices, *values; // of COO the rows, the columns
  int offset_type, index_type, base, type;
  int fill = 0, diagonal = 0; // of a triangle: cusparseFillMode_t, cusparseDiagType_t
  int batches = 1;
  i64 offset_step = 0, step = 0; // elements from one matrix of a batch to the next
  // Of blocks (ell, bsr): how large one is, how its elements are stored (ell: all elements row by row), columns stored (ell)
  i64 block_rows = 1, block_columns = 1;
  int block_order = 2; // cusparseOrder_t: by rows
  i64 stored_columns = 0;

  bool in_blocks() const { return format == ell || format == bsr; }
  i64 blocks() const { return count / (block_rows * block_columns); }
};
struct SparseVector {
  i64 size, count;
  void *indices, *values;
  int index_type, base, type;
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
  int batches = 1;
  i64 step = 0; // elements from one matrix of a batch to the next
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
template <class T> Handles<T>& objects() { return of_device<Handles<T>>(); }
template <class T> int create(T** out, T value) {
  if (!out) return sparse_invalid_value;
  std::lock_guard lock(Runtime::get().mutex);
  *out = objects<T>().add(value);
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
template <class T, class V> int set(T* object, V T::*member, std::type_identity_t<V> value) {
  return with(object, [&](T& known) { known.*member = value; });
}
template <class T, class V, class Out> int get(T* object, V T::*member, Out* out) {
  return out ? with(object, [&](T& known) { *out = known.*member; }) : sparse_invalid_value;
}
template <class T> bool exists(const T* object) { return objects<T>().contains(object); }

// What a call is told whose handle or descriptions are none. Under the runtime's lock.
template <class... T> int unless_known(const SparseHandle* handle, const T*... described) {
  if (!exists(handle)) return sparse_not_initialized;
  return (exists(described) && ...) ? sparse_success : sparse_invalid_value;
}
// Room for intermediate results is not needed; programs allocate what they are told, and some do not like 0.
template <class Size> int tell_room(Size* bytes) { return answer(bytes, 16, sparse_invalid_value); }

inline int sparse_status(cudaError_t error) {
  return error == cudaSuccess ? sparse_success : sparse_execution_failed;
}

inline bool is_index(int type) { return type == index_32 || type == index_64; }
inline i64 index_at(const void* list, int type, i64 i) {
  return type == index_64 ? static_cast<const i64*>(list)[i] : i64{static_cast<const i32*>(list)[i]};
}
inline void set_index(void* list, int type, i64 i, i64 value) {
  if (type == index_64)
    static_cast<i64*>(list)[i] = value;
  else
    static_cast<i32*>(list)[i] = static_cast<i32>(value);
}
inline u64 index_bytes(int type) { return type == index_64 ? 8 : 4; }
// 0: no type of these matrices.
inline u64 value_bytes(int type) {
  return type == complex_32 ? 8 : type == complex_64 ? 16 : element_bytes(type);
}
inline bool known_type(int type) {
  return type == real_32 || type == real_64 || type == complex_32 || type == complex_64;
}
// f(T{}) for the type of that number, one of the known ones.
template <class F> cudaError_t of_type(int type, F&& f) {
  switch (type) {
  case real_32: return f(float{});
  case real_64: return f(double{});
  case complex_32: return f(cfloat{});
  default: return f(cdouble{});
  }
}

// A scalar of a call: its value now, or where it will be read if it is in device memory.
struct SparseScalar {
  const void* later;
  alignas(16) std::array<std::byte, 16> now{};
  SparseScalar(const SparseHandle& handle, int type, const void* at)
      : later(handle.pointer_mode != 0 ? at : nullptr) {
    if (!later) std::copy_n(static_cast<const std::byte*>(at), value_bytes(type), now.data());
  }
  const void* at() const { return later ? later : now.data(); }
  template <class T> T get() const { return *static_cast<const T*>(at()); }
};
inline Operand scalar(const SparseHandle& handle, const void* at, int type) {
  return {at, handle.pointer_mode != 0 ? value_bytes(type) : 0};
}

// each_element() where elements are stored in blocks. A block of Blocked-ELL whose column is -1 is none.
template <class F> cudaError_t each_of_blocks(const SparseMatrix& m, F&& f) {
  const i64 high = m.block_rows, wide = m.block_columns, per_line = m.stored_columns / wide;
  const bool listed = m.format == SparseMatrix::ell;
  for (i64 line = 0; line < m.rows / high; ++line) {
    const i64 begin = listed ? line * per_line : index_at(m.offsets, m.offset_type, line) - m.base,
              end = listed ? begin + per_line : index_at(m.offsets, m.offset_type, line + 1) - m.base;
    if (begin < 0 || end > m.blocks()) return cudaErrorIllegalAddress;
    for (i64 b = begin; b < end; ++b) {
      const i64 index = index_at(m.indices, m.index_type, b), column = (index - m.base) * wide;
      if (listed && index < 0) continue;
      if (column < 0 || column + wide > m.columns) return cudaErrorIllegalAddress;
      for (i64 r = 0; r < high; ++r)
        for (i64 c = 0; c < wide; ++c)
          f(line * high + r, column + c,
            listed                        ? (line * high + r) * m.stored_columns + (b - begin) * wide + c
            : m.block_order == by_columns ? (b * wide + c) * high + r
                                          : (b * high + r) * wide + c);
    }
  }
  return cudaSuccess;
}

// Calls f(row, column, number) for each stored element. Indices that are none of the matrix's are an error of the call.
template <class F> cudaError_t each_element(const SparseMatrix& m, F&& f) {
  if (m.in_blocks()) return each_of_blocks(m, f);
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

// The same of a sparse vector: f(index, number).
template <class F> cudaError_t each_element(const SparseVector& v, F&& f) {
  for (i64 i = 0; i < v.count; ++i) {
    const i64 index = index_at(v.indices, v.index_type, i) - v.base;
    if (index < 0 || index >= v.size) return cudaErrorIllegalAddress;
    f(index, i);
  }
  return cudaSuccess;
}

// All matrices of a batch, of which `one` is the first.
inline Operand batch_of(const Operand& one, int batches, i64 step, u64 element) {
  if (one.bytes == 0 || batches <= 1) return one;
  return {one.data, extent_bytes(static_cast<u64>(batches) - 1, static_cast<u64>(step),
                                 (one.bytes - 1) / element + 1, element)};
}
inline Operand operand(const DenseVector& v) {
  return {v.values, extent_bytes(static_cast<u64>(v.size), 1, 0, value_bytes(v.type))};
}
inline Operand operand(const DenseMatrix& m) {
  const bool columns = m.order == by_columns;
  const u64 element = value_bytes(m.type);
  return batch_of(
      matrix_of(m.values, columns ? m.rows : m.columns, columns ? m.columns : m.rows, m.leading, element),
      m.batches, m.step, element);
}
inline std::vector<Operand> operands_of(const SparseVector& v) {
  auto count = static_cast<u64>(v.count);
  return {{v.indices, extent_bytes(count, 1, 0, index_bytes(v.index_type))},
          {v.values, extent_bytes(count, 1, 0, value_bytes(v.type))}};
}
inline std::vector<Operand> operands_of(const SparseMatrix& m) {
  auto list = [&](void* data, i64 count, i64 step, u64 element) {
    return batch_of({data, extent_bytes(static_cast<u64>(count), 1, 0, element)}, m.batches, step, element);
  };
  const u64 index = index_bytes(m.index_type);
  const Operand indices = list(m.indices, m.blocks(), m.step, index),
                values = list(m.values, m.count, m.step, value_bytes(m.type));
  if (m.format == SparseMatrix::ell) return {indices, values};
  if (m.format == SparseMatrix::coo) return {list(m.offsets, m.count, m.step, index), indices, values};
  const i64 outer = m.format == SparseMatrix::csc ? m.columns : m.rows / m.block_rows;
  return {list(m.offsets, outer + 1, m.offset_step, index_bytes(m.offset_type)), indices, values};
}
// The matrix of a batch; where there is no batch it is the same for each.
inline SparseMatrix nth_of(SparseMatrix m, i64 i) {
  if (m.batches <= 1) return m;
  auto move = [&](void*& list, i64 step, u64 element) {
    list = nth(static_cast<std::byte*>(list), i * static_cast<i64>(element), step);
  };
  const bool coordinates = m.format == SparseMatrix::coo;
  move(m.offsets, coordinates ? m.step : m.offset_step,
       index_bytes(coordinates ? m.index_type : m.offset_type));
  move(m.indices, m.step, index_bytes(m.index_type));
  move(m.values, m.step, value_bytes(m.type));
  return m;
}

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, double>, double, cdouble>;
inline double turned(double x, bool) { return x; }
inline cdouble turned(const cdouble& x, bool conjugated) { return conjugated ? std::conj(x) : x; }

// A dense matrix as the product sees it: transposed where it says so.
struct View {
  void* values;
  i64 rows, columns, row_step, column_step;
  int batches = 1;
  i64 step = 0;
  i64 at(i64 row, i64 column) const { return row * row_step + column * column_step; }
};
inline View view_of(const DenseMatrix& m, bool transposed) {
  const i64 down = m.order == by_columns ? 1 : m.leading, right = m.order == by_columns ? m.leading : 1;
  if (transposed) return {m.values, m.columns, m.rows, right, down, m.batches, m.step};
  return {m.values, m.rows, m.columns, down, right, m.batches, m.step};
}
inline View view_of(const DenseVector& v) { return {v.values, v.size, 1, 1, 0}; }
inline View nth_of(View v, i64 i, u64 element) {
  if (v.batches > 1) v.values = nth(static_cast<std::byte*>(v.values), i * static_cast<i64>(element), v.step);
  return v;
}
// How many matrices a call is for, each of whose operands is one for all or one for each; 0: they do not agree.
inline int common_batches(std::initializer_list<int> all) {
  const int most = std::max(all);
  return std::all_of(all.begin(), all.end(), [&](int n) { return n == 1 || n == most; }) ? most : 0;
}

// C = alpha op(A) B + beta C, in the numbers that the types say. See sparse.cpp.
struct SparseFactor {
  View view;
  Operand operand;
  int type;
};
int sparse_product(const char* name, SparseHandle*, int op, const void* alpha, const SparseMatrix& a,
                   const SparseFactor& b, bool conjugated_b, const void* beta, const SparseFactor& c,
                   int scalar_type);

} // namespace warplens::runtime
