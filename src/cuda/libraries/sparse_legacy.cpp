// What cuSPARSE's older interface has beside conversions and ILU(0): products with a matrix of square blocks (bsrmv, bsrmm), the
// sum of two CSR matrices (csrgeam2), tridiagonal systems (gtsv2). A function for each of the four types.
#include "libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

template <class T> constexpr int type_of = 0;
template <> constexpr int type_of<float> = real_32;
template <> constexpr int type_of<double> = real_64;
template <> constexpr int type_of<cfloat> = complex_32;
template <> constexpr int type_of<cdouble> = complex_64;

struct Blocks { // a matrix of square blocks, as the calls have it
  int direction, rows, columns, count, size;
  const void* values;
  const int *offsets, *indices;
};
ResultOr<SparseMatrix, int> matrix_of_blocks(const Blocks& b, const LegacyMatrix& description, int type) {
  if (b.direction < 0 || b.direction > 1 || b.rows < 0 || b.columns < 0 || b.count < 0 || b.size < 1)
    return failure(int{sparse_invalid_value});
  const i64 size = b.size;
  SparseMatrix m{SparseMatrix::bsr,
                 b.rows * size,
                 b.columns * size,
                 b.count * size * size,
                 const_cast<int*>(b.offsets),
                 const_cast<int*>(b.indices),
                 const_cast<void*>(b.values),
                 index_32,
                 index_32,
                 description.base,
                 type};
  m.block_rows = m.block_columns = size;
  m.block_order = b.direction == 0 ? m.block_order : by_columns;
  return m;
}

template <class T>
int multiply_blocks(const char* name, SparseHandle* h, int op_a, int op_b, const T* alpha,
                    const LegacyMatrix* description, const Blocks& blocks, const DenseMatrix& b,
                    const T* beta, const DenseMatrix& c) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, description)) return bad;
  if (op_a != 0 || op_b == 2) { // as NVIDIA's
    library_gap(fmt::format("{} of a transposed matrix", name));
    return sparse_not_supported;
  }
  ResultOr<SparseMatrix, int> m = matrix_of_blocks(blocks, *description, type_of<T>);
  if (!m) return m.error();
  return sparse_product(name, h, 0, alpha, *m, {view_of(b, op_b != 0), operand(b), b.type}, false, beta,
                        {view_of(c, false), operand(c), c.type}, type_of<T>);
}
template <class T> DenseMatrix column(const T* values, i64 rows) {
  return {rows, 1, std::max<i64>(rows, 1), const_cast<T*>(values), type_of<T>, by_columns};
}
template <class T> DenseMatrix columns_of(const T* values, i64 rows, i64 columns, i64 leading) {
  return {rows, columns, leading, const_cast<T*>(values), type_of<T>, by_columns};
}

struct Addend { // of a sum of CSR matrices
  const LegacyMatrix* description;
  int count;
  const void* values;
  const int *offsets, *indices;
};
SparseMatrix csr_of(const Addend& a, int rows, int columns, int type) {
  return {SparseMatrix::csr,
          rows,
          columns,
          a.count,
          const_cast<int*>(a.offsets),
          const_cast<int*>(a.indices),
          const_cast<void*>(a.values),
          index_32,
          index_32,
          a.description->base,
          type};
}
void add_operands(std::vector<Operand>& out, const Addend& a, int rows, u64 element) {
  out.push_back(vector(a.offsets, i64{rows} + 1, 1));
  out.push_back(vector(a.indices, a.count, 1));
  out.push_back({a.values, static_cast<u64>(a.count) * element});
}

// Where the sum has elements: where either has one, by row and column.
template <class W> using Rows = std::vector<std::map<i64, W>>;

int count_sum(SparseHandle* h, int rows, int columns, const Addend& a, const Addend& b, const LegacyMatrix* c,
              int* offsets, int* total) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a.description, b.description, c)) return bad;
  if (rows < 0 || columns < 0 || a.count < 0 || b.count < 0 || !total) return sparse_invalid_value;
  std::vector<Operand> operands{vector(offsets, i64{rows} + 1, 1),
                                {total, h->pointer_mode != 0 ? sizeof *total : 0}};
  add_operands(operands, a, rows, 0), add_operands(operands, b, rows, 0);
  return sparse_status(library_call(
      "cusparseXcsrgeam2Nnz", h->stream, std::move(operands),
      [=, x = csr_of(a, rows, columns, real_32), y = csr_of(b, rows, columns, real_32), base = c->base] {
        Rows<char> sum(static_cast<std::size_t>(rows));
        auto note = [&](i64 row, i64 column, i64) { sum[static_cast<std::size_t>(row)][column] = 1; };
        for (const SparseMatrix* m : {&x, &y})
          if (cudaError_t error = each_element(*m, note); error != cudaSuccess) return error;
        offsets[0] = base;
        for (std::size_t i = 0; i < sum.size(); ++i)
          offsets[i + 1] = offsets[i] + static_cast<int>(sum[i].size());
        *total = offsets[rows] - base;
        return cudaSuccess;
      }));
}

