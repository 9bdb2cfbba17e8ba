// cuSPARSE's ways from one form of a matrix to another: dense and sparse, rows and columns, lists of rows and their offsets,
// elements brought in order. Elements keep their bits.
#include "libraries/sparse.h"
#include <numeric>

namespace warplens::runtime {
namespace {

std::byte* element(const View& m, i64 row, i64 column, u64 bytes) {
  return static_cast<std::byte*>(m.values) + static_cast<u64>(m.at(row, column)) * bytes;
}

template <class T> bool is_zero(const std::byte* at) {
  T value;
  std::copy_n(at, sizeof value, reinterpret_cast<std::byte*>(&value));
  return value == T{};
}
bool is_zero(const std::byte* at, int type) {
  switch (type) {
  case complex_32: return is_zero<cfloat>(at);
  case complex_64: return is_zero<cdouble>(at);
  default: return read_element(at, type, 0) == 0;
  }
}

// Calls f(row, column) for what is not zero, in the order in which the format has its elements.
template <class F> void each_nonzero(const DenseMatrix& m, bool by_column, F&& f) {
  const View v = view_of(m, false);
  const i64 outer = by_column ? m.columns : m.rows, inner = by_column ? m.rows : m.columns;
  if (inner == 0) return; // and perhaps more of the others than there is memory
  for (i64 o = 0; o < outer; ++o)
    for (i64 i = 0; i < inner; ++i) {
      const i64 row = by_column ? i : o, column = by_column ? o : i;
      if (!is_zero(element(v, row, column, value_bytes(m.type)), m.type)) f(row, column);
    }
}

int check(const SparseMatrix& sparse, const DenseMatrix& dense) {
  const bool same = sparse.type == dense.type && sparse.rows == dense.rows && sparse.columns == dense.columns;
  return same && value_bytes(dense.type) != 0 ? sparse_success : sparse_invalid_value;
}

cudaError_t to_dense(const SparseMatrix& m, const View& to) {
  if (m.columns == 0) return cudaSuccess; // and perhaps more rows than there is memory
  const u64 bytes = value_bytes(m.type);
  for (i64 i = 0; i < m.rows; ++i)
    for (i64 j = 0; j < m.columns; ++j) std::fill_n(element(to, i, j, bytes), bytes, std::byte{0});
  return each_element(m, [&](i64 row, i64 column, i64 i) {
    std::copy_n(static_cast<const std::byte*>(m.values) + static_cast<u64>(i) * bytes, bytes,
                element(to, row, column, bytes));
  });
}

// `to.count` elements are there, as many as the analysis found, or as the blocks have that are stored.
cudaError_t to_sparse(const DenseMatrix& from, const SparseMatrix& to) {
  const u64 bytes = value_bytes(from.type);
  const View v = view_of(from, false);
  if (to.in_blocks()) {
    std::fill_n(static_cast<std::byte*>(to.values), static_cast<u64>(to.count) * bytes, std::byte{0});
    return each_element(to, [&](i64 row, i64 column, i64 i) {
      std::copy_n(element(v, row, column, bytes), bytes,
                  static_cast<std::byte*>(to.values) + static_cast<u64>(i) * bytes);
    });
  }
  const bool by_column = to.format == SparseMatrix::csc, coordinates = to.format == SparseMatrix::coo;
  i64 count = 0, line = 0;
  auto end_lines = [&](i64 until) { // where rows or columns begin
    for (; !coordinates && line <= until; ++line)
      set_index(to.offsets, to.offset_type, line, count + to.base);
  };
  each_nonzero(from, by_column, [&](i64 row, i64 column) {
    end_lines(by_column ? column : row);
    if (count < to.count) {
      if (coordinates) set_index(to.offsets, to.index_type, count, row + to.base);
      set_index(to.indices, to.index_type, count, (by_column ? row : column) + to.base);
      std::copy_n(element(v, row, column, bytes), bytes,
                  static_cast<std::byte*>(to.values) + static_cast<u64>(count) * bytes);
    }
    ++count;
  });
  end_lines(by_column ? to.columns : to.rows);
  return count > to.count ? cudaErrorIllegalAddress : cudaSuccess; // it changed since it was analysed
}

// The numbers of elements in the order of their keys; equal ones stay as they are.
template <class Key> std::vector<i64> in_order(i64 begin, i64 end, Key&& key) {
  std::vector<i64> order(static_cast<std::size_t>(end - begin));
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) { return key(a) < key(b); });
  return order;
}
template <class T> void rearrange(T* list, i64 begin, const std::vector<i64>& order) {
  std::vector<T> sorted;
  for (i64 i : order) sorted.push_back(list[i]);
  std::copy(sorted.begin(), sorted.end(), list + begin);
}

