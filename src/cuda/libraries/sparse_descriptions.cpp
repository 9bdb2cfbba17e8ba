// cuSPARSE's descriptions: made, asked about, changed. See sparse.h.
#include "libraries/sparse.h"
#include <cstring>

namespace warplens::runtime {
namespace {

int create_sparse(SparseMatrix** out, const SparseMatrix& m) {
  const bool valid = m.rows >= 0 && m.columns >= 0 && m.count >= 0 && m.rows < INT64_MAX &&
                     m.columns < INT64_MAX && is_index(m.offset_type) && is_index(m.index_type) &&
                     (m.base == 0 || m.base == 1);
  return valid ? create(out, m) : sparse_invalid_value;
}

int setting(LegacyMatrix* m, int LegacyMatrix::*which) {
  int out = 0;
  with(m, [&](LegacyMatrix& known) { out = known.*which; });
  return out;
}

} // namespace

extern "C" {

int cusparseCreateMatDescr(LegacyMatrix** out) { return create(out, LegacyMatrix{}); }
int cusparseDestroyMatDescr(LegacyMatrix* m) { return destroy(m); }
int cusparseGetMatType(LegacyMatrix* m) { return setting(m, &LegacyMatrix::type); }
int cusparseGetMatIndexBase(LegacyMatrix* m) { return setting(m, &LegacyMatrix::base); }
int cusparseGetMatFillMode(LegacyMatrix* m) { return setting(m, &LegacyMatrix::fill); }
int cusparseGetMatDiagType(LegacyMatrix* m) { return setting(m, &LegacyMatrix::diagonal); }
int cusparseSetMatType(LegacyMatrix* m, int type) { return set(m, &LegacyMatrix::type, type); }
int cusparseSetMatIndexBase(LegacyMatrix* m, int base) { return set(m, &LegacyMatrix::base, base); }
int cusparseSetMatFillMode(LegacyMatrix* m, int fill) { return set(m, &LegacyMatrix::fill, fill); }
int cusparseSetMatDiagType(LegacyMatrix* m, int diagonal) {
  return set(m, &LegacyMatrix::diagonal, diagonal);
}

int cusparseCreateDnVec(DenseVector** out, i64 size, void* values, int type) {
  return size < 0 ? sparse_invalid_value : create(out, DenseVector{size, values, type});
}
int cusparseDestroyDnVec(DenseVector* v) { return destroy(v); }
int cusparseDnVecGet(DenseVector* v, i64* size, void** values, int* type) {
  if (!size || !values || !type) return sparse_invalid_value;
  return with(v, [&](DenseVector& known) { *size = known.size, *values = known.values, *type = known.type; });
}
int cusparseDnVecGetValues(DenseVector* v, void** values) { return get(v, &DenseVector::values, values); }
int cusparseDnVecSetValues(DenseVector* v, void* values) { return set(v, &DenseVector::values, values); }
int cusparseCreateDnMat(DenseMatrix** out, i64 rows, i64 columns, i64 leading, void* values, int type,
                        int order) {
  const bool valid = rows >= 0 && columns >= 0 && leading >= (order == by_columns ? rows : columns);
  return valid ? create(out, DenseMatrix{rows, columns, leading, values, type, order}) : sparse_invalid_value;
}
int cusparseDestroyDnMat(DenseMatrix* m) { return destroy(m); }
int cusparseDnMatGet(DenseMatrix* m, i64* rows, i64* columns, i64* leading, void** values, int* type,
                     int* order) {
  if (!rows || !columns || !leading || !values || !type || !order) return sparse_invalid_value;
  return with(m, [&](DenseMatrix& known) {
    *rows = known.rows, *columns = known.columns, *leading = known.leading;
    *values = known.values, *type = known.type, *order = known.order;
  });
}
int cusparseDnMatSetStridedBatch(DenseMatrix* m, int count, i64 step) {
  if (count < 1 || step < 0) return sparse_invalid_value;
  return with(m, [&](DenseMatrix& known) { known.batches = count, known.step = step; });
}
int cusparseDnMatGetStridedBatch(DenseMatrix* m, int* count, i64* step) {
  if (!count || !step) return sparse_invalid_value;
  return with(m, [&](DenseMatrix& known) { *count = known.batches, *step = known.step; });
}
int cusparseDnMatSetValues(DenseMatrix* m, void* values) { return set(m, &DenseMatrix::values, values); }
int cusparseDnMatGetValues(DenseMatrix* m, void** values) { return get(m, &DenseMatrix::values, values); }

int cusparseCreateCsr(SparseMatrix** out, i64 rows, i64 columns, i64 count, void* offsets, void* indices,
                      void* values, int offset_type, int index_type, int base, int type) {
  return create_sparse(out, {SparseMatrix::csr, rows, columns, count, offsets, indices, values, offset_type,
                             index_type, base, type});
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
int cusparseSpMatGetValues(SparseMatrix* m, void** values) { return get(m, &SparseMatrix::values, values); }
int cusparseSpMatSetValues(SparseMatrix* m, void* values) { return set(m, &SparseMatrix::values, values); }
int cusparseSpMatGetFormat(SparseMatrix* m, int* format) { return get(m, &SparseMatrix::format, format); }
int cusparseSpMatGetIndexBase(SparseMatrix* m, int* base) { return get(m, &SparseMatrix::base, base); }
int cusparseCsrSetPointers(SparseMatrix* m, void* offsets, void* indices, void* values) {
  return with(m, [&](SparseMatrix& known) {
    known.offsets = offsets, known.indices = indices, known.values = values;
  });
}
int cusparseCsrGet(SparseMatrix* m, i64* rows, i64* columns, i64* count, void** offsets, void** indices,
                   void** values, int* offset_type, int* index_type, int* base, int* type) {
  if (!rows || !columns || !count || !offsets || !indices || !values || !offset_type || !index_type ||
      !base || !type)
    return sparse_invalid_value;
  return with(m, [&](SparseMatrix& known) {
    *rows = known.rows, *columns = known.columns, *count = known.count;
    *offsets = known.offsets, *indices = known.indices, *values = known.values;
    *offset_type = known.offset_type, *index_type = known.index_type, *base = known.base, *type = known.type;
  });
}
// Rows and columns are those of blocks.
int cusparseCreateBsr(SparseMatrix** out, i64 rows, i64 columns, i64 blocks, i64 high, i64 wide,
                      void* offsets, void* indices, void* values, int offset_type, int index_type, int base,
                      int type, int order) {
  if (high < 1 || wide < 1 || rows > INT32_MAX || columns > INT32_MAX || high > INT32_MAX ||
      wide > INT32_MAX || blocks > INT32_MAX)
    return sparse_invalid_value;
  SparseMatrix m{SparseMatrix::bsr, rows * high, columns * wide, 0,   offsets, indices, values,
                 offset_type,       index_type,  base,           type};
  if (__builtin_mul_overflow(blocks, high * wide, &m.count)) return sparse_invalid_value;
  m.block_rows = high, m.block_columns = wide, m.block_order = order;
  return create_sparse(out, m);
}
int cusparseCreateBlockedEll(SparseMatrix** out, i64 rows, i64 columns, i64 block, i64 stored_columns,
                             void* indices, void* values, int index_type, int base, int type) {
  if (block < 1 || rows < 0 || stored_columns < 0 || rows % block != 0 || columns % block != 0 ||
      stored_columns % block != 0 || stored_columns > columns)
    return sparse_invalid_value;
  SparseMatrix m{SparseMatrix::ell, rows,       columns, 0,   nullptr, indices, values,
                 index_type,        index_type, base,    type};
  if (__builtin_mul_overflow(rows, stored_columns, &m.count)) return sparse_invalid_value;
  m.block_rows = m.block_columns = block, m.stored_columns = stored_columns;
  return create_sparse(out, m);
}
int cusparseBlockedEllGet(SparseMatrix* m, i64* rows, i64* columns, i64* block, i64* stored_columns,
                          void** indices, void** values, int* index_type, int* base, int* type) {
  void* offsets = nullptr;
  int offset_type = 0;
  i64 count = 0;
  if (!block || !stored_columns) return sparse_invalid_value;
  with(m, [&](SparseMatrix& known) { *block = known.block_rows, *stored_columns = known.stored_columns; });
  return cusparseCsrGet(m, rows, columns, &count, &offsets, indices, values, &offset_type, index_type, base,
                        type);
}
int cusparseCooGet(SparseMatrix* m, i64* rows, i64* columns, i64* count, void** row_indices,
                   void** column_indices, void** values, int* index_type, int* base, int* type) {
  int same = 0;
  return cusparseCsrGet(m, rows, columns, count, row_indices, column_indices, values, &same, index_type, base,
                        type);
}
int cusparseCsrSetStridedBatch(SparseMatrix* m, int count, i64 offset_step, i64 step) {
  if (count < 1 || offset_step < 0 || step < 0) return sparse_invalid_value;
  return with(m, [&](SparseMatrix& known) {
    known.batches = count, known.offset_step = offset_step, known.step = step;
  });
}
int cusparseCooSetStridedBatch(SparseMatrix* m, int count, i64 step) {
  return cusparseCsrSetStridedBatch(m, count, step, step);
}
int cusparseSpMatGetStridedBatch(SparseMatrix* m, int* count) {
  return get(m, &SparseMatrix::batches, count);
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
