// Calls of cuBLAS, declared here as its manual has them, so that no toolkit is needed: each result is compared with loops.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Handle;
struct XtHandle;
using C = std::complex<float>;
extern "C" {
int cudaMalloc(void**, size_t);
int cudaMallocManaged(void**, size_t, unsigned);
int cublasCreate_v2(Handle**);
int cublasDestroy_v2(Handle*);
int cublasSetPointerMode_v2(Handle*, int);
int cublasSaxpy_v2(Handle*, int, const float*, const float*, int, float*, int);
int cublasDdot_v2(Handle*, int, const double*, int, const double*, int, double*);
int cublasCdotc_v2(Handle*, int, const C*, int, const C*, int, C*);
int cublasSnrm2_v2(Handle*, int, const float*, int, float*);
int cublasDotEx(Handle*, int, const void*, int, int, const void*, int, int, void*, int, int);
int cublasNrm2Ex(Handle*, int, const void*, int, int, void*, int, int);
int cublasAxpyEx(Handle*, int, const void*, int, const void*, int, int, void*, int, int, int);
int cublasScalEx(Handle*, int, const void*, int, void*, int, int, int);
int cublasIsamax_v2(Handle*, int, const float*, int, int*);
int cublasSgemv_v2(Handle*, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
int cublasSger_v2(Handle*, int, int, const float*, const float*, int, const float*, int, float*, int);
int cublasSgemm_v2(Handle*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                   const float*, float*, int);
int cublasDgemm_v2(Handle*, int, int, int, int, int, const double*, const double*, int, const double*, int,
                   const double*, double*, int);
int cublasCgemm_v2(Handle*, int, int, int, int, int, const C*, const C*, int, const C*, int, const C*, C*,
                   int);
int cublasSgemmStridedBatched(Handle*, int, int, int, int, int, const float*, const float*, int, long long,
                              const float*, int, long long, const float*, float*, int, long long, int);
int cublasSgemmBatched(Handle*, int, int, int, int, int, const float*, const float* const*, int,
                       const float* const*, int, const float*, float* const*, int, int);
int cublasGemmEx(Handle*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                 const void*, void*, int, int, int, int);
int cublasSsyrk_v2(Handle*, int, int, int, int, const float*, const float*, int, const float*, float*, int);
int cublasStrsm_v2(Handle*, int, int, int, int, int, int, const float*, const float*, int, float*, int);
int cublasSgeam(Handle*, int, int, int, int, const float*, const float*, int, const float*, const float*, int,
                float*, int);
int cusparseCreate(void**);
int cusparseCreateCsr(void**, long long, long long, long long, void*, void*, void*, int, int, int, int);
int cusparseCreateDnVec(void**, long long, void*, int);
int cusparseCreateDnMat(void**, long long, long long, long long, void*, int, int);
int cusparseSpMV(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSpMM(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseDestroySpMat(void*);
int cublasXtCreate(XtHandle**);
int cublasXtDestroy(XtHandle*);
int cublasXtDeviceSelect(XtHandle*, int, const int*);
int cublasXtSetBlockDim(XtHandle*, int);
int cublasXtGetBlockDim(XtHandle*, int*);
int cublasXtSgemm(XtHandle*, int, int, size_t, size_t, size_t, const float*, const float*, size_t,
                  const float*, size_t, const float*, float*, size_t);
int cublasXtCgemm(XtHandle*, int, int, size_t, size_t, size_t, const C*, const C*, size_t, const C*, size_t,
                  const C*, C*, size_t);
int cublasSgeqrfBatched(Handle*, int, int, float* const*, int, float* const*, int*, int);
}

static int wrong = 0;
static void check(bool right, const char* what) {
  if (!right) ++wrong, printf("wrong: %s\n", what);
}
template <class T> T* memory(size_t count) {
  void* out = nullptr;
  check(cudaMallocManaged(&out, count * sizeof(T), 1) == 0, "cudaMallocManaged");
  for (size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = T((rand() % 17 - 8) / 4.0f);
  return static_cast<T*>(out);
}
template <class T> bool close(const T& a, const T& b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

constexpr int m = 7, n = 5, k = 9, ld = 11;

template <class T, class H, class F> void products(H* h, F gemm, const char* name, bool of_host = false) {
  T *a = memory<T>(ld * ld), *b = memory<T>(ld * ld), *c = memory<T>(ld * ld);
  if (of_host) { // which no function of CUDA knows of
    a = std::copy(a, a + ld * ld, new T[ld * ld]) - ld * ld;
    c = std::copy(c, c + ld * ld, new T[ld * ld]) - ld * ld;
  }
  const T alpha(2), beta(0.5f);
  for (int op_a = 0; op_a < 2; ++op_a)
    for (int op_b = 0; op_b < 2; ++op_b) {
      std::vector<T> want(c, c + ld * ld);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          T sum{};
          for (int l = 0; l < k; ++l)
            sum += (op_a ? a[i * ld + l] : a[l * ld + i]) * (op_b ? b[l * ld + j] : b[j * ld + l]);
          want[j * ld + i] = alpha * sum + beta * want[j * ld + i];
        }
      check(gemm(h, op_a, op_b, m, n, k, &alpha, a, ld, b, ld, &beta, c, ld) == 0, name);
      for (int i = 0; i < ld * ld; ++i) check(close(c[i], want[i]), name);
    }
}

static void products_of_host_memory() {
  XtHandle* h = nullptr;
  const int device = 0, other = 1;
  int block = 0;
  check(cublasXtSgemm(nullptr, 0, 0, 1, 1, 1, nullptr, nullptr, 1, nullptr, 1, nullptr, nullptr, 1) == 1,
        "no Xt handle");
  check(cublasXtCreate(&h) == 0 && cublasXtDeviceSelect(h, 1, &device) == 0, "Xt");
  check(cublasXtDeviceSelect(h, 1, &other) == 7, "another device");
  check(cublasXtSetBlockDim(h, 64) == 0 && cublasXtGetBlockDim(h, &block) == 0 && block == 64,
        "block dimension");
  products<float>(h, cublasXtSgemm, "xt sgemm", true);
  products<C>(h, cublasXtCgemm, "xt cgemm", true);
  const float one = 1;
  float a = 2, b = 3, c = 4;
  check(cublasXtSgemm(h, 0, 0, 2, 1, 1, &one, &a, 1, &b, 1, &one, &c, 2) == 7, "Xt leading dimension");
  check(cublasXtDestroy(h) == 0 && cublasXtDestroy(h) == 1, "Xt destroy");
}

static void batches(Handle* h) {
  float *a = memory<float>(3 * m * k), *b = memory<float>(3 * k * n), *c = memory<float>(3 * m * n),
        *d = memory<float>(3 * m * n);
  const float one = 1, zero = 0;
  check(cublasSgemmStridedBatched(h, 0, 0, m, n, k, &one, a, m, m * k, b, k, k * n, &zero, c, m, m * n, 3) ==
            0,
        "strided");
  float **pa = nullptr, **pb = nullptr, **pd = nullptr;
  for (float*** p : {&pa, &pb, &pd}) cudaMallocManaged(reinterpret_cast<void**>(p), 3 * sizeof(float*), 1);
  for (int i = 0; i < 3; ++i) pa[i] = a + i * m * k, pb[i] = b + i * k * n, pd[i] = d + i * m * n;
  check(cublasSgemmBatched(h, 0, 0, m, n, k, &one, pa, m, pb, k, &zero, pd, m, 3) == 0, "batched");
  for (int i = 0; i < 3 * m * n; ++i) check(c[i] == d[i], "batched is strided");
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[m * k + l * m + 2] * b[k * n + 3 * k + l];
  check(close(c[m * n + 3 * m + 2], sum), "strided");
}

static void vectors(Handle* h) {
  float *x = memory<float>(64), *y = memory<float>(64), r = 0, two = 2;
  std::vector<float> want(y, y + 64);
  for (int i = 0; i < 32; ++i) want[2 * i] += two * x[i];
  check(cublasSaxpy_v2(h, 32, &two, x, 1, y, 2) == 0, "axpy");
  for (int i = 0; i < 64; ++i) check(close(y[i], want[i]), "axpy");
  double *p = memory<double>(64), *q = memory<double>(64), dot = 0, sum = 0;
  for (int i = 0; i < 64; ++i) sum += p[i] * q[i];
  check(cublasDdot_v2(h, 64, p, 1, q, 1, &dot) == 0 && close(dot, sum), "dot");
  C *u = memory<C>(1), *v = memory<C>(1), z;
  u[0] = {1, 2}, v[0] = {3, 4};
  check(cublasCdotc_v2(h, 1, u, 1, v, 1, &z) == 0 && z == C(11, -2), "dotc");
  x[0] = 3, x[1] = -4;
  check(cublasSnrm2_v2(h, 2, x, 1, &r) == 0 && r == 5, "nrm2");
  int at = 0;
  check(cublasIsamax_v2(h, 2, x, 1, &at) == 0 && at == 2, "amax");
  float* result = memory<float>(1); // in device memory
  cublasSetPointerMode_v2(h, 1);
  check(cublasSnrm2_v2(h, 2, x, 1, result) == 0 && *result == 5, "nrm2 to the device");
  // Types of their own: 0 is float, 2 half, 4 complex.
  uint16_t* halves = memory<uint16_t>(4);
  halves[0] = 0x3c00, halves[1] = 0x4000, halves[2] = 0x4200, halves[3] = 0; // 1, 2, 3, 0
  check(cublasDotEx(h, 3, halves, 2, 1, halves, 2, -1, result, 0, 0) == 0 && *result == 10, "dot of halves");
  cublasSetPointerMode_v2(h, 0);
  check(cublasAxpyEx(h, 2, &two, 0, halves, 2, 1, halves + 1, 2, 1, 0) == 0 && halves[1] == 0x4400 &&
            halves[2] == 0x4980,
        "axpy of halves"); // 1, 4, 11: the second is read when it was written
  check(cublasScalEx(h, 2, &two, 0, halves, 2, 2, 0) == 0 && halves[0] == 0x4000 && halves[2] == 0x4d80,
        "scal of halves");
  x[0] = 6, x[1] = 8;
  check(cublasNrm2Ex(h, 2, x, 0, 1, &r, 0, 0) == 0 && r == 10, "nrm2 of any type");
  check(cublasScalEx(h, 1, nullptr, 0, x, 0, 1, 0) == 7, "no factor");
}

static void others(Handle* h) {
  const float one = 1, zero = 0;
  float *a = memory<float>(4), *x = memory<float>(2), *y = memory<float>(2), *b = memory<float>(4);
  a[0] = 2, a[1] = 1, a[2] = 100, a[3] = 4; // lower triangle: 2, 1 4
  x[0] = 2, x[1] = 9;
  check(cublasSgemv_v2(h, 1, 2, 2, &one, a, 2, x, 1, &zero, y, 1) == 0 && y[0] == 13 && y[1] == 236, "gemv");
  check(cublasStrsm_v2(h, 0, 0, 0, 0, 2, 1, &one, a, 2, x, 2) == 0 && x[0] == 1 && x[1] == 2, "trsm");
  check(cublasSger_v2(h, 2, 2, &one, x, 1, x, 1, a, 2) == 0 && a[0] == 3 && a[3] == 8, "ger");
  check(cublasSsyrk_v2(h, 1, 0, 2, 1, &one, x, 2, &zero, b, 2) == 0 && b[0] == 1 && b[2] == 2 && b[3] == 4,
        "syrk");
  check(cublasSgeam(h, 1, 0, 2, 2, &one, a, 2, &one, a, 2, b, 2) == 0 && b[1] == a[2] + a[1], "geam");
  unsigned short *p = memory<unsigned short>(2), *q = memory<unsigned short>(2); // halves: 1.5, 2 and 3, 0.5
  p[0] = 0x3e00, p[1] = 0x4000, q[0] = 0x4200, q[1] = 0x3800;
  check(cublasGemmEx(h, 0, 0, 1, 1, 2, &one, p, 2, 1, q, 2, 2, &zero, y, 0, 1, 68, -1) == 0 && y[0] == 5.5f,
        "GemmEx");
  signed char *s = memory<signed char>(2), *t = memory<signed char>(2);
  int *i = memory<int>(1), whole = 1, none = 0;
  s[0] = 100, s[1] = -128, t[0] = 127, t[1] = 127;
  check(cublasGemmEx(h, 0, 0, 1, 1, 2, &whole, s, 3, 1, t, 3, 2, &none, i, 10, 1, 72, -1) == 0 && *i == -3556,
        "GemmEx of integers");
}

// The matrix 1 0 2 / 0 3 0, with indices from 1.
static void sparse() {
  void *h = nullptr, *a = nullptr, *x = nullptr, *y = nullptr, *b = nullptr, *c = nullptr;
  int *rows = memory<int>(3), *columns = memory<int>(3);
  float *values = memory<float>(3), *p = memory<float>(6), *q = memory<float>(6);
  const float two = 2, one = 1, zero = 0;
  rows[0] = 1, rows[1] = 3, rows[2] = 4, columns[0] = 1, columns[1] = 3, columns[2] = 2;
  for (int i = 0; i < 3; ++i) values[i] = static_cast<float>(i == 0 ? 1 : i + 1);
  for (int i = 0; i < 6; ++i) p[i] = static_cast<float>(i + 1), q[i] = 10;
  check(cusparseCreate(&h) == 0 && cusparseCreateCsr(&a, 2, 3, 3, rows, columns, values, 2, 2, 1, 0) == 0,
        "sparse");
  check(cusparseCreateDnVec(&x, 3, p, 0) == 0 && cusparseCreateDnVec(&y, 2, q, 0) == 0, "vectors");
  check(cusparseSpMV(h, 0, &two, a, x, &one, y, 0, 0, nullptr) == 0 && q[0] == 24 && q[1] == 22, "SpMV");
  check(cusparseSpMV(h, 1, &one, a, y, &zero, x, 0, 0, nullptr) == 0 && p[0] == 24 && p[1] == 66 &&
            p[2] == 48,
        "SpMV, transposed");
  for (int i = 0; i < 6; ++i) p[i] = static_cast<float>(i + 1); // rows of two: 1 2 / 3 4 / 5 6
  check(cusparseCreateDnMat(&b, 3, 2, 2, p, 0, 2) == 0 && cusparseCreateDnMat(&c, 2, 2, 2, q, 0, 1) == 0,
        "matrices");
  check(cusparseSpMM(h, 0, 0, &one, a, b, &zero, c, 0, 0, nullptr) == 0 && q[0] == 11 && q[1] == 9 &&
            q[2] == 14 && q[3] == 12,
        "SpMM");
  columns[0] = 7;
  check(cusparseSpMV(h, 0, &two, a, x, &one, y, 0, 0, nullptr) == 6, "an index beyond the matrix");
  check(cusparseDestroySpMat(a) == 0 && cusparseSpMV(h, 0, &two, a, x, &one, y, 0, 0, nullptr) == 3,
        "destroyed");
}

int main() {
  sparse();
  Handle* h = nullptr;
  check(cublasSaxpy_v2(nullptr, 0, nullptr, nullptr, 1, nullptr, 1) == 1, "no handle");
  check(cublasCreate_v2(&h) == 0, "create");
  products<float>(h, cublasSgemm_v2, "sgemm");
  products<double>(h, cublasDgemm_v2, "dgemm");
  products<C>(h, cublasCgemm_v2, "cgemm");
  products_of_host_memory();
  batches(h);
  vectors(h);
  others(h);
  float* small = memory<float>(4);
  const float one = 1;
  check(cublasSgemm_v2(h, 0, 0, 64, 64, 64, &one, small, 64, small, 64, &one, small, 64) == 13,
        "beyond memory");
  float *thin = memory<float>(3600), *wide = memory<float>(3600 * 3600);
  check(cublasSgemm_v2(h, 0, 0, 3600, 3600, 1, &one, thin, 3600, thin, 1, &one, wide, 3600) == 0,
        "a large one");
  check(cublasSgemm_v2(h, 0, 0, 4, 4, 4, &one, small, 2, small, 4, &one, small, 4) == 7, "leading dimension");
  check(cublasSgeqrfBatched(h, 1, 1, nullptr, 1, nullptr, nullptr, 1) == 15, "not supported");
  check(cublasDestroy_v2(h) == 0, "destroy");
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
