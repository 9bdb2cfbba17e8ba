// Calls of cuBLASLt, of cuBLAS's batches of small matrices, of cuSOLVER and of what cuSPARSE solves, declared here as their manuals
// have them, so that no toolkit is needed: each result is compared with loops.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
int cudaMallocManaged(void**, size_t, unsigned);
int cublasCreate_v2(void**);
int cublasSgetrfBatched(void*, int, float* const*, int, int*, int*, int);
int cublasSgetriBatched(void*, int, const float* const*, int, const int*, float* const*, int, int*, int);
int cublasSgetrsBatched(void*, int, int, int, const float* const*, int, const int*, float* const*, int, int*,
                        int);
int cublasDgelsBatched(void*, int, int, int, int, double* const*, int, double* const*, int, int*, int*, int);
int cublasLtCreate(void**);
int cublasLtMatrixLayoutCreate(void**, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutSetAttribute(void*, int, const void*, size_t);
int cublasLtMatmulDescCreate(void**, int, int);
int cublasLtMatmulDescSetAttribute(void*, int, const void*, size_t);
int cublasLtMatmulPreferenceCreate(void**);
int cublasLtMatmulPreferenceSetAttribute(void*, int, const void*, size_t);
int cublasLtMatmulPreferenceGetAttribute(void*, int, void*, size_t, size_t*);
int cublasLtMatmulPreferenceDestroy(void*);
int cublasLtMatrixTransformDescInit_internal(void*, size_t, int);
int cublasLtMatrixTransformDescGetAttribute(void*, int, void*, size_t, size_t*);
const char* cublasLtGetStatusName(int);
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*, int*);
int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
                   const void*, void*, void*, void*, const void*, void*, size_t, void*);
int cusolverDnCreate(void**);
int cusolverDnDgetrf_bufferSize(void*, int, int, double*, int, int*);
int cusolverDnDgetrf(void*, int, int, double*, int, double*, int*, int*);
int cusolverDnDgetrs(void*, int, int, int, const double*, int, const int*, double*, int, int*);
int cusolverDnDpotrf(void*, int, int, double*, int, double*, int, int*);
int cusolverDnCreateGesvdjInfo(void**), cusolverDnDestroyGesvdjInfo(void*), cusolverDnCreateParams(void**),
    cusolverDnDestroyParams(void*), cusolverDnXgesvdjSetTolerance(void*, double),
    cusolverDnXsyevjSetMaxSweeps(void*, int);
int cusolverDnDgesvdj(void*, int, int, int, int, double*, int, double*, double*, int, double*, int, double*,
                      int, int*, void*);
int cusolverDnDgesvdjBatched(void*, int, int, int, double*, int, double*, double*, int, double*, int, double*,
                             int, int*, void*, int);
int cusolverDnDsyevjBatched(void*, int, int, int, double*, int, double*, double*, int, int*, void*, int);
int cusolverDnXsyevBatched(void*, void*, int, int, long, int, void*, long, int, void*, int, void*, size_t,
                           void*, size_t, int*, long);
int cusolverDnDpotrsBatched(void*, int, int, int, double**, int, double**, int, int*, int);
int cusolverDnXpotrf_bufferSize(void*, void*, int, long, int, const void*, long, int, size_t*, size_t*);
int cusolverDnXpotrf(void*, void*, int, long, int, void*, long, int, void*, size_t, void*, size_t, int*);
int cusolverDnXsyevd(void*, void*, int, int, long, int, void*, long, int, void*, int, void*, size_t, void*,
                     size_t, int*);
int cusolverDnXgeqrf(void*, void*, long, long, int, void*, long, int, void*, int, void*, size_t, void*,
                     size_t, int*);
int cusolverDnDgeqrf(void*, int, int, double*, int, double*, double*, int, int*);
int cusolverDnDorgqr(void*, int, int, int, double*, int, const double*, double*, int, int*);
int cusolverDnDsyevd(void*, int, int, int, double*, int, double*, double*, int, int*);
int cusolverDnDgesvd(void*, signed char, signed char, int, int, double*, int, double*, double*, int, double*,
                     int, double*, int, double*, int*);
