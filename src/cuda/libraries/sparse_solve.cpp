// What cuSPARSE solves: triangular systems with one right side or many (SpSV, SpSM), and the incomplete LU factors of a CSR
// matrix that programs solve with (csrilu02). Elements outside the triangle are not looked at.
#include "libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {

struct TriangularSolve {}; // what an analysis finds: nothing is needed
struct IncompleteFactors { // csrilu02Info_t
  int zero_pivot = -1;
};

namespace {

template <class T> struct Row {
  T diagonal{};
  std::vector<std::pair<i64, T>> others;
};

// The triangle of op(A) by rows.
template <class T> cudaError_t rows_of(const SparseMatrix& a, int op, std::vector<Row<Wide<T>>>& rows) {
  const bool lower = a.fill == 0, unit = a.diagonal != 0;
  rows.resize(static_cast<std::size_t>(a.rows));
  for (auto& row : rows) row.diagonal = unit ? Wide<T>(1) : Wide<T>(0);
  return each_element(a, [&](i64 row, i64 column, i64 i) {
    const Wide<T> value = turned(Wide<T>(static_cast<const T*>(a.values)[i]), op == 2);
    auto& to = rows[static_cast<std::size_t>(op == 0 ? row : column)];
    if (row == column && !unit) to.diagonal = value;
    if (row != column && (column < row) == lower) to.others.emplace_back(op == 0 ? column : row, value);
  });
}

// op(A) Y = alpha X, column by column.
template <class T> cudaError_t solve(const SparseMatrix& a, int op, const View& x, const View& y, T alpha) {
  std::vector<Row<Wide<T>>> rows;
  if (cudaError_t error = rows_of<T>(a, op, rows); error != cudaSuccess) return error;
  const bool downwards = (a.fill == 0) == (op == 0);
  const Wide<T> factor(alpha);
  std::vector<Wide<T>> found(rows.size());
  for (i64 j = 0; j < y.columns; ++j) {
    for (i64 k = 0; k < a.rows; ++k) {
      const i64 i = downwards ? k : a.rows - 1 - k;
      Wide<T> rest = factor * Wide<T>(static_cast<const T*>(x.values)[i * x.row_step + j * x.column_step]);
      for (const auto& [column, value] : rows[static_cast<std::size_t>(i)].others)
        rest -= value * found[static_cast<std::size_t>(column)];
      found[static_cast<std::size_t>(i)] = rest / rows[static_cast<std::size_t>(i)].diagonal;
    }
    for (i64 i = 0; i < a.rows; ++i)
      static_cast<T*>(y.values)[i * y.row_step + j * y.column_step] = T(found[static_cast<std::size_t>(i)]);
  }
  return cudaSuccess;
}

int solve_call(const char* name, SparseHandle* h, int op, const void* alpha, const SparseMatrix* a,
               const View& x, const View& y, std::vector<Operand> dense, int type_x, int type_y) {
  if (!alpha || op < 0 || op > 2 || a->rows != a->columns || x.rows != a->rows || y.rows != a->rows ||
      x.columns != y.columns)
    return sparse_invalid_value;
  if (!known_type(a->type) || type_x != a->type || type_y != a->type) {
    library_gap(fmt::format("{} of mixed or narrow types", name));
    return sparse_not_supported;
  }
  std::vector<Operand> operands = operands_of(*a);
  operands.insert(operands.end(), dense.begin(), dense.end());
  operands.push_back(scalar(*h, alpha, a->type));
  return sparse_status(library_call(name, h->stream, std::move(operands),
                                    [=, m = *a, factor = SparseScalar(*h, a->type, alpha)] {
                                      return of_type(m.type, [&](auto zero) {
                                        using T = decltype(zero);
                                        return solve<T>(m, op, x, y, factor.get<T>());
                                      });
                                    }));
}

struct Csr {
  int rows, count, base;
  const int *offsets, *columns;
  i64 begin(i64 row) const { return i64{offsets[row]} - base; }
  i64 end(i64 row) const { return i64{offsets[row + 1]} - base; }
  i64 column(i64 i) const { return i64{columns[i]} - base; }
};

// L and U in the place of A's elements, and no others (ILU(0)). `zero`: the first row whose pivot is 0 or not stored, or -1.
template <class T> cudaError_t factor_incompletely(const Csr& a, T* values, int& zero) {
  constexpr i64 none = -1;
  std::vector<i64> place(static_cast<std::size_t>(a.rows), none),
      pivots(static_cast<std::size_t>(a.rows), none);
  auto at = [](std::vector<i64>& list, i64 i) -> i64& { return list[static_cast<std::size_t>(i)]; };
  zero = -1;
  for (i64 row = 0; row < a.rows; ++row) {
    if (a.begin(row) < 0 || a.end(row) > a.count) return cudaErrorIllegalAddress;
    for (i64 i = a.begin(row); i < a.end(row); ++i) {
      if (a.column(i) < 0 || a.column(i) >= a.rows) return cudaErrorIllegalAddress;
      at(place, a.column(i)) = i;
    }
    for (i64 i = a.begin(row); i < a.end(row) && a.column(i) < row; ++i) {
      const i64 pivot = at(pivots, a.column(i));
      if (pivot == none) continue;
      values[i] /= values[pivot];
      for (i64 k = pivot + 1; k < a.end(a.column(i)); ++k)
        if (const i64 to = at(place, a.column(k)); to != none) values[to] -= values[i] * values[k];
    }
    at(pivots, row) = at(place, row);
    if (zero < 0 && (at(place, row) == none || values[at(place, row)] == T{})) zero = static_cast<int>(row);
    for (i64 i = a.begin(row); i < a.end(row); ++i) at(place, a.column(i)) = none;
  }
  return cudaSuccess;
}

template <class T>
int ilu(const char* name, SparseHandle* h, int rows, int count, const LegacyMatrix* description, T* values,
        const int* offsets, const int* columns, IncompleteFactors* info) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, description, info)) return bad;
  if (rows < 0 || count < 0) return sparse_invalid_value;
  const Csr a{rows, count, description->base, offsets, columns};
  return sparse_status(library_call(
      name, h->stream,
      {vector(offsets, i64{rows} + 1, 1), vector(columns, count, 1), vector(values, count, 1)}, [=] {
        cudaError_t error = factor_incompletely(a, values, info->zero_pivot);
        if (info->zero_pivot >= 0) info->zero_pivot += a.base;
        return error;
      }));
}

} // namespace