template <class T>
int add(const char* name, SparseHandle* h, int rows, int columns, const T* alpha, const Addend& a,
        const T* beta, const Addend& b, const LegacyMatrix* c, T* values, int* offsets, int* indices) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a.description, b.description, c)) return bad;
  if (rows < 0 || columns < 0 || a.count < 0 || b.count < 0 || !alpha || !beta) return sparse_invalid_value;
  std::vector<Operand> operands{vector(offsets, i64{rows} + 1, 1), scalar(*h, alpha, type_of<T>),
                                scalar(*h, beta, type_of<T>)};
  add_operands(operands, a, rows, sizeof(T)), add_operands(operands, b, rows, sizeof(T));
  return sparse_status(library_call(
      name, h->stream, std::move(operands),
      [=, x = csr_of(a, rows, columns, type_of<T>), y = csr_of(b, rows, columns, type_of<T>), base = c->base,
       p = SparseScalar(*h, type_of<T>, alpha), q = SparseScalar(*h, type_of<T>, beta)] {
        using W = Wide<T>;
        Rows<W> sum(static_cast<std::size_t>(rows));
        auto scaled = [&](const SparseMatrix& m, W factor) {
          return each_element(m, [&](i64 row, i64 column, i64 i) {
            sum[static_cast<std::size_t>(row)][column] += factor * W(static_cast<const T*>(m.values)[i]);
          });
        };
        if (cudaError_t error = scaled(x, W(p.get<T>())); error != cudaSuccess) return error;
        if (cudaError_t error = scaled(y, W(q.get<T>())); error != cudaSuccess) return error;
        i64 count = 0;
        for (const auto& row : sum) count += static_cast<i64>(row.size());
        const std::vector<Operand> written{vector(values, count, 1), vector(indices, count, 1)};
        if (cudaError_t error = check_operands(name, written); error != cudaSuccess) return error;
        i64 at = 0;
        offsets[0] = base;
        for (std::size_t i = 0; i < sum.size(); ++i) {
          for (const auto& [column, value] : sum[i])
            indices[at] = static_cast<int>(column + base), values[at++] = T(value);
          offsets[i + 1] = static_cast<int>(at + base);
        }
        return cudaSuccess;
      }));
}

// A tridiagonal system, whose first element below and last above the diagonal are not looked at, by elimination with row
// exchanges between neighbours.
template <class T>
void solve_tridiagonal(i64 rows, const T* below, const T* diagonal, const T* above, T* b, i64 columns,
                       i64 leading) {
  using W = Wide<T>;
  const auto size = static_cast<std::size_t>(rows);
  for (i64 j = 0; j < columns; ++j) {
    T* x = b + j * leading;
    std::vector<W> d(diagonal, diagonal + rows), u(size), v(size),
        y(x, x + rows); // v: two above the diagonal
    for (std::size_t i = 0; i + 1 < size; ++i) u[i] = W(above[i]);
    for (std::size_t i = 0; i + 1 < size; ++i) {
      W l(below[i + 1]);
      if (std::abs(l) > std::abs(d[i])) { // the next row takes this one's place
        std::swap(l, d[i]), std::swap(u[i], d[i + 1]), std::swap(y[i], y[i + 1]);
        v[i] = u[i + 1], u[i + 1] = W{};
      }
      const W factor = l / d[i];
      d[i + 1] -= factor * u[i];
      u[i + 1] -= factor * v[i];
      y[i + 1] -= factor * y[i];
    }
    for (std::size_t i = size; i-- > 0;) {
      if (i + 1 < size) y[i] -= u[i] * y[i + 1];
      if (i + 2 < size) y[i] -= v[i] * y[i + 2];
      y[i] /= d[i];
    }
    for (std::size_t i = 0; i < size; ++i) x[i] = T(y[i]);
  }
}

template <class T>
int tridiagonal(const char* name, SparseHandle* h, int rows, int columns, const T* below, const T* diagonal,
                const T* above, T* b, int leading, int systems = 1, int step = 0) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h)) return bad;
  if (rows < 1 || columns < 0 || leading < rows || systems < 0 || (systems > 1 && step < rows))
    return sparse_invalid_value;
  if (systems == 0) return sparse_success;
  const i64 all = i64{systems - 1} * step + rows;
  return sparse_status(library_call(
      name, h->stream,
      {vector(below, all, 1),
       vector(diagonal, all, 1),
       vector(above, all, 1),
       {b, extent_bytes(static_cast<u64>(columns > 0 ? columns - 1 : 0), static_cast<u64>(leading),
                        static_cast<u64>(columns > 0 ? all : 0), sizeof(T))}},
      [=] {
        for (i64 s = 0; s < systems; ++s)
          solve_tridiagonal<T>(rows, below + s * step, diagonal + s * step, above + s * step, b + s * step,
                               columns, leading);
        return cudaSuccess;
      }));
}

} // namespace