int cusolverDnXgetrf(...);
int cusparseCreate(void**);
int cusparseCreateCsr(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
int cusparseSpMatSetAttribute(void*, int, const void*, size_t);
int cusparseCreateDnVec(void**, int64_t, void*, int);
int cusparseSpSV_createDescr(void**);
int cusparseSpSV_analysis(void*, int, const void*, void*, void*, void*, int, int, void*, void*);
int cusparseSpSV_solve(void*, int, const void*, void*, void*, void*, int, int, void*);
int cusparseCreateMatDescr(void**);
int cusparseCreateCsrilu02Info(void**);
int cusparseDcsrilu02(void*, int, int, void*, double*, const int*, const int*, void*, int, void*);
}

static int wrong = 0;
static void check(bool right, const char* what) {
  if (!right) ++wrong, printf("wrong: %s\n", what);
}
template <class T> T* room(size_t count) {
  void* out = nullptr;
  check(cudaMallocManaged(&out, count * sizeof(T), 1) == 0, "cudaMallocManaged");
  return static_cast<T*>(out);
}
template <class T> T* memory(size_t count) {
  T* out = room<T>(count);
  for (size_t i = 0; i < count; ++i) out[i] = T((rand() % 17 - 8) / 4.0f);
  return out;
}
static bool close(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

// D (m×n, f32 or bf16) = epilogue(A B), B stored by rows.
static float from_bf16(uint16_t x) {
  uint32_t bits = uint32_t{x} << 16;
  float out;
  memcpy(&out, &bits, 4);
  return out;
}
static void products() {
  const int m = 24, n = 16, k = 40, f32 = 0, bf16 = 14, compute = 68;
  void *handle, *of_a, *of_b, *of_d, *product, *preference;
  check(cublasLtCreate(&handle) == 0, "cublasLtCreate");
  cublasLtMatmulPreferenceCreate(&preference);
  float *a = memory<float>(m * k), *b = memory<float>(k * n), *d = memory<float>(m * n),
        *bias = memory<float>(m);
  uint16_t* narrow = memory<uint16_t>(m * n);
  const float one = 1, zero = 0;
  const int by_rows = 1;
  cublasLtMatrixLayoutCreate(&of_a, f32, m, k, m);
  cublasLtMatrixLayoutCreate(&of_b, f32, k, n, n);
  check(cublasLtMatrixLayoutSetAttribute(of_b, 1, &by_rows, sizeof by_rows) == 0, "order");
  auto expected = [&](int i, int j) {
    double sum = 0;
    for (int l = 0; l < k; ++l) sum += double(a[l * m + i]) * b[l * n + j];
    return sum;
  };
  auto run = [&](int epilogue, int type, void* out, const char* what) {
    cublasLtMatmulDescCreate(&product, compute, f32);
    cublasLtMatrixLayoutCreate(&of_d, type, m, n, m);
    check(cublasLtMatmulDescSetAttribute(product, 7, &epilogue, sizeof epilogue) == 0, "epilogue");
    const int bias_type = f32;
    cublasLtMatmulDescSetAttribute(product, 8, &bias, sizeof bias);
    cublasLtMatmulDescSetAttribute(product, 26, &bias_type, sizeof bias_type);
    char results[96];
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle, product, of_a, of_b, of_d, of_d, preference, 1, results,
                                         &found) == 0 &&
              found == 1,
          "heuristic");
    check(cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &zero, out, of_d, out, of_d, results,
                         nullptr, 0, nullptr) == 0,
          what);
  };
  run(1, f32, d, "plain product");
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) check(close(d[j * m + i], expected(i, j)), "plain product's result");
  run(6, f32, d, "bias and ReLU");
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      check(close(d[j * m + i], std::max(0.0, expected(i, j) + bias[i])), "bias and ReLU's result");
  run(4, bf16, narrow, "bias to bf16");
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const double right = expected(i, j) + bias[i];
      check(std::abs(from_bf16(narrow[j * m + i]) - right) <= std::abs(right) / 256 + 1e-6, "bf16's result");
    }
  // 8-bit floats, A turned, with scales: 2 · 3 · (1.5 · 2 + 448 · 0.5) = 1362, of which D has a quarter.
  void *of_8, *of_8_d;
  const int e4m3 = 28, turned = 1;
  unsigned char *byte_a = room<unsigned char>(2), *byte_b = room<unsigned char>(2),
                *byte_d = room<unsigned char>(1);
  byte_a[0] = 0x3c, byte_a[1] = 0x7e, byte_b[0] = 0x40, byte_b[1] = 0x30; // 1.5, 448, 2, 0.5
  float* scales = room<float>(4);
  scales[0] = 2, scales[1] = 3, scales[2] = 0.25f;
  const float* of_scales[] = {scales, scales + 1, scales + 2, scales + 3};
  cublasLtMatmulDescCreate(&product, compute, f32);
  cublasLtMatmulDescSetAttribute(product, 3, &turned, sizeof turned);
  cublasLtMatmulDescSetAttribute(product, 17, &of_scales[0], sizeof of_scales[0]);
  cublasLtMatmulDescSetAttribute(product, 18, &of_scales[1], sizeof of_scales[0]);
  cublasLtMatmulDescSetAttribute(product, 20, &of_scales[2], sizeof of_scales[0]);
  cublasLtMatmulDescSetAttribute(product, 21, &of_scales[3], sizeof of_scales[0]);
  cublasLtMatrixLayoutCreate(&of_8, e4m3, 2, 1, 2), cublasLtMatrixLayoutCreate(&of_8_d, e4m3, 1, 1, 1);
  check(cublasLtMatmul(handle, product, &one, byte_a, of_8, byte_b, of_8, &zero, byte_d, of_8_d, byte_d,
                       of_8_d, nullptr, nullptr, 0, nullptr) == 0,
        "8-bit floats");
  check(scales[3] == 1362 && byte_d[0] == 0x7b, "8-bit floats' result"); // 340.5 is 352 in three bits
  const int by_blocks = 1;
  cublasLtMatmulDescSetAttribute(product, 31, &by_blocks, sizeof by_blocks);
  check(cublasLtMatmul(handle, product, &one, byte_a, of_8, byte_b, of_8, &zero, byte_d, of_8_d, byte_d,
                       of_8_d, nullptr, nullptr, 0, nullptr) == 15,
        "scales by blocks are not supported");
  int found = 1;
  char results[96];
  void* of_complex;
  cublasLtMatrixLayoutCreate(&of_complex, 4, m, k, m);
  check(cublasLtMatmulAlgoGetHeuristic(handle, product, of_complex, of_b, of_d, of_d, preference, 1, results,
                                       &found) == 15 &&
            found == 0,
        "complex matrices are not supported");
}

