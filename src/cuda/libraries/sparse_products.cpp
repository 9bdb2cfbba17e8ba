// cuSPARSE's products whose result is sparse: of two sparse matrices (SpGEMM), and of two dense ones where a sparse one has
// elements (SDDMM). Sums are made in double.
#include "libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {

struct SparseProduct { // what a computation leaves for the copy: A B by rows
  std::vector<i64> offsets, columns;
  std::vector<cdouble> values;
  i64 products = 0; // of an element of A and one of B: what the estimation tells
};

namespace {

template <class W> W narrowed(const cdouble& x) {
  if constexpr (std::is_same_v<W, double>)
    return x.real();
  else
    return x;
}

// Elements of a row have ascending columns. What adds up to zero stays an element.
template <class T> cudaError_t multiply(const SparseMatrix& a, const SparseMatrix& b, SparseProduct& out) {
  using W = Wide<T>;
  auto nothing = [](i64, i64, i64) {};
  if (cudaError_t error = each_element(b, nothing); error != cudaSuccess)
    return error; // now its rows can be taken
  out = {{0}, {}, {}};
  std::vector<std::pair<i64, W>> row;
  i64 at = 0; // the row of C
  auto end_rows = [&](i64 until) {
    for (; at < until; ++at) {
      std::stable_sort(row.begin(), row.end(),
                       [](const auto& x, const auto& y) { return x.first < y.first; });
      for (std::size_t i = 0; i < row.size();) {
        W sum{};
        const i64 column = row[i].first;
        for (; i < row.size() && row[i].first == column; ++i) sum += row[i].second;
        out.columns.push_back(column), out.values.emplace_back(sum);
      }
      row.clear();
      out.offsets.push_back(static_cast<i64>(out.columns.size()));
    }
  };
  cudaError_t error = each_element(a, [&](i64 i, i64 k, i64 number) {
    end_rows(i);
    const W value(static_cast<const T*>(a.values)[number]);
    const i64 end = index_at(b.offsets, b.offset_type, k + 1) - b.base;
    for (i64 j = index_at(b.offsets, b.offset_type, k) - b.base; j < end; ++j)
      row.emplace_back(index_at(b.indices, b.index_type, j) - b.base,
                       value * W(static_cast<const T*>(b.values)[j]));
  });
  if (error == cudaSuccess) end_rows(a.rows);
  return error;
}

void write_structure(const SparseProduct& from, const SparseMatrix& c) {
  for (std::size_t i = 0; i < from.offsets.size(); ++i)
    set_index(c.offsets, c.offset_type, static_cast<i64>(i), from.offsets[i] + c.base);
  for (std::size_t i = 0; i < from.columns.size(); ++i)
    set_index(c.indices, c.index_type, static_cast<i64>(i), from.columns[i] + c.base);
}
template <class T> void write_values(const SparseProduct& from, const SparseMatrix& c, T alpha, T beta) {
  using W = Wide<T>;
  T* to = static_cast<T*>(c.values);
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    W sum = W(alpha) * narrowed<W>(from.values[i]);
    if (beta != T{}) sum += W(beta) * W(to[i]); // what is multiplied by zero is not read
    to[i] = T(sum);
  }
}

struct SparseFactors {
  const SparseMatrix *a, *b;
  SparseMatrix* c;
  SparseProduct* product;
};

// What is wrong with the matrices, or not covered.
int check(const char* name, const SparseHandle* h, int op_a, int op_b, const SparseFactors& f) {
  if (int bad = unless_known(h, f.a, f.b, f.c, f.product)) return bad;
  if (f.a->columns != f.b->rows || f.c->rows != f.a->rows || f.c->columns != f.b->columns)
    return sparse_invalid_value;
  const bool covered = op_a == 0 && op_b == 0 && known_type(f.a->type) && f.b->type == f.a->type &&
                       f.c->type == f.a->type && f.a->format == SparseMatrix::csr &&
                       f.b->format == SparseMatrix::csr && f.c->format == SparseMatrix::csr;
  if (covered) return sparse_success;
  library_gap(fmt::format("{} other than of CSR matrices of one type, not transposed", name));
  return sparse_not_supported;
}

std::vector<Operand> factors_of(const SparseFactors& f) {
  std::vector<Operand> out = operands_of(*f.a), more = operands_of(*f.b);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

cudaError_t multiply(const SparseMatrix& a, const SparseMatrix& b, SparseProduct& out) {
  return of_type(a.type, [&](auto zero) { return multiply<decltype(zero)>(a, b, out); });
}

// Computes the product, and tells C how many elements it is to have.
int compute(const char* name, SparseHandle* h, const SparseFactors& f) {
  return sparse_status(library_call(name, h->stream, factors_of(f), [=, a = *f.a, b = *f.b] {
    SparseProduct product;
    cudaError_t error = multiply(a, b, product);
    if (error != cudaSuccess) return error;
    with(f.c, [&](SparseMatrix& c) { c.count = static_cast<i64>(product.columns.size()); });
    with(f.product, [&](SparseProduct& known) { known = std::move(product); });
    return cudaSuccess;
  }));
}

// What is copied to C has to be what was computed for it.
bool fits(const SparseProduct& product, const SparseMatrix& c) {
  return product.offsets.size() == static_cast<std::size_t>(c.rows) + 1 &&
         product.columns.size() == static_cast<std::size_t>(c.count);
}

} // namespace

