// cuSPARSE's descriptions: made, asked about, changed. See sparse.h.
#include "runtime/libraries/sparse.h"
#include <cstring>

namespace warplens::runtime {
namespace {

bool is_index(int type) { return type == index_32 || type == index_64; }

int create_sparse(SparseMatrix** out, const SparseMatrix& m) {
  const bool valid = m.rows >= 0 && m.columns >= 0 && m.count >= 0 && m.rows < INT64_MAX &&
                     m.columns < INT64_MAX && is_index(m.offset_type) && is_index(m.index_type) &&
                     (m.base == 0 || m.base == 1);
  return valid ? create(out, m) : sparse_invalid_value;
}

} // namespace

extern "C" {

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
  return size < 0 ? sparse_invalid_value : create(out, DenseVector{size, values, type});
}
int cusparseCreateConstDnVec(DenseVector** out, i64 size, void* values, int type) {
  return cusparseCreateDnVec(out, size, values, type);
}
int cusparseDestroyDnVec(DenseVector* v) { return destroy(v); }
int cusparseDnVecGet(DenseVector* v, i64* size, void** values, int* type) {
  if (!size || !values || !type) return sparse_invalid_value;
  return with(v, [&](DenseVector& known) { *size = known.size, *values = known.values, *type = known.type; });
}
int cusparseDnVecGetValues(DenseVector* v, void** values) {
  if (!values) return sparse_invalid_value;
  return with(v, [&](DenseVector& known) { *values = known.values; });
}
int cusparseDnVecSetValues(DenseVector* v, void* values) {
  return with(v, [&](DenseVector& known) { known.values = values; });
}
int cusparseCreateDnMat(DenseMatrix** out, i64 rows, i64 columns, i64 leading, void* values, int type,
                        int order) {
  const bool valid = rows >= 0 && columns >= 0 && leading >= (order == by_columns ? rows : columns);
  return valid ? create(out, DenseMatrix{rows, columns, leading, values, type, order}) : sparse_invalid_value;
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
  if (!values) return sparse_invalid_value;
  return with(m, [&](DenseMatrix& known) { *values = known.values; });
}

int cusparseCreateCsr(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                      void* values, int offset_type, int index_type, int base, int type) {
  return create_sparse(out, {SparseMatrix::csr, rows, columns, count, offsets, indices, values, offset_type,
                             index_type, base, type});
}
int cusparseCreateConstCsr(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                           void* values, int offset_type, int index_type, int base, int type) {
  return cusparseCreateCsr(out, rows, columns, count, offsets, indices, values, offset_type, index_type, base,
                           type);
}
int cusparseCreateCsc(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                      void* values, int offset_type, int index_type, int base, int type) {
  return create_sparse(out, {SparseMatrix::csc, rows, columns, count, offsets, indices, values, offset_type,
                             index_type, base, type});
}
int cusparseCreateCoo(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* row_indices,
                      void* column_indices, void* values, int index_type, int base, int type) {
  return create_sparse(out, {SparseMatrix::coo, rows, columns, count, row_indices, column_indices, values,
                             index_type, index_type, base, type});
}
int cusparseDestroySpMat(SparseMatrix* m) { return destroy(m); }
int cusparseSpMatGetSize(SparseMatrix* m, i64* rows, i64* columns, i64* count) {
  if (!rows || !columns || !count) return sparse_invalid_value;
  return with(
      m, [&](SparseMatrix& known) { *rows = known.rows, *columns = known.columns, *count = known.count; });
}
int cusparseSpMatGetValues(SparseMatrix* m, void** values) {
  if (!values) return sparse_invalid_value;
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
// What a triangular matrix is.
int cusparseSpMatSetAttribute(SparseMatrix* m, int attribute, const void* data, std::size_t size) {
  constexpr int fill = 0, diagonal = 1;
  int value = 0;
  if (!data || size != sizeof value || (attribute != fill && attribute != diagonal))
    return sparse_invalid_value;
  std::memcpy(&value, data, sizeof value);
  return with(m, [&](SparseMatrix& known) { (attribute == fill ? known.fill : known.diagonal) = value; });
}
int cusparseSpMatGetAttribute(SparseMatrix* m, int attribute, void* data, std::size_t size) {
  constexpr int fill = 0, diagonal = 1;
  if (!data || size != sizeof(int) || (attribute != fill && attribute != diagonal))
    return sparse_invalid_value;
  return with(m, [&](SparseMatrix& known) {
    std::memcpy(data, attribute == fill ? &known.fill : &known.diagonal, sizeof(int));
  });
}

} // extern "C"
} // namespace warplens::runtime