// Sorts the indices of each row of a CSR matrix, or of each column of a CSC matrix, and the permutation, if any, with them.
int sort_lines(const char* name, SparseHandle* h, int lines, int count, const LegacyMatrix* description,
               const int* offsets, int* indices, int* permutation) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, description)) return bad;
  if (lines < 0 || count < 0) return sparse_invalid_value;
  return sparse_status(library_call(name, h->stream,
                                    {vector(offsets, i64{lines} + 1, 1), vector(indices, count, 1),
                                     vector(permutation, permutation ? count : 0, 1)},
                                    [=, base = description->base] {
                                      for (i64 line = 0; line < lines; ++line) {
                                        const i64 begin = i64{offsets[line]} - base,
                                                  end = i64{offsets[line + 1]} - base;
                                        if (begin < 0 || end < begin || end > count)
                                          return cudaErrorIllegalAddress;
                                        const auto order =
                                            in_order(begin, end, [&](i64 i) { return indices[i]; });
                                        rearrange(indices, begin, order);
                                        if (permutation) rearrange(permutation, begin, order);
                                      }
                                      return cudaSuccess;
                                    }));
}

int sort_coordinates(const char* name, SparseHandle* h, int count, int* first, int* second,
                     int* permutation) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  if (count < 0) return sparse_invalid_value;
  return sparse_status(library_call(
      name, h->stream,
      {vector(first, count, 1), vector(second, count, 1), vector(permutation, permutation ? count : 0, 1)},
      [=] {
        const auto order = in_order(0, count, [&](i64 i) { return std::pair(first[i], second[i]); });
        for (int* list : {first, second, permutation})
          if (list) rearrange(list, 0, order);
        return cudaSuccess;
      }));
}

// How many elements of each row (direction 0) or column are not zero, and of all.
int count_nonzeros(const char* name, SparseHandle* h, int direction, int rows, int columns,
                   const LegacyMatrix* description, void* a, int leading, int type, int* counts, int* total) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, description)) return bad;
  if (direction < 0 || direction > 1 || rows < 0 || columns < 0 || leading < std::max(rows, 1) || !total)
    return sparse_invalid_value;
  const DenseMatrix m{rows, columns, leading, a, type, by_columns};
  const int lines = direction == 0 ? rows : columns;
  return sparse_status(library_call(
      name, h->stream,
      {operand(m), vector(counts, lines, 1), {total, h->pointer_mode != 0 ? sizeof *total : 0}}, [=] {
        std::fill_n(counts, lines, 0);
        *total = 0;
        each_nonzero(m, true,
                     [&](i64 row, i64 column) { ++counts[direction == 0 ? row : column], ++*total; });
        return cudaSuccess;
      }));
}

} // namespace

extern "C" {

int cusparseSparseToDense_bufferSize(SparseHandle*, const SparseMatrix*, const DenseMatrix*, int,
                                     std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSparseToDense(SparseHandle* h, const SparseMatrix* a, const DenseMatrix* b, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b)) return bad;
  if (int bad = check(*a, *b)) return bad;
  std::vector<Operand> operands = operands_of(*a);
  operands.push_back(operand(*b));
  return sparse_status(library_call("cusparseSparseToDense", h->stream, std::move(operands),
                                    [m = *a, to = view_of(*b, false)] { return to_dense(m, to); }));
}

// Tells the sparse matrix how many elements it is to have.
int cusparseDenseToSparse_analysis(SparseHandle* h, const DenseMatrix* a, SparseMatrix* b, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b)) return bad;
  if (int bad = check(*b, *a)) return bad;
  return sparse_status(
      library_call("cusparseDenseToSparse_analysis", h->stream, {operand(*a)}, [from = *a, b] {
        i64 count = 0;
        each_nonzero(from, false, [&](i64, i64) { ++count; });
        with(b, [&](SparseMatrix& to) {
          if (!to.in_blocks()) to.count = count;
        });
        return cudaSuccess;
      }));
}
int cusparseDenseToSparse_convert(SparseHandle* h, const DenseMatrix* a, const SparseMatrix* b, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b)) return bad;
  if (int bad = check(*b, *a)) return bad;
  std::vector<Operand> operands = operands_of(*b);
  operands.push_back(operand(*a));
  return sparse_status(library_call("cusparseDenseToSparse_convert", h->stream, std::move(operands),
                                    [from = *a, to = *b] { return to_sparse(from, to); }));
}