extern "C" {

int cusparseSpGEMM_createDescr(SparseProduct** out) { return create(out, SparseProduct{}); }
int cusparseSpGEMM_destroyDescr(SparseProduct* object) { return destroy(object); }
int cusparseSpGEMM_workEstimation(SparseHandle* h, int op_a, int op_b, const void*, const SparseMatrix* a,
                                  const SparseMatrix* b, const void*, SparseMatrix* c, int, int,
                                  SparseProduct* product, std::size_t* bytes, void* room) {
  if (!room) return tell_room(bytes);
  constexpr const char* name = "cusparseSpGEMM_workEstimation";
  std::lock_guard lock(Runtime::get().mutex);
  const SparseFactors f{a, b, c, product};
  if (int bad = check(name, h, op_a, op_b, f)) return bad;
  return sparse_status(library_call(name, h->stream, factors_of(f), [=, left = *a, right = *b] {
    i64 products = 0;
    cudaError_t error = each_element(left, [&](i64, i64 k, i64) {
      products +=
          index_at(right.offsets, right.offset_type, k + 1) - index_at(right.offsets, right.offset_type, k);
    });
    with(product, [&](SparseProduct& known) { known.products = products; });
    return error;
  }));
}
int cusparseSpGEMM_getNumProducts(SparseProduct* product, i64* count) {
  return get(product, &SparseProduct::products, count);
}
// Room is not needed, however small the parts are in which the work is to be done.
int cusparseSpGEMM_estimateMemory(SparseHandle*, int, int, const void*, const SparseMatrix*,
                                  const SparseMatrix*, const void*, SparseMatrix*, int, int, SparseProduct*,
                                  float, std::size_t* bytes_3, void* room, std::size_t* bytes_2) {
  return room ? tell_room(bytes_2) : tell_room(bytes_3);
}
// Without room the size of it is asked for.
int cusparseSpGEMM_compute(SparseHandle* h, int op_a, int op_b, const void*, const SparseMatrix* a,
                           const SparseMatrix* b, const void*, SparseMatrix* c, int, int,
                           SparseProduct* product, std::size_t* bytes, void* room) {
  if (!room) return tell_room(bytes);
  std::lock_guard lock(Runtime::get().mutex);
  const SparseFactors f{a, b, c, product};
  if (int bad = check("cusparseSpGEMM_compute", h, op_a, op_b, f)) return bad;
  return compute("cusparseSpGEMM_compute", h, f);
}
int cusparseSpGEMM_copy(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                        const SparseMatrix* b, const void* beta, SparseMatrix* c, int, int,
                        SparseProduct* product) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = check("cusparseSpGEMM_copy", h, op_a, op_b, {a, b, c, product})) return bad;
  if (!alpha || !beta || !fits(*product, *c)) return sparse_invalid_value;
  std::vector<Operand> operands = operands_of(*c);
  operands.insert(operands.end(), {scalar(*h, alpha, c->type), scalar(*h, beta, c->type)});
  return sparse_status(library_call(
      "cusparseSpGEMM_copy", h->stream, std::move(operands),
      [from = *product, to = *c, p = SparseScalar(*h, c->type, alpha), q = SparseScalar(*h, c->type, beta)] {
        write_structure(from, to);
        return of_type(to.type, [&](auto zero) {
          using T = decltype(zero);
          write_values<T>(from, to, p.get<T>(), q.get<T>());
          return cudaSuccess;
        });
      }));
}