extern "C" {

int cusparseSpSV_createDescr(TriangularSolve** out) { return create(out, TriangularSolve{}); }
int cusparseSpSV_destroyDescr(TriangularSolve* object) { return destroy(object); }
int cusparseSpSV_bufferSize(SparseHandle*, int, const void*, const SparseMatrix*, const DenseVector*,
                            const DenseVector*, int, int, TriangularSolve*, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSpSV_solve(SparseHandle* h, int op, const void* alpha, const SparseMatrix* a,
                       const DenseVector* x, const DenseVector* y, int, int, TriangularSolve*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, x, y)) return bad;
  return solve_call("cusparseSpSV_solve", h, op, alpha, a, view_of(*x), view_of(*y),
                    {operand(*x), operand(*y)}, x->type, y->type);
}

int cusparseSpSM_bufferSize(SparseHandle*, int, int, const void*, const SparseMatrix*, const DenseMatrix*,
                            const DenseMatrix*, int, int, TriangularSolve*, std::size_t* bytes) {
  return tell_room(bytes);
}
int cusparseSpSM_solve(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                       const DenseMatrix* b, const DenseMatrix* c, int, int, TriangularSolve*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b, c)) return bad;
  if (op_b < 0 || op_b > 1) return sparse_invalid_value;
  return solve_call("cusparseSpSM_solve", h, op_a, alpha, a, view_of(*b, op_b != 0), view_of(*c, false),
                    {operand(*b), operand(*c)}, b->type, c->type);
}

int cusparseCreateCsrilu02Info(IncompleteFactors** out) { return create(out, IncompleteFactors{}); }
int cusparseDestroyCsrilu02Info(IncompleteFactors* object) { return destroy(object); }
int cusparseXcsrilu02_zeroPivot(SparseHandle*, IncompleteFactors* info, int* position) {
  constexpr int zero_pivot = 9; // CUSPARSE_STATUS_ZERO_PIVOT
  int found = -1;
  const int status = with(info, [&](IncompleteFactors& known) { found = known.zero_pivot; });
  if (status != sparse_success || !position) return sparse_invalid_value;
  *position = found;
  return found >= 0 ? zero_pivot : sparse_success;
}

#define WARPLENS_SPARSE_ILU(X, T)                                                                            \
  int cusparse##X##csrilu02_bufferSize(SparseHandle*, int, int, const LegacyMatrix*, T*, const int*,         \
                                       const int*, IncompleteFactors*, int* bytes) {                         \
    return tell_room(bytes);                                                                                 \
  }                                                                                                          \
  int cusparse##X##csrilu02(SparseHandle* h, int rows, int count, const LegacyMatrix* description,           \
                            T* values, const int* offsets, const int* columns, IncompleteFactors* info, int, \
                            void*) {                                                                         \
    return ilu("cusparse" #X "csrilu02", h, rows, count, description, values, offsets, columns, info);       \
  }
WARPLENS_SPARSE_ILU(S, float)
WARPLENS_SPARSE_ILU(D, double)
WARPLENS_SPARSE_ILU(C, cfloat)
WARPLENS_SPARSE_ILU(Z, cdouble)
#undef WARPLENS_SPARSE_ILU

} // extern "C"
} // namespace warplens::runtime