int cusparseCsr2cscEx2_bufferSize(SparseHandle*, int, int, int, const void*, const int*, const int*, void*,
                                  int*, int*, int, int, int, int, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseCsr2cscEx2(SparseHandle* h, int rows, int columns, int count, void* values, int* offsets,
                       int* indices, void* out, int* out_offsets, int* out_indices, int type,
                       int copies_values, int base, int, void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  const u64 bytes = copies_values != 0 ? value_bytes(type) : 0;
  if (rows < 0 || columns < 0 || count < 0 || base < 0 || base > 1 || (copies_values != 0 && bytes == 0))
    return sparse_invalid_value;
  const SparseMatrix a{SparseMatrix::csr, rows,     columns, count, offsets, indices, values,
                       index_32,          index_32, base,    type};
  const u64 value_room = static_cast<u64>(count) * bytes;
  return sparse_status(library_call(
      "cusparseCsr2cscEx2", h->stream,
      {vector(offsets, i64{rows} + 1, 1),
       vector(indices, count, 1),
       {values, value_room},
       vector(out_offsets, i64{columns} + 1, 1),
       vector(out_indices, count, 1),
       {out, value_room}},
      [=] {
        std::vector<i64> next(static_cast<std::size_t>(columns) + 1); // where a column's next element goes
        cudaError_t error =
            each_element(a, [&](i64, i64 column, i64) { ++next[static_cast<std::size_t>(column) + 1]; });
        if (error != cudaSuccess) return error;
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t j = 0; j < next.size(); ++j) out_offsets[j] = static_cast<int>(next[j] + base);
        return each_element(a, [&](i64 row, i64 column, i64 i) {
          const i64 to = next[static_cast<std::size_t>(column)]++;
          out_indices[to] = static_cast<int>(row + base);
          std::copy_n(static_cast<const std::byte*>(values) + static_cast<u64>(i) * bytes, bytes,
                      static_cast<std::byte*>(out) + static_cast<u64>(to) * bytes);
        });
      }));
}

int cusparseXcoo2csr(SparseHandle* h, const int* rows, int count, int lines, int* offsets, int base) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  if (count < 0 || lines < 0) return sparse_invalid_value;
  return sparse_status(library_call(
      "cusparseXcoo2csr", h->stream, {vector(rows, count, 1), vector(offsets, i64{lines} + 1, 1)}, [=] {
        for (int line = 0; line <= lines; ++line)
          offsets[line] = static_cast<int>(std::lower_bound(rows, rows + count, line + base) - rows + base);
        return cudaSuccess;
      }));
}
int cusparseXcsr2coo(SparseHandle* h, const int* offsets, int count, int lines, int* rows, int base) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  if (count < 0 || lines < 0) return sparse_invalid_value;
  return sparse_status(library_call(
      "cusparseXcsr2coo", h->stream, {vector(offsets, i64{lines} + 1, 1), vector(rows, count, 1)}, [=] {
        for (int line = 0; line < lines; ++line)
          for (i64 i = i64{offsets[line]} - base; i < i64{offsets[line + 1]} - base; ++i) {
            if (i < 0 || i >= count) return cudaErrorIllegalAddress;
            rows[i] = line + base;
          }
        return cudaSuccess;
      }));
}

int cusparseCreateIdentityPermutation(SparseHandle* h, int count, int* permutation) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  if (count < 0) return sparse_invalid_value;
  return sparse_status(
      library_call("cusparseCreateIdentityPermutation", h->stream, {vector(permutation, count, 1)}, [=] {
        std::iota(permutation, permutation + count, 0);
        return cudaSuccess;
      }));
}
int cusparseXcsrsort_bufferSizeExt(SparseHandle*, int, int, int, const int*, const int*, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseXcsrsort(SparseHandle* h, int rows, int, int count, const LegacyMatrix* description,
                     const int* offsets, int* columns, int* permutation, void*) {
  return sort_lines("cusparseXcsrsort", h, rows, count, description, offsets, columns, permutation);
}
int cusparseXcscsort(SparseHandle* h, int, int columns, int count, const LegacyMatrix* description,
                     const int* offsets, int* rows, int* permutation, void*) {
  return sort_lines("cusparseXcscsort", h, columns, count, description, offsets, rows, permutation);
}
int cusparseXcoosortByRow(SparseHandle* h, int, int, int count, int* rows, int* columns, int* permutation,
                          void*) {
  return sort_coordinates("cusparseXcoosortByRow", h, count, rows, columns, permutation);
}
int cusparseXcoosortByColumn(SparseHandle* h, int, int, int count, int* rows, int* columns, int* permutation,
                             void*) {
  return sort_coordinates("cusparseXcoosortByColumn", h, count, columns, rows, permutation);
}

#define WARPLENS_SPARSE_COUNT(X, type)                                                                       \
  int cusparse##X##nnz(SparseHandle* h, int direction, int rows, int columns,                                \
                       const LegacyMatrix* description, void* a, int leading, int* counts, int* total) {     \
    return count_nonzeros("cusparse" #X "nnz", h, direction, rows, columns, description, a, leading, type,   \
                          counts, total);                                                                    \
  }
WARPLENS_SPARSE_COUNT(S, real_32)
WARPLENS_SPARSE_COUNT(D, real_64)
WARPLENS_SPARSE_COUNT(C, complex_32)
WARPLENS_SPARSE_COUNT(Z, complex_64)
#undef WARPLENS_SPARSE_COUNT

} // extern "C"
} // namespace warplens::runtime