static void batches() {
  const int n = 6, count = 3;
  void* handle;
  cublasCreate_v2(&handle);
  float **a = room<float*>(count), **inverse = room<float*>(count), **x = room<float*>(count);
  std::vector<std::vector<float>> before;
  int *pivots = memory<int>(n * count), *info = memory<int>(count), host_info = 1;
  for (int i = 0; i < count; ++i) {
    a[i] = memory<float>(n * n), inverse[i] = memory<float>(n * n), x[i] = memory<float>(n);
    for (int d = 0; d < n; ++d) a[i][d * n + d] += 9;
    before.emplace_back(a[i], a[i] + n * n);
  }
  std::vector<float> right(x[1], x[1] + n);
  check(cublasSgetrfBatched(handle, n, a, n, pivots, info, count) == 0 && info[2] == 0, "getrf");
  check(cublasSgetriBatched(handle, n, a, n, pivots, inverse, n, info, count) == 0 && info[0] == 0, "getri");
  check(cublasSgetrsBatched(handle, 0, n, 1, a, n, pivots, x, n, &host_info, count) == 0 && host_info == 0,
        "getrs");
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += double(before[1][j * n + i]) * x[1][j];
    check(close(sum, right[i]), "what is solved");
    for (int j = 0; j < n; ++j) {
      double unit = 0;
      for (int l = 0; l < n; ++l) unit += double(before[2][l * n + i]) * inverse[2][j * n + l];
      check(close(unit, i == j), "inverse");
    }
  }
  // Without room for pivots no rows change places.
  std::copy(before[0].begin(), before[0].end(), a[0]);
  check(cublasSgetrfBatched(handle, n, a, n, nullptr, info, 1) == 0 && close(a[0][0], before[0][0]),
        "no pivots");
  check(close(a[0][1], before[0][1] / before[0][0]), "no pivots' first column");
}

