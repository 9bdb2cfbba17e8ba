// Calls of cuSPARSE's vectors, conversions and products, declared here as its manual has them, so that no toolkit is needed: each
// result is compared with what dense loops compute.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
int cudaMallocManaged(void**, size_t, unsigned);
int cusparseCreate(void**);
int cusparseSetPointerMode(void*, int);
int cusparseCreateMatDescr(void**);
int cusparseSetMatIndexBase(void*, int);
int cusparseGetMatIndexBase(void*);
int cusparseCreateSpVec(void**, int64_t, int64_t, void*, void*, int, int, int);
int cusparseCreateDnVec(void**, int64_t, void*, int);
int cusparseAxpby(void*, const void*, void*, const void*, void*);
int cusparseGather(void*, void*, void*);
int cusparseScatter(void*, void*, void*);
int cusparseRot(void*, const void*, const void*, void*, void*);
int cusparseSpVV(void*, int, void*, void*, void*, int, void*);
int cusparseCreateDnMat(void**, int64_t, int64_t, int64_t, void*, int, int);
int cusparseDnMatSetStridedBatch(void*, int, int64_t);
int cusparseCreateCsr(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
int cusparseCreateCsc(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
int cusparseCreateCoo(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int);
int cusparseCsrSetPointers(void*, void*, void*, void*);
int cusparseCsrSetStridedBatch(void*, int, int64_t, int64_t);
int cusparseSpMatGetSize(void*, int64_t*, int64_t*, int64_t*);
int cusparseSpMatGetFormat(void*, int*);
int cusparseDenseToSparse_bufferSize(void*, void*, void*, int, size_t*);
int cusparseDenseToSparse_analysis(void*, void*, void*, int, void*);
int cusparseDenseToSparse_convert(void*, void*, void*, int, void*);
int cusparseSparseToDense(void*, void*, void*, int, void*);
int cusparseCsr2cscEx2(void*, int, int, int, const void*, const int*, const int*, void*, int*, int*, int, int,
                       int, int, void*);
int cusparseXcoo2csr(void*, const int*, int, int, int*, int);
int cusparseXcsr2coo(void*, const int*, int, int, int*, int);
int cusparseCreateIdentityPermutation(void*, int, int*);
int cusparseXcsrsort(void*, int, int, int, void*, const int*, int*, int*, void*);
int cusparseXcoosortByColumn(void*, int, int, int, int*, int*, int*, void*);
int cusparseDnnz(void*, int, int, int, void*, const double*, int, int*, int*);
int cusparseSpMM(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSDDMM(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSpGEMM_createDescr(void**);
int cusparseSpGEMM_workEstimation(void*, int, int, const void*, void*, void*, const void*, void*, int, int,
                                  void*, size_t*, void*);
int cusparseSpGEMM_compute(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*,
                           size_t*, void*);
int cusparseSpGEMM_copy(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSpGEMMreuse_nnz(void*, int, int, void*, void*, void*, int, void*, size_t*, void*, size_t*, void*,
                            size_t*, void*);
int cusparseSpGEMMreuse_copy(void*, int, int, void*, void*, void*, int, void*, size_t*, void*);
int cusparseSpGEMMreuse_compute(void*, int, int, const void*, void*, void*, const void*, void*, int, int,
                                void*);
int cusparseSpGEMM_getNumProducts(void*, int64_t*);
int cusparseSpMV(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseCreateBsr(void**, int64_t, int64_t, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int,
                      int, int);
int cusparseCreateBlockedEll(void**, int64_t, int64_t, int64_t, int64_t, void*, void*, int, int, int);
int cusparseDbsrmv(void*, int, int, int, int, int, const double*, void*, const double*, const int*,
                   const int*, int, const double*, const double*, double*);
int cusparseCbsrmm(void*, int, int, int, int, int, int, int, const void*, void*, const void*, const int*,
                   const int*, int, const void*, int, const void*, void*, int);
int cusparseXcsrgeam2Nnz(void*, int, int, void*, int, const int*, const int*, void*, int, const int*,
                         const int*, void*, int*, int*, void*);
int cusparseDcsrgeam2(void*, int, int, const double*, void*, int, const double*, const int*, const int*,
                      const double*, void*, int, const double*, const int*, const int*, void*, double*, int*,
                      int*, void*);
int cusparseDgtsv2(void*, int, int, const double*, const double*, const double*, double*, int, void*);
int cusparseZgtsv2StridedBatch(void*, int, const void*, const void*, const void*, void*, int, int, void*);
int cusparseCreateConstCsc(void**, int64_t, int64_t, int64_t, const void*, const void*, const void*, int, int,
                           int, int);
int cusparseCscSetPointers(void*, void*, void*, void*);
int cusparseCscGet(void*, int64_t*, int64_t*, int64_t*, void**, void**, void**, int*, int*, int*, int*);
int cusparseConstCscGet(const void*, int64_t*, int64_t*, int64_t*, const void**, const void**, const void**,
                        int*, int*, int*, int*);
int cusparseConstSpMatGetValues(const void*, const void**),
    cusparseConstDnVecGet(const void*, int64_t*, const void**, int*);
int cusparseCreateConstDnVec(const void**, int64_t, const void*, int);
int cusparseCooSetPointers(void*, void*, void*, void*);
int cusparseSpSM_createDescr(void**), cusparseSpSM_destroyDescr(void*);
int cusparseXcoosort_bufferSizeExt(void*, int, int, int, const int*, const int*, size_t*);
int cusparseZgtsv2_nopivot_bufferSizeExt(void*, int, int, const void*, const void*, const void*, const void*,
                                         int, size_t*);
int cusparseSDDMM_preprocess(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseCcsrilu02_analysis(void*, int, int, void*, const void*, const int*, const int*, void*, int,
                               void*);
int cusparseCreateSlicedEll(...);
}

constexpr int f32 = 0, f64 = 1, c64 = 5, index32 = 2, index64 = 3, by_columns = 1, by_rows = 2;
static int wrong = 0;
static void* handle;
static void check(bool right, const char* what) {
  if (!right) ++wrong, printf("wrong: %s\n", what);
}
template <class T> T* room(size_t count) {
  void* out = nullptr;
  check(cudaMallocManaged(&out, count * sizeof(T) + 1, 1) == 0, "cudaMallocManaged");
  return static_cast<T*>(out);
}
template <class T> T* copy(const std::vector<T>& from) {
  T* out = room<T>(from.size());
  std::copy(from.begin(), from.end(), out);
  return out;
}
template <class T> bool equal(const T* got, const std::vector<T>& right) {
  for (size_t i = 0; i < right.size(); ++i)
    if (std::abs(got[i] - right[i]) > 1e-6) return false;
  return true;
}

static void vectors() {
  using C = std::complex<double>;
  void *x, *y;
  int* places = copy<int>({2, 5, 1}); // counted from 1
  double *xs = copy<double>({1, 2, 3}), *ys = copy<double>({10, 20, 30, 40, 50});
  check(cusparseCreateSpVec(&x, 5, 3, places, xs, index32, 1, f64) == 0, "CreateSpVec");
  check(cusparseCreateDnVec(&y, 5, ys, f64) == 0, "CreateDnVec");
  const double two = 2, half = 0.5, zero = 0, c = 0.6, s = 0.8;
  check(cusparseAxpby(handle, &two, x, &half, y) == 0 && equal(ys, {11, 12, 15, 20, 29}), "Axpby");
  double *result = room<double>(1), host = 0;
  check(cusparseSpVV(handle, 0, x, y, &host, f64, nullptr) == 0 && host == 12 + 58 + 33, "SpVV");
  cusparseSetPointerMode(handle, 1);
  check(cusparseSpVV(handle, 0, x, y, result, f64, nullptr) == 0 && *result == host, "SpVV to device memory");
  cusparseSetPointerMode(handle, 0);
  check(cusparseGather(handle, y, x) == 0 && equal(xs, {12, 29, 11}), "Gather");
  xs[0] = 5;
  check(cusparseScatter(handle, x, y) == 0 && equal(ys, {11, 5, 15, 20, 29}), "Scatter");
  xs[0] = 10;
  check(cusparseRot(handle, &c, &s, x, y) == 0 && std::abs(xs[0] - 10) < 1e-9 && std::abs(ys[1] + 5) < 1e-9,
        "Rot");
  std::fill_n(ys, 5, NAN);
  check(cusparseAxpby(handle, &two, x, &zero, y) == 0 && ys[2] == 0,
        "Axpby does not read what it multiplies by 0");
  places[0] = 6;
  check(cusparseGather(handle, y, x) != 0, "an index outside of the vector");
  void *p, *q;
  C *ps = copy<C>({C(1, 1)}), *qs = copy<C>({C(0, 2)}), dot;
  cusparseCreateSpVec(&p, 1, 1, copy<int64_t>({0}), ps, index64, 0, c64), cusparseCreateDnVec(&q, 1, qs, c64);
  check(cusparseSpVV(handle, 2, p, q, &dot, c64, nullptr) == 0 && dot == C(2, 2), "SpVV, conjugated");
}

// 1 . 2
// . . .
// 3 4 .
// . 5 6
static const std::vector<float> dense = {1, 0, 2, 0, 0, 0, 3, 4, 0, 0, 5, 6};
static const std::vector<int> row_offsets = {0, 2, 2, 4, 6}, columns_of = {0, 2, 0, 1, 1, 2},
                              rows_of = {0, 0, 2, 2, 3, 3}, column_offsets = {0, 2, 4, 6},
                              rows_by_column = {0, 2, 2, 3, 0, 3};
static const std::vector<float> by_row = {1, 2, 3, 4, 5, 6}, by_column = {1, 3, 4, 5, 2, 6};

static void conversions() {
  void *from, *to, *csr, *csc, *coo;
  float* d = copy(dense);
  size_t bytes = 0;
  check(cusparseCreateDnMat(&from, 4, 3, 3, d, f32, by_rows) == 0, "CreateDnMat");
  auto convert = [&](void* sparse, const char* what) {
    int64_t rows = 0, columns = 0, count = 0;
    check(cusparseDenseToSparse_bufferSize(handle, from, sparse, 0, &bytes) == 0 && bytes > 0,
          "size of room");
    check(cusparseDenseToSparse_analysis(handle, from, sparse, 0, nullptr) == 0, what);
    check(cusparseSpMatGetSize(sparse, &rows, &columns, &count) == 0 && count == 6, "elements found");
    check(cusparseCsrSetPointers(sparse, room<int>(5), room<int>(6), room<float>(6)) == 0, "CsrSetPointers");
  };
  int *o = room<int>(6), *i = room<int>(6), format = 0;
  float* v = room<float>(6);
  cusparseCreateCsr(&csr, 4, 3, 0, o, nullptr, nullptr, index32, index32, 0, f32);
  convert(csr, "DenseToSparse, CSR");
  cusparseCsrSetPointers(csr, o, i, v);
  check(cusparseDenseToSparse_convert(handle, from, csr, 0, nullptr) == 0 && equal(o, row_offsets) &&
            equal(i, columns_of) && equal(v, by_row),
        "CSR");
  float* back = room<float>(12);
  cusparseCreateDnMat(&to, 4, 3, 4, back, f32, by_columns);
  check(cusparseSparseToDense(handle, csr, to, 0, nullptr) == 0 && back[0] == 1 && back[2] == 3 &&
            back[1] == 0 && back[11] == 6,
        "SparseToDense");
  cusparseCreateCsc(&csc, 4, 3, 0, o, nullptr, nullptr, index32, index32, 1, f32);
  convert(csc, "DenseToSparse, CSC");
  cusparseCsrSetPointers(csc, o, i, v);
  check(cusparseDenseToSparse_convert(handle, from, csc, 0, nullptr) == 0 && equal(o, {1, 3, 5, 7}) &&
            equal(i, {1, 3, 3, 4, 1, 4}) && equal(v, by_column),
        "CSC, counted from 1");
  cusparseCreateCoo(&coo, 4, 3, 0, o, i, v, index32, 0, f32);
  convert(coo, "DenseToSparse, COO");
  cusparseCsrSetPointers(coo, o, i, v);
  check(cusparseDenseToSparse_convert(handle, from, coo, 0, nullptr) == 0 && equal(o, rows_of) &&
            equal(i, columns_of) && equal(v, by_row),
        "COO");
  check(cusparseSpMatGetFormat(coo, &format) == 0 && format == 3, "format");

  check(cusparseCsr2cscEx2(handle, 4, 3, 6, copy(by_row), copy(row_offsets), copy(columns_of), v, o, i, f32,
                           1, 0, 1, nullptr) == 0 &&
            equal(o, column_offsets) && equal(i, rows_by_column) && equal(v, by_column),
        "Csr2cscEx2");
  check(cusparseXcoo2csr(handle, copy(rows_of), 6, 4, o, 0) == 0 && equal(o, row_offsets), "Xcoo2csr");
  check(cusparseXcsr2coo(handle, copy(row_offsets), 6, 4, o, 0) == 0 && equal(o, rows_of), "Xcsr2coo");
}

static void orders() {
  void* description;
  check(cusparseCreateMatDescr(&description) == 0, "CreateMatDescr");
  check(cusparseSetMatIndexBase(description, 1) == 0 && cusparseGetMatIndexBase(description) == 1,
        "index base");
  int *offsets = copy<int>({1, 4, 6}), *columns = copy<int>({3, 1, 2, 2, 1}), *order = room<int>(5);
  check(cusparseCreateIdentityPermutation(handle, 5, order) == 0, "CreateIdentityPermutation");
  check(cusparseXcsrsort(handle, 2, 3, 5, description, offsets, columns, order, nullptr) == 0 &&
            equal(columns, {1, 2, 3, 1, 2}) && equal(order, {1, 2, 0, 4, 3}),
        "Xcsrsort");
  int *r = copy<int>({2, 0, 1}), *c = copy<int>({0, 1, 0});
  cusparseCreateIdentityPermutation(handle, 3, order);
  check(cusparseXcoosortByColumn(handle, 3, 3, 3, r, c, order, nullptr) == 0 && equal(r, {1, 2, 0}) &&
            equal(c, {0, 0, 1}) && equal(order, {2, 0, 1}),
        "XcoosortByColumn");
  int total = 0;
  check(cusparseDnnz(handle, 0, 2, 3, description, copy<double>({1, 0, -0.0, 2, 3, 4}), 2, order, &total) ==
                0 &&
            total == 4 && order[0] == 2 && order[1] == 2,
        "Dnnz");
}

static void products() {
  void *a, *b, *c, *plan;
  const float one = 1, two = 2, zero = 0;
  // A (4×3, above) times its like turned (3×4): 5 . 3 12 / . . . . / 3 . 25 20 / 12 . 20 61
  cusparseCreateCsr(&a, 4, 3, 6, copy(row_offsets), copy(columns_of), copy(by_row), index32, index32, 0, f32);
  cusparseCreateCsr(&b, 3, 4, 6, copy(column_offsets), copy(rows_by_column), copy(by_column), index32,
                    index32, 0, f32);
  const std::vector<int> offsets = {0, 3, 3, 6, 9}, columns = {0, 2, 3, 0, 2, 3, 0, 2, 3};
  const std::vector<float> values = {5, 3, 12, 3, 25, 20, 12, 20, 61};
  int *o = room<int>(5), *i = room<int>(9);
  float* v = copy(std::vector<float>(9, 1.0f));
  cusparseCreateCsr(&c, 4, 4, 0, o, nullptr, nullptr, index32, index32, 0, f32);
  cusparseSpGEMM_createDescr(&plan);
  size_t bytes = 0, other = 0, third = 0;
  char work[64];
  int64_t rows = 0, wide = 0, count = 0;
  check(cusparseSpGEMM_workEstimation(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan, &bytes, nullptr) == 0,
        "SpGEMM_workEstimation");
  check(cusparseSpGEMM_workEstimation(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan, &bytes, work) == 0 &&
            cusparseSpGEMM_getNumProducts(plan, &count) == 0 && count == 12,
        "SpGEMM_getNumProducts");
  check(cusparseSpGEMM_compute(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan, &bytes, nullptr) == 0 &&
            bytes > 0,
        "SpGEMM_compute asked for room");
  check(cusparseSpGEMM_copy(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan) != 0,
        "a copy of what is not computed");
  check(cusparseSpGEMM_compute(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan, &bytes, work) == 0 &&
            cusparseSpMatGetSize(c, &rows, &wide, &count) == 0 && count == 9,
        "SpGEMM_compute");
  cusparseCsrSetPointers(c, o, i, v);
  check(cusparseSpGEMM_copy(handle, 0, 0, &one, a, b, &two, c, f32, 0, plan) == 0 && equal(o, offsets) &&
            equal(i, columns) && v[0] == 7 && v[8] == 63,
        "SpGEMM");
  std::fill_n(v, 9, NAN);
  check(cusparseSpGEMMreuse_nnz(handle, 0, 0, a, b, c, 0, plan, &bytes, work, &other, work, &third, work) ==
                0 &&
            cusparseSpGEMMreuse_copy(handle, 0, 0, a, b, c, 0, plan, &bytes, work) == 0 &&
            cusparseSpGEMMreuse_compute(handle, 0, 0, &one, a, b, &zero, c, f32, 0, plan) == 0 &&
            equal(v, values),
        "SpGEMMreuse");
  check(cusparseSpGEMM_compute(handle, 1, 0, &one, a, b, &zero, c, f32, 0, plan, &bytes, work) == 10,
        "SpGEMM, transposed");

  // Two at a time: C = A A' where C has elements, and A once for both B.
  void *left, *right, *sampled, *tall, *result;
  std::vector<float> twice = dense;
  for (float x : dense) twice.push_back(2 * x);
  float* pair = copy(twice);
  cusparseCreateDnMat(&left, 4, 3, 3, pair, f32, by_rows),
      cusparseCreateDnMat(&right, 4, 3, 3, pair, f32, by_rows);
  check(cusparseDnMatSetStridedBatch(left, 2, 12) == 0 && cusparseDnMatSetStridedBatch(right, 2, 12) == 0,
        "DnMatSetStridedBatch");
  float* s = copy(std::vector<float>(18, 1.0f));
  cusparseCreateCsr(&sampled, 4, 4, 9, copy<int>({0, 3, 3, 6, 9, 0, 3, 3, 6, 9}),
                    copy<int>({0, 2, 3, 0, 2, 3, 0, 2, 3, 0, 2, 3, 0, 2, 3, 0, 2, 3}), s, index32, index32, 0,
                    f32);
  check(cusparseSDDMM(handle, 0, 1, &one, left, right, &one, sampled, f32, 0, nullptr) != 0,
        "SDDMM of different batches");
  check(cusparseCsrSetStridedBatch(sampled, 2, 5, 9) == 0, "CsrSetStridedBatch");
  check(cusparseSDDMM(handle, 0, 1, &one, left, right, &one, sampled, f32, 0, nullptr) == 0 && s[0] == 6 &&
            s[8] == 62 && s[9] == 4 * 5 + 1 && s[17] == 4 * 61 + 1,
        "SDDMM");
  float* out = room<float>(24);
  cusparseCreateDnMat(&tall, 3, 2, 3, copy<float>({1, 2, 3, 4, 5, 6, 1, 0, 0, 0, 1, 0}), f32, by_columns);
  cusparseCreateDnMat(&result, 4, 2, 4, out, f32, by_columns);
  cusparseDnMatSetStridedBatch(tall, 2, 6), cusparseDnMatSetStridedBatch(result, 2, 8);
  check(cusparseSpMM(handle, 0, 0, &one, a, tall, &zero, result, f32, 0, nullptr) == 0 &&
            equal(out, {7, 0, 11, 28, 16, 0, 32, 61, 1, 0, 3, 0, 0, 0, 4, 5}),
        "SpMM of a batch");
}

// Random matrices of blocks, against dense loops in double.
struct Blocks {
  int rows, columns, size; // in blocks
  std::vector<int> offsets, indices;
  std::vector<double> dense; // by rows
  int high() const { return rows * size; }
  int wide() const { return columns * size; }
};
static double number() { return rand() % 41 / 8.0 - 2.5; }
static Blocks random_blocks(int rows, int columns, int size) {
  Blocks out{rows, columns, size, {0}, {}, std::vector<double>(size_t(rows * size) * columns * size)};
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c)
      if (rand() % 3 != 0) {
        out.indices.push_back(c);
        for (int i = 0; i < size; ++i)
          for (int j = 0; j < size; ++j)
            out.dense[size_t(r * size + i) * out.wide() + c * size + j] = number();
      }
    out.offsets.push_back(static_cast<int>(out.indices.size()));
  }
  return out;
}
template <class T> std::vector<T> stored(const Blocks& m, bool by_column) {
  std::vector<T> out;
  for (int r = 0; r < m.rows; ++r)
    for (int b = m.offsets[r]; b < m.offsets[r + 1]; ++b)
      for (int i = 0; i < m.size * m.size; ++i) {
        const int row = by_column ? i % m.size : i / m.size, column = by_column ? i / m.size : i % m.size;
        out.push_back(T(m.dense[size_t(r * m.size + row) * m.wide() + m.indices[b] * m.size + column]));
      }
  return out;
}
template <class T> std::vector<T> random_list(size_t count) {
  std::vector<T> out;
  for (size_t i = 0; i < count; ++i) out.push_back(T(number()));
  return out;
}

static void blocks() {
  void* description;
  cusparseCreateMatDescr(&description);
  using C = std::complex<float>;
  for (int size : {1, 2, 3})
    for (int direction : {0, 1}) {
      const Blocks m = random_blocks(4, 5, size);
      const auto x = random_list<double>(m.wide()), y = random_list<double>(m.high());
      std::vector<double> right;
      const double alpha = 1.5, beta = -0.5;
      for (int i = 0; i < m.high(); ++i) {
        double sum = 0;
        for (int j = 0; j < m.wide(); ++j) sum += m.dense[size_t(i) * m.wide() + j] * x[j];
        right.push_back(alpha * sum + beta * y[i]);
      }
      const int count = static_cast<int>(m.indices.size());
      double *out = copy(y), *vector = copy(x);
      check(cusparseDbsrmv(handle, direction, 0, m.rows, m.columns, count, &alpha, description,
                           copy(stored<double>(m, direction == 1)), copy(m.offsets), copy(m.indices), size,
                           vector, &beta, out) == 0 &&
                equal(out, right),
            "Dbsrmv");
      void *a, *v, *w;
      out = copy(y);
      check(cusparseCreateBsr(&a, m.rows, m.columns, count, size, size, copy(m.offsets), copy(m.indices),
                              copy(stored<double>(m, direction == 1)), index32, index32, 0, f64,
                              direction == 1 ? by_columns : by_rows) == 0,
            "CreateBsr");
      cusparseCreateDnVec(&v, m.wide(), vector, f64), cusparseCreateDnVec(&w, m.high(), out, f64);
      check(cusparseSpMV(handle, 0, &alpha, a, v, &beta, w, f64, 0, nullptr) == 0 && equal(out, right),
            "SpMV of blocks");

      const C one(1, 0.5f), none(0, 0);
      const int n = 3;
      const auto b = random_list<C>(size_t(n) * m.wide());
      C* product = copy(std::vector<C>(size_t(n) * m.high(), C(NAN, 0)));
      std::vector<C> expected(size_t(n) * m.high());
      for (int i = 0; i < m.high(); ++i)
        for (int k = 0; k < n; ++k) {
          std::complex<double> sum = 0;
          for (int j = 0; j < m.wide(); ++j)
            sum += m.dense[size_t(i) * m.wide() + j] * std::complex<double>(b[size_t(j) * n + k]);
          expected[size_t(k) * m.high() + i] = C(std::complex<double>(one) * sum);
        }
      check(cusparseCbsrmm(handle, direction, 0, 1, m.rows, n, m.columns, count, &one, description,
                           copy(stored<C>(m, direction == 1)), copy(m.offsets), copy(m.indices), size,
                           copy(b), n, &none, product, m.high()) == 0,
            "Cbsrmm");
      for (size_t i = 0; i < expected.size(); ++i) check(std::abs(product[i] - expected[i]) < 1e-4, "Cbsrmm");
    }
  check(cusparseDbsrmv(handle, 0, 1, 1, 1, 0, copy<double>({1}), description, nullptr, copy<int>({0, 0}),
                       nullptr, 2, copy<double>({1, 1}), copy<double>({1}), copy<double>({1, 1})) == 10,
        "Dbsrmv, transposed");

  // Blocked-ELL, with a block that is none; bytes into floats. As in NVIDIA's example of the conversion.
  void *ell, *from, *b, *c;
  float* values = copy(std::vector<float>(16, NAN));
  check(cusparseCreateBlockedEll(&ell, 4, 6, 2, 4, copy<int>({1, -1, 0, 2}), values, index32, 0, f32) == 0,
        "CreateBlockedEll");
  cusparseCreateDnMat(
      &from, 4, 6, 6,
      copy<float>({0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 9, 10, 0, 0, 11, 12}), f32, by_rows);
  check(cusparseDenseToSparse_analysis(handle, from, ell, 0, nullptr) == 0 &&
            cusparseDenseToSparse_convert(handle, from, ell, 0, nullptr) == 0 &&
            equal(values, {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12}),
        "DenseToSparse, Blocked-ELL");
  const float one = 1, zero = 0;
  float* out = room<float>(4);
  cusparseCreateDnMat(&b, 6, 1, 6, copy<float>({1, 1, 1, 2, 1, 3}), f32, by_columns);
  cusparseCreateDnMat(&c, 4, 1, 4, out, f32, by_columns);
  check(cusparseSpMM(handle, 0, 0, &one, ell, b, &zero, c, f32, 0, nullptr) == 0 &&
            equal(out, {5, 11, 42, 66}),
        "SpMM, Blocked-ELL");
  check(cusparseCreateBlockedEll(&ell, 4, 6, 4, 4, nullptr, nullptr, index32, 0, f32) != 0,
        "blocks that do not fit");

  void *small, *x, *y;
  constexpr int i8 = 3, f16 = 2;
  cusparseCreateCsr(&small, 2, 2, 3, copy<int>({0, 2, 3}), copy<int>({0, 1, 1}),
                    copy<signed char>({100, 27, -3}), index32, index32, 0, i8);
  cusparseCreateDnVec(&x, 2, copy<signed char>({100, 2}), i8), cusparseCreateDnVec(&y, 2, out, f32);
  check(cusparseSpMV(handle, 0, &one, small, x, &zero, y, f32, 0, nullptr) == 0 && equal(out, {10054, -6}),
        "SpMV of bytes into floats");
  unsigned short* half = copy<unsigned short>({0x3c00, 0x4000}); // 1, 2
  void *narrow, *halves;
  cusparseCreateCsr(&narrow, 1, 2, 2, copy<int>({0, 2}), copy<int>({0, 1}), half, index32, index32, 0, f16);
  cusparseCreateDnVec(&halves, 2, half, f16), cusparseCreateDnVec(&y, 1, out, f32);
  check(cusparseSpMV(handle, 0, &one, narrow, halves, &zero, y, f32, 0, nullptr) == 0 && out[0] == 5,
        "SpMV of halves into floats");
}

static void sums_and_systems() {
  void *plain, *counted;
  cusparseCreateMatDescr(&plain), cusparseCreateMatDescr(&counted);
  cusparseSetMatIndexBase(counted, 1);
  // 1 . 2    + 2 (. 1 1)    = 1 2 4
  // . . 3        (1 . .)      2 . 3
  const double one = 1, two = 2;
  int *o = room<int>(3), *i = room<int>(5), total = 0;
  double* v = room<double>(5);
  int *oa = copy<int>({0, 2, 3}), *ia = copy<int>({0, 2, 2}), *ob = copy<int>({1, 3, 4}),
      *ib = copy<int>({2, 3, 1});
  check(cusparseXcsrgeam2Nnz(handle, 2, 3, plain, 3, oa, ia, counted, 3, ob, ib, plain, o, &total, nullptr) ==
                0 &&
            total == 5 && equal(o, {0, 3, 5}),
        "Xcsrgeam2Nnz");
  check(cusparseDcsrgeam2(handle, 2, 3, &one, plain, 3, copy<double>({1, 2, 3}), oa, ia, &two, counted, 3,
                          copy<double>({1, 1, 1}), ob, ib, counted, v, o, i, nullptr) == 0 &&
            equal(o, {1, 4, 6}) && equal(i, {1, 2, 3, 1, 3}) && equal(v, {1, 2, 4, 2, 3}),
        "Dcsrgeam2");

  for (int size : {1, 2, 3, 17}) {
    auto below = random_list<double>(size), diagonal = random_list<double>(size),
         above = random_list<double>(size);
    if (size == 17) diagonal[4] = diagonal[9] = 0; // rows have to be exchanged
    if (size < 3) diagonal.assign(size, 3);
    const auto x = random_list<double>(2 * size);
    std::vector<double> b;
    for (int k = 0; k < 2; ++k)
      for (int r = 0; r < size; ++r)
        b.push_back((r > 0 ? below[r] * x[k * size + r - 1] : 0) + diagonal[r] * x[k * size + r] +
                    (r + 1 < size ? above[r] * x[k * size + r + 1] : 0));
    double* found = copy(b);
    check(cusparseDgtsv2(handle, size, 2, copy(below), copy(diagonal), copy(above), found, size, nullptr) ==
                  0 &&
              equal(found, x),
          "Dgtsv2");
  }
  using C = std::complex<double>;
  C* pair = copy<C>({C(2, 2), C(3, 0), C(0, 0), C(0, 4), C(8, 0), C(0, 0)});
  check(cusparseZgtsv2StridedBatch(handle, 2, copy(std::vector<C>(6)),
                                   copy<C>({C(2, 0), C(3, 0), C(), C(0, 1), C(2, 0), C()}),
                                   copy(std::vector<C>(6)), pair, 2, 3, nullptr) == 0 &&
            equal(pair, {C(1, 1), C(1, 0), C(0, 0), C(4, 0), C(4, 0)}),
        "Zgtsv2StridedBatch");
}

// What one function does under several names.
static void other_names() {
  int *o = copy<int>({0, 1, 1, 2}), *i = copy<int>({0, 0}), *later = copy<int>({0, 1, 2, 2});
  double* v = copy<double>({1, 2});
  void *m, *offsets, *indices, *values, *plan = nullptr;
  int64_t rows, columns, count;
  int format = 0, of_offsets, of_indices, base, type;
  check(cusparseCreateConstCsc(&m, 1, 3, 2, o, i, v, index32, index32, 0, f64) == 0, "CreateConstCsc");
  check(cusparseSpMatGetFormat(m, &format) == 0 && format == 2, "CreateConstCsc's format");
  check(cusparseCscSetPointers(m, later, i, v) == 0, "CscSetPointers");
  check(cusparseCscGet(m, &rows, &columns, &count, &offsets, &indices, &values, &of_offsets, &of_indices,
                       &base, &type) == 0 &&
            rows == 1 && columns == 3 && count == 2 && offsets == later && indices == i && values == v &&
            of_offsets == index32 && of_indices == index32 && base == 0 && type == f64,
        "CscGet");
  const void *const_offsets, *const_indices, *const_values, *vector;
  check(cusparseConstCscGet(m, &rows, &columns, &count, &const_offsets, &const_indices, &const_values,
                            &of_offsets, &of_indices, &base, &type) == 0 &&
            count == 2 && const_offsets == later && const_indices == i && const_values == v,
        "ConstCscGet");
  check(cusparseConstSpMatGetValues(m, &const_values) == 0 && const_values == v, "ConstSpMatGetValues");
  check(cusparseCreateConstDnVec(&vector, 2, v, f64) == 0 &&
            cusparseConstDnVecGet(vector, &count, &const_values, &type) == 0 && count == 2 &&
            const_values == v && type == f64,
        "ConstDnVecGet");
  check(cusparseCooSetPointers(nullptr, o, i, v) == 3, "CooSetPointers of nothing");
  check(cusparseSpSM_createDescr(&plan) == 0 && plan && cusparseSpSM_destroyDescr(plan) == 0 &&
            cusparseSpSM_destroyDescr(plan) == 3,
        "SpSM's description");
  size_t bytes = 0, more = 0;
  check(cusparseXcoosort_bufferSizeExt(handle, 1, 3, 2, o, i, &bytes) == 0 && bytes != 0, "Xcoosort's room");
  check(cusparseZgtsv2_nopivot_bufferSizeExt(handle, 2, 1, v, v, v, v, 2, &more) == 0 && more != 0,
        "gtsv2's room");
  check(cusparseSDDMM_preprocess(handle, 0, 0, v, m, m, v, m, f64, 0, nullptr) == 0, "SDDMM_preprocess");
  check(cusparseCcsrilu02_analysis(handle, 2, 2, m, v, o, i, nullptr, 0, nullptr) == 0, "Ccsrilu02_analysis");
}

int main() {
  check(cusparseCreate(&handle) == 0, "cusparseCreate");
  vectors();
  conversions();
  orders();
  products();
  blocks();
  sums_and_systems();
  other_names();
  check(cusparseCreateSlicedEll() == 10, "what has no stand-in");
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