extern "C" {

int cusparseXcsrgeam2Nnz(SparseHandle* h, int rows, int columns, const LegacyMatrix* a, int count_a,
                         const int* offsets_a, const int* indices_a, const LegacyMatrix* b, int count_b,
                         const int* offsets_b, const int* indices_b, const LegacyMatrix* c, int* offsets,
                         int* total, void*) {
  return count_sum(h, rows, columns, {a, count_a, nullptr, offsets_a, indices_a},
                   {b, count_b, nullptr, offsets_b, indices_b}, c, offsets, total);
}

#define WARPLENS_SPARSE_LEGACY(X, T)                                                                         \
  int cusparse##X##bsrmv(SparseHandle* h, int direction, int op, int rows, int columns, int blocks,          \
                         const T* alpha, const LegacyMatrix* a, const T* values, const int* offsets,         \
                         const int* indices, int size, const T* x, const T* beta, T* y) {                    \
    return multiply_blocks<T>("cusparse" #X "bsrmv", h, op, 0, alpha, a,                                     \
                              {direction, rows, columns, blocks, size, values, offsets, indices},            \
                              column(x, i64{columns} * size), beta, column(y, i64{rows} * size));            \
  }                                                                                                          \
  int cusparse##X##bsrmm(SparseHandle* h, int direction, int op_a, int op_b, int rows, int n, int columns,   \
                         int blocks, const T* alpha, const LegacyMatrix* a, const T* values,                 \
                         const int* offsets, const int* indices, int size, const T* b, int leading_b,        \
                         const T* beta, T* c, int leading_c) {                                               \
    const i64 inner = i64{columns} * size;                                                                   \
    return multiply_blocks<T>("cusparse" #X "bsrmm", h, op_a, op_b, alpha, a,                                \
                              {direction, rows, columns, blocks, size, values, offsets, indices},            \
                              columns_of(b, op_b == 0 ? inner : n, op_b == 0 ? n : inner, leading_b), beta,  \
                              columns_of(c, i64{rows} * size, n, leading_c));                                \
  }                                                                                                          \
  int cusparse##X##csrgeam2_bufferSizeExt(SparseHandle*, int, int, const T*, const LegacyMatrix*, int,       \
                                          const T*, const int*, const int*, const T*, const LegacyMatrix*,   \
                                          int, const T*, const int*, const int*, const LegacyMatrix*,        \
                                          const T*, const int*, const int*, std::size_t* bytes) {            \
    return tell_room(bytes);                                                                                 \
  }                                                                                                          \
  int cusparse##X##csrgeam2(SparseHandle* h, int rows, int columns, const T* alpha, const LegacyMatrix* a,   \
                            int count_a, const T* values_a, const int* offsets_a, const int* indices_a,      \
                            const T* beta, const LegacyMatrix* b, int count_b, const T* values_b,            \
                            const int* offsets_b, const int* indices_b, const LegacyMatrix* c, T* values,    \
                            int* offsets, int* indices, void*) {                                             \
    return add<T>("cusparse" #X "csrgeam2", h, rows, columns, alpha,                                         \
                  {a, count_a, values_a, offsets_a, indices_a}, beta,                                        \
                  {b, count_b, values_b, offsets_b, indices_b}, c, values, offsets, indices);                \
  }                                                                                                          \
  int cusparse##X##gtsv2_bufferSizeExt(SparseHandle*, int, int, const T*, const T*, const T*, const T*, int, \
                                       std::size_t* bytes) {                                                 \
    return tell_room(bytes);                                                                                 \
  }                                                                                                          \
  int cusparse##X##gtsv2(SparseHandle* h, int rows, int columns, const T* below, const T* diagonal,          \
                         const T* above, T* b, int leading, void*) {                                         \
    return tridiagonal<T>("cusparse" #X "gtsv2", h, rows, columns, below, diagonal, above, b, leading);      \
  }                                                                                                          \
  int cusparse##X##gtsv2_nopivot(SparseHandle* h, int rows, int columns, const T* below, const T* diagonal,  \
                                 const T* above, T* b, int leading, void*) {                                 \
    return tridiagonal<T>("cusparse" #X "gtsv2_nopivot", h, rows, columns, below, diagonal, above, b,        \
                          leading);                                                                          \
  }                                                                                                          \
  int cusparse##X##gtsv2StridedBatch_bufferSizeExt(SparseHandle*, int, const T*, const T*, const T*,         \
                                                   const T*, int, int, std::size_t* bytes) {                 \
    return tell_room(bytes);                                                                                 \
  }                                                                                                          \
  int cusparse##X##gtsv2StridedBatch(SparseHandle* h, int rows, const T* below, const T* diagonal,           \
                                     const T* above, T* x, int systems, int step, void*) {                   \
    return tridiagonal<T>("cusparse" #X "gtsv2StridedBatch", h, rows, 1, below, diagonal, above, x, rows,    \
                          systems, step);                                                                    \
  }
WARPLENS_SPARSE_LEGACY(S, float)
WARPLENS_SPARSE_LEGACY(D, double)
WARPLENS_SPARSE_LEGACY(C, cfloat)
WARPLENS_SPARSE_LEGACY(Z, cdouble)
#undef WARPLENS_SPARSE_LEGACY

} // extern "C"
} // namespace warplens::runtime