// The line y = 1 + 2x through points that are on it, and the mean of what is not.
static void least_squares() {
  const int m = 4, n = 2, count = 2;
  void* handle;
  cublasCreate_v2(&handle);
  double **a = room<double*>(count), **c = room<double*>(count);
  int info = 1, *details = memory<int>(count);
  for (int i = 0; i < count; ++i) {
    a[i] = memory<double>(m * n), c[i] = memory<double>(m);
    for (int x = 0; x < m; ++x) a[i][x] = 1, a[i][m + x] = x, c[i][x] = i == 0 ? 1 + 2 * x : x % 2;
  }
  check(cublasDgelsBatched(handle, 0, m, n, 1, a, m, c, m, &info, details, count) == 0 && info == 0, "gels");
  check(details[0] == 0 && close(c[0][0], 1) && close(c[0][1], 2), "gels' line");
  check(details[1] == 0 && close(c[1][0], 0.2) && close(c[1][1], 0.2), "gels' nearest line");
  check(cublasDgelsBatched(handle, 1, m, n, 1, a, m, c, m, &info, details, count) == 15, "gels, transposed");
}

static void factorisations() {
  const int n = 8;
  void* handle;
  check(cusolverDnCreate(&handle) == 0, "cusolverDnCreate");
  double *a = memory<double>(n * n), *b = memory<double>(n), *w = memory<double>(n), *tau = memory<double>(n),
         *s = memory<double>(n);
  int *pivots = memory<int>(n), *info = memory<int>(1), size = 0;
  std::vector<double> before(a, a + n * n), right(b, b + n);
  auto product = [&](const std::vector<double>& m, const double* v, int i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += m[j * n + i] * v[j];
    return sum;
  };
  check(cusolverDnDgetrf_bufferSize(handle, n, n, a, n, &size) == 0 && size > 0, "buffer size");
  check(cusolverDnDgetrf(handle, n, n, a, n, w, pivots, info) == 0 && *info == 0, "getrf");
  check(cusolverDnDgetrs(handle, 0, n, 1, a, n, pivots, b, n, info) == 0, "getrs");
  for (int i = 0; i < n; ++i) check(close(product(before, b, i), right[i]), "LU");

  std::vector<double> symmetric(n * n); // positive definite
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < n; ++l)
        symmetric[j * n + i] += before[l * n + i] * before[l * n + j] + (l == 0 && i == j);
  std::copy(symmetric.begin(), symmetric.end(), a);
  check(cusolverDnDpotrf(handle, 0, n, a, n, w, 1, info) == 0 && *info == 0, "potrf");
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int l = 0; l <= j; ++l) sum += a[l * n + i] * a[l * n + j];
      check(close(sum, symmetric[j * n + i]), "Cholesky");
    }
  std::copy(symmetric.begin(), symmetric.end(), a);
  check(cusolverDnDsyevd(handle, 1, 0, n, a, n, w, s, 1, info) == 0 && *info == 0, "syevd");
  for (int i = 0; i < n; ++i)
    check(close(product(symmetric, a, i), w[0] * a[i]) && w[0] <= w[1], "eigenvalues");

  std::copy(before.begin(), before.end(), a);
  check(cusolverDnDgeqrf(handle, n, n, a, n, tau, w, 1, info) == 0 && *info == 0, "geqrf");
  const double corner = std::abs(a[0]);
  check(cusolverDnDorgqr(handle, n, n, n, a, n, tau, w, 1, info) == 0, "orgqr");
  double norm = 0, first = 0;
  for (int i = 0; i < n; ++i) norm += a[i] * a[i], first += before[i] * before[i];
  check(close(norm, 1) && close(corner, std::sqrt(first)), "QR");

  std::copy(before.begin(), before.end(), a);
  double *u = memory<double>(n * n), *v = memory<double>(n * n), sum = 0, squares = 0;
  check(cusolverDnDgesvd(handle, 'A', 'A', n, n, a, n, s, u, n, v, n, w, 1, nullptr, info) == 0 && *info == 0,
        "gesvd");
  for (int i = 0; i < n; ++i) sum += s[i] * s[i];
  for (double x : before) squares += x * x;
  check(close(sum, squares) && s[0] >= s[1], "singular values");
  const std::vector<double> s_of_before(s, s + n);
  // Jacobi's: the same values, and V as it is, of a matrix with more columns than rows.
  const int rows = n - 1;
  std::vector<double> wide(rows * n);
  for (int i = 0; i < rows * n; ++i) a[i] = wide[i] = before[i];
  void *jacobi, *params;
  check(cusolverDnCreateGesvdjInfo(&jacobi) == 0, "settings");
  check(cusolverDnXgesvdjSetTolerance(jacobi, 1e-7) == 0 && cusolverDnXsyevjSetMaxSweeps(nullptr, 5) == 3,
        "a setting");
  check(cusolverDnDgesvdj(handle, 1, 1, rows, n, a, rows, s, u, rows, v, n, w, 1, info, jacobi) == 0 &&
            *info == 0,
        "gesvdj");
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < n; ++j) {
      double x = 0;
      for (int l = 0; l < rows; ++l) x += u[l * rows + i] * s[l] * v[l * n + j];
      check(close(x, wide[j * rows + i]), "U S V'");
    }
  // The interface of 64 bits.
  size_t on_device = 0, on_host = 0;
  check(cusolverDnCreateParams(&params) == 0, "parameters");
  std::copy(symmetric.begin(), symmetric.end(), a);
  check(cusolverDnXpotrf_bufferSize(handle, params, 0, n, 1, a, n, 1, &on_device, &on_host) == 0,
        "room of Xpotrf");
  check(cusolverDnXpotrf(handle, params, 0, n, 1, a, n, 1, w, on_device, nullptr, on_host, info) == 0 &&
            *info == 0,
        "Xpotrf");
  check(close(a[0] * a[0], symmetric[0]), "Xpotrf's result");
  std::copy(symmetric.begin(), symmetric.end(), a);
  check(cusolverDnXsyevd(handle, params, 1, 0, n, 1, a, n, 1, w, 1, w, 1, nullptr, 0, info) == 0 &&
            *info == 0,
        "Xsyevd");
  for (int i = 0; i < n; ++i) check(close(product(symmetric, a, i), w[0] * a[i]), "Xsyevd's result");
  std::copy(before.begin(), before.end(), a);
  check(cusolverDnXgeqrf(handle, params, n, n, 1, a, n, 1, tau, 1, w, 1, nullptr, 0, info) == 0 && *info == 0,
        "Xgeqrf");
  check(close(std::abs(a[0]), corner), "Xgeqrf's result");
  // Two matrices, one behind the other: the one from above, and twice that.
  double *pair = memory<double>(2 * n * n), *values = memory<double>(2 * n), *us = memory<double>(2 * n * n),
         *vs = memory<double>(2 * n * n);
  int* infos = memory<int>(2);
  auto set_pair = [&](const std::vector<double>& from) {
    for (int i = 0; i < n * n; ++i) pair[i] = from[i], pair[n * n + i] = 2 * from[i];
  };
  set_pair(before);
  check(cusolverDnDgesvdjBatched(handle, 1, n, n, pair, n, values, us, n, vs, n, w, 1, infos, jacobi, 2) ==
                0 &&
            infos[0] == 0 && infos[1] == 0,
        "gesvdjBatched");
  for (int i = 0; i < n; ++i)
    check(close(values[i], s_of_before[i]) && close(values[n + i], 2 * s_of_before[i]),
          "its singular values");
  for (int way = 0; way < 2; ++way) {
    set_pair(symmetric);
    check((way == 0 ? cusolverDnDsyevjBatched(handle, 1, 0, n, pair, n, values, w, 1, infos, nullptr, 2)
                    : cusolverDnXsyevBatched(handle, params, 1, 0, n, 1, pair, n, 1, values, 1, w, 1, nullptr,
                                             0, infos, 2)) == 0 &&
              infos[0] == 0 && infos[1] == 0,
          "eigenvalues of two");
    for (int i = 0; i < n; ++i) {
      check(close(product(symmetric, pair, i), values[0] * pair[i]), "those of the first");
      check(close(2 * product(symmetric, pair + n * n, i), values[n] * pair[n * n + i]),
            "those of the second");
    }
  }
  check(cusolverDnDsyevjBatched(handle, 1, 0, n, pair, n, values, w, 1, infos, nullptr, -1) != 0,
        "a negative number of matrices");
  set_pair(symmetric);
  double** triangles = reinterpret_cast<double**>(memory<double>(4));
  double **sides = triangles + 2, *ones = memory<double>(2 * n);
  for (int i = 0; i < 2; ++i) triangles[i] = pair + i * n * n, sides[i] = ones + i * n;
  for (int i = 0; i < n; ++i) ones[i] = ones[n + i] = 1;
  for (int i = 0; i < 2; ++i)
    check(cusolverDnDpotrf(handle, 0, n, triangles[i], n, w, 1, info) == 0 && *info == 0, "potrf of each");
  check(cusolverDnDpotrsBatched(handle, 0, n, 1, triangles, n, sides, n, info, 2) == 0 && *info == 0,
        "potrsBatched");
  for (int i = 0; i < n; ++i)
    check(close(product(symmetric, ones, i), 1) && close(2 * product(symmetric, ones + n, i), 1),
          "its results");
  check(cusolverDnDestroyGesvdjInfo(jacobi) == 0 && cusolverDnDestroyParams(params) == 0, "end of settings");
  check(cusolverDnXgetrf() == 9, "what has no stand-in");
}