// The same for many products of matrices whose elements are in the same places.
int cusparseSpGEMMreuse_workEstimation(SparseHandle*, int, int, const SparseMatrix*, const SparseMatrix*,
                                       SparseMatrix*, int, SparseProduct*, std::size_t* bytes, void*) {
  return tell_room(bytes);
}
int cusparseSpGEMMreuse_nnz(SparseHandle* h, int op_a, int op_b, const SparseMatrix* a, const SparseMatrix* b,
                            SparseMatrix* c, int, SparseProduct* product, std::size_t* bytes_2, void* room,
                            std::size_t* bytes_3, void*, std::size_t* bytes_4, void*) {
  for (std::size_t* bytes : {bytes_2, bytes_3, bytes_4})
    if (int bad = tell_room(bytes)) return bad;
  if (!room) return sparse_success;
  std::lock_guard lock(Runtime::get().mutex);
  const SparseFactors f{a, b, c, product};
  if (int bad = check("cusparseSpGEMMreuse_nnz", h, op_a, op_b, f)) return bad;
  return compute("cusparseSpGEMMreuse_nnz", h, f);
}
int cusparseSpGEMMreuse_copy(SparseHandle* h, int op_a, int op_b, const SparseMatrix* a,
                             const SparseMatrix* b, SparseMatrix* c, int, SparseProduct* product,
                             std::size_t* bytes, void* room) {
  if (!room) return tell_room(bytes);
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = check("cusparseSpGEMMreuse_copy", h, op_a, op_b, {a, b, c, product})) return bad;
  if (!fits(*product, *c)) return sparse_invalid_value;
  return sparse_status(
      library_call("cusparseSpGEMMreuse_copy", h->stream, operands_of(*c), [from = *product, to = *c] {
        write_structure(from, to);
        return cudaSuccess;
      }));
}
int cusparseSpGEMMreuse_compute(SparseHandle* h, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                                const SparseMatrix* b, const void* beta, SparseMatrix* c, int, int,
                                SparseProduct* product) {
  std::lock_guard lock(Runtime::get().mutex);
  const SparseFactors f{a, b, c, product};
  if (int bad = check("cusparseSpGEMMreuse_compute", h, op_a, op_b, f)) return bad;
  if (!alpha || !beta || !fits(*product, *c)) return sparse_invalid_value;
  std::vector<Operand> operands = factors_of(f), more = operands_of(*c);
  operands.insert(operands.end(), more.begin(), more.end());
  operands.insert(operands.end(), {scalar(*h, alpha, c->type), scalar(*h, beta, c->type)});
  return sparse_status(
      library_call("cusparseSpGEMMreuse_compute", h->stream, std::move(operands),
                   [from_a = *a, from_b = *b, to = *c, p = SparseScalar(*h, c->type, alpha),
                    q = SparseScalar(*h, c->type, beta)] {
                     SparseProduct now;
                     if (cudaError_t error = multiply(from_a, from_b, now); error != cudaSuccess)
                       return error;
                     if (!fits(now, to))
                       return cudaErrorInvalidValue; // elements are in other places than they were
                     return of_type(to.type, [&](auto zero) {
                       using T = decltype(zero);
                       write_values<T>(now, to, p.get<T>(), q.get<T>());
                       return cudaSuccess;
                     });
                   }));
}

int cusparseSDDMM_bufferSize(SparseHandle*, int, int, const void*, const DenseMatrix*, const DenseMatrix*,
                             const void*, const SparseMatrix*, int, int, std::size_t* bytes) {
  return tell_room(bytes);
}
// C = alpha (op(A) op(B)) + beta C, where C has elements.
int cusparseSDDMM(SparseHandle* h, int op_a, int op_b, const void* alpha, const DenseMatrix* a,
                  const DenseMatrix* b, const void* beta, const SparseMatrix* c, int, int, void*) {
  constexpr const char* name = "cusparseSDDMM";
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, a, b, c)) return bad;
  if (!alpha || !beta || op_a < 0 || op_a > 2 || op_b < 0 || op_b > 2) return sparse_invalid_value;
  if (!known_type(c->type) || a->type != c->type || b->type != c->type) {
    library_gap(fmt::format("{} of mixed or narrow types", name));
    return sparse_not_supported;
  }
  const View x = view_of(*a, op_a != 0), y = view_of(*b, op_b != 0);
  const int batches = common_batches({x.batches, y.batches, c->batches});
  if (x.rows != c->rows || y.columns != c->columns || x.columns != y.rows || batches == 0 ||
      c->batches != batches)
    return sparse_invalid_value;
  std::vector<Operand> operands = operands_of(*c);
  operands.insert(operands.end(),
                  {operand(*a), operand(*b), scalar(*h, alpha, c->type), scalar(*h, beta, c->type)});
  return sparse_status(library_call(
      name, h->stream, std::move(operands),
      [=, m = *c, p = SparseScalar(*h, c->type, alpha), q = SparseScalar(*h, c->type, beta)] {
        return of_type(m.type, [&](auto zero) {
          using T = decltype(zero);
          using W = Wide<T>;
          cudaError_t error = cudaSuccess;
          for (i64 n = 0; error == cudaSuccess && n < batches; ++n) {
            const View left = nth_of(x, n, sizeof(T)), right = nth_of(y, n, sizeof(T));
            const SparseMatrix to = nth_of(m, n);
            error = each_element(to, [&](i64 row, i64 column, i64 i) {
              W sum{};
              for (i64 k = 0; k < left.columns; ++k)
                sum += turned(W(static_cast<const T*>(left.values)[left.at(row, k)]), op_a == 2) *
                       turned(W(static_cast<const T*>(right.values)[right.at(k, column)]), op_b == 2);
              T& out = static_cast<T*>(to.values)[i];
              sum *= W(p.get<T>());
              if (q.get<T>() != T{}) sum += W(q.get<T>()) * W(out); // what is multiplied by zero is not read
              out = T(sum);
            });
          }
          return error;
        });
      }));
}

} // extern "C"
} // namespace warplens::runtime