static void triangles() {
  // 4 . . .
  // 1 2 . .      as CSR, with elements above the diagonal that a lower triangle leaves out
  // . 3 5 .
  // 1 . 2 4
  int offsets[] = {0, 2, 4, 6, 9}, columns[] = {0, 3, 0, 1, 1, 2, 0, 2, 3};
  double values[] = {4, 9, 1, 2, 3, 5, 1, 2, 4};
  int *o = memory<int>(5), *c = memory<int>(9);
  double *v = memory<double>(9), *x = memory<double>(4), *y = memory<double>(4);
  std::copy(offsets, offsets + 5, o), std::copy(columns, columns + 9, c), std::copy(values, values + 9, v);
  x[0] = 4, x[1] = 5, x[2] = 11, x[3] = 9;
  void *handle, *matrix, *from, *to, *plan;
  const int lower = 0, f64 = 1, index32 = 2;
  const double one = 1;
  cusparseCreate(&handle);
  cusparseCreateCsr(&matrix, 4, 4, 9, o, c, v, index32, index32, 0, f64);
  check(cusparseSpMatSetAttribute(matrix, 0, &lower, sizeof lower) == 0, "fill mode");
  cusparseCreateDnVec(&from, 4, x, f64), cusparseCreateDnVec(&to, 4, y, f64);
  cusparseSpSV_createDescr(&plan);
  check(cusparseSpSV_analysis(handle, 0, &one, matrix, from, to, f64, 0, plan, nullptr) == 0, "analysis");
  check(cusparseSpSV_solve(handle, 0, &one, matrix, from, to, f64, 0, plan) == 0, "SpSV");
  check(close(y[0], 1) && close(y[1], 2) && close(y[2], 1) && close(y[3], 1.5), "SpSV's result");
  check(cusparseSpSV_solve(handle, 1, &one, matrix, from, to, f64, 0, plan) == 0, "SpSV, transposed");
  check(close(y[3], 2.25) && close(y[2], 1.3), "SpSV's result, transposed");
  // Full 2×2: the incomplete factors are the complete ones.
  int small_offsets[] = {0, 2, 4}, small_columns[] = {0, 1, 0, 1};
  double small[] = {2, 6, 1, 7};
  std::copy(small_offsets, small_offsets + 3, o), std::copy(small_columns, small_columns + 4, c),
      std::copy(small, small + 4, v);
  void *description, *info;
  cusparseCreateMatDescr(&description), cusparseCreateCsrilu02Info(&info);
  check(cusparseDcsrilu02(handle, 2, 4, description, v, o, c, info, 0, nullptr) == 0, "csrilu02");
  check(close(v[2], 0.5) && close(v[3], 4), "csrilu02's result");
}

// Descriptions of the other kinds, and names that cuBLAS has too.
static void descriptions() {
  void* preference;
  uint64_t bytes = 1 << 20, got = 0, transform[8];
  size_t written = 0;
  int type = 0;
  check(cublasLtMatmulPreferenceCreate(&preference) == 0, "preference");
  check(cublasLtMatmulPreferenceSetAttribute(preference, 1, &bytes, sizeof bytes) == 0 &&
            cublasLtMatmulPreferenceGetAttribute(preference, 1, &got, sizeof got, &written) == 0 &&
            got == bytes && written == sizeof got &&
            cublasLtMatmulPreferenceSetAttribute(preference, 1, &bytes, 4) == 7 &&
            cublasLtMatmulPreferenceDestroy(preference) == 0,
        "a preference");
  check(cublasLtMatrixTransformDescInit_internal(transform, 4, 1) == 7 &&
            cublasLtMatrixTransformDescInit_internal(transform, sizeof transform, 1) == 0 &&
            cublasLtMatrixTransformDescGetAttribute(transform, 0, &type, sizeof type, &written) == 0 &&
            type == 1,
        "a transform in memory of the program");
  check(strcmp(cublasLtGetStatusName(7), "CUBLAS_STATUS_INVALID_VALUE") == 0, "cublasLtGetStatusName");
}

int main() {
  products();
  descriptions();
  batches();
  least_squares();
  factorisations();
  triangles();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
