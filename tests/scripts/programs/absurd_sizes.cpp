// Calls of CUDA's libraries with sizes, strides, scalars and contents that no GPU could use. Each must be refused by its status, or
// do nothing where a matrix is empty: none may crash, end the program or write outside of its operands. Prints those that are not.
#include <climits>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

extern "C" {
int cudaMalloc(void**, size_t);
int cudaMemset(void*, int, size_t);
int cudaMemcpy(void*, const void*, size_t, int);
int cublasCreate_v2(void**);
int cublasSetPointerMode_v2(void*, int);
int cublasZgemm_v2(void*, int, int, int, int, int, const void*, const void*, int, const void*, int,
                   const void*, void*, int);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                   const float*, float*, int);
int cublasSgemmStridedBatched(void*, int, int, int, int, int, const float*, const float*, int, long long,
                              const float*, int, long long, const float*, float*, int, long long, int);
int cublasGemmStridedBatchedEx(void*, int, int, int, int, int, const void*, const void*, int, int, long long,
                               const void*, int, int, long long, const void*, void*, int, int, long long, int,
                               int, int);
int cublasSgeam(void*, int, int, int, int, const float*, const float*, int, const float*, const float*, int,
                float*, int);
int cublasSsymv_v2(void*, int, int, const float*, const float*, int, const float*, int, const float*, float*,
                   int);
int cublasStrsv_v2(void*, int, int, int, int, const float*, int, float*, int);
int cublasSscal_v2(void*, int, const float*, float*, int);
int cublasSaxpy_v2(void*, int, const float*, const float*, int, float*, int);
int cublasSaxpy_v2_64(void*, int64_t, const float*, const float*, int64_t, float*, int64_t);
int cublasSgetrsBatched(void*, int, int, int, const float* const*, int, const int*, float* const*, int, int*,
                        int);
int cublasSgetriBatched(void*, int, const float* const*, int, const int*, float* const*, int, int*, int);
int cublasSgetrfBatched(void*, int, float* const*, int, int*, int*, int);
int cusolverDnCreate(void**);
int cusolverDnSgetrf(void*, int, int, float*, int, float*, int*, int*);
int cusolverDnSgetrs(void*, int, int, int, const float*, int, const int*, float*, int, int*);
int cusolverDnSgeqrf(void*, int, int, float*, int, float*, float*, int, int*);
int cusolverDnSormqr(void*, int, int, int, int, int, const float*, int, const float*, float*, int, float*,
                     int, int*);
int cusolverDnSorgqr(void*, int, int, int, float*, int, const float*, float*, int, int*);
int cusolverDnSgesvd(void*, signed char, signed char, int, int, float*, int, float*, float*, int, float*, int,
                     float*, int, float*, int*);
int cusolverDnXsyevjSetTolerance(void*, double);
int cusparseCreate(void**);
int cusparseSetPointerMode(void*, int);
int cusparseGetStream(void*, void**);
int cusparseCreateDnVec(void**, int64_t, void*, int);
int cusparseCreateDnMat(void**, int64_t, int64_t, int64_t, void*, int, int);
int cusparseCreateCsr(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
int cusparseSpMV(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSparseToDense(void*, void*, void*, int, void*);
int cusparseDenseToSparse_analysis(void*, void*, void*, int, void*);
int cusparseDnMatSetStridedBatch(void*, int, int64_t);
int cusparseCsr2cscEx2(void*, int, int, int, const void*, const int*, const int*, void*, int*, int*, int, int,
                       int, int, void*);
int cusparseCreateSpVec(void**, int64_t, int64_t, void*, void*, int, int, int);
int cusparseGather(void*, void*, void*);
int cusparseSpMM(void*, int, int, const void*, void*, void*, const void*, void*, int, int, void*);
int cusparseSpMatGetSize(void*, int64_t*, int64_t*, int64_t*);
int curandCreateGenerator(void**, int);
int curandGenerate(void*, unsigned*, size_t);
int curandGenerateUniformDouble(void*, double*, size_t);
int cufftPlan1d(int*, int, int, int);
int cufftPlan3d(int*, int, int, int, int);
int cufftPlanMany(int*, int, int*, int*, int, int, int*, int, int, int, int);
int cufftExecC2C(int, void*, void*, int);
int cufftExecR2C(int, void*, void*);
}

static int wrong = 0;
static void refused(const char* what, int status) {
  if (status == 0) ++wrong, printf("taken: %s\n", what);
}
static void nothing_done(const char* what, int status) {
  if (status != 0) ++wrong, printf("refused with %d: %s\n", status, what);
}

constexpr int half = 1 << 30, most = INT_MAX;
constexpr long long huge = 1ll << 62;
static float *a, *b, *c;
static int* numbers; // none is the number of a row
static void* pointers;
static const float one = 1, zero = 0;
static const auto nowhere = reinterpret_cast<const float*>(0x1000);

static void blas(void* h) {
  const double unit[2] = {1, 0};
  refused("bytes of a matrix wrap",
          cublasZgemm_v2(h, 0, 0, 1, half + 1, 1, unit, a, half, b, half, unit, c, half));
  refused("strides wrap",
          cublasSgemmStridedBatched(h, 0, 0, 8, 8, 8, &one, a, 8, 1ll << 61, b, 8, 0, &zero, c, 8, 0, 3));
  refused("strides of types of their own wrap",
          cublasGemmStridedBatchedEx(h, 0, 0, 8, 8, 8, &one, a, 0, 8, 1ll << 61, b, 0, 8, 0, &zero, c, 0, 8,
                                     0, 3, 68, 0));
  refused("a matrix that is not there", cublasSgeam(h, 0, 0, 8, 8, &one, nullptr, 8, &zero, b, 8, c, 8));
  refused("a stride of 0", cublasSsymv_v2(h, 0, 8, &one, a, 8, b, 0, &zero, c, 0));
  refused("a stride of 0 of a solution", cublasStrsv_v2(h, 0, 0, 0, 8, a, 8, b, 0));
  refused("bytes of a vector wrap", cublasSaxpy_v2_64(h, huge, &one, a, 1, b, 1));
  refused("strides of a vector wrap", cublasSaxpy_v2_64(h, 2ll * half + 1, &one, a, 2ll * half, b, 1));
  refused("the least stride", cublasSaxpy_v2_64(h, 3, &one, a, INT64_MIN, b, INT64_MIN));
  auto list = static_cast<float**>(pointers);
  int info = 0;
  refused("pivots nowhere",
          cublasSgetrsBatched(h, 0, 8, 1, list, 8, reinterpret_cast<const int*>(nowhere), list, 8, &info, 1));
  refused("pivots that are no rows", cublasSgetrsBatched(h, 0, 8, 1, list, 8, numbers, list, 8, &info, 1));
  refused("the same of an inverse", cublasSgetriBatched(h, 8, list, 8, numbers, list, 8, numbers + 500, 1));
  refused("a leading dimension that is too small",
          cublasSgetrfBatched(h, 8, list, 1, numbers, numbers + 500, 1));
  cublasSetPointerMode_v2(h, 1);
  refused("scalars nowhere", cublasSgemm_v2(h, 0, 0, 8, 8, 8, nowhere, a, 8, b, 8, nowhere, c, 8));
  refused("a factor nowhere", cublasSaxpy_v2(h, 8, nowhere, a, 1, b, 1));
  refused("no factor", cublasSscal_v2(h, 8, nullptr, a, 1));
}

static void solver(void* h) {
  int* info = numbers + 500;
  refused("a leading dimension of 0", cusolverDnSgetrf(h, 0, 0, a, 0, b, numbers, info));
  refused("the least leading dimension", cusolverDnSgetrf(h, 1, 1, a, INT_MIN, b, numbers, info));
  refused("pivots that are no rows", cusolverDnSgetrs(h, 0, 8, 1, a, 8, numbers, b, 8, info));
  nothing_done("no rows", cusolverDnSgeqrf(h, 0, most, a, 1, b, c, 0, info));
  nothing_done("no columns", cusolverDnSormqr(h, 0, 0, most, 0, 0, a, most, b, c, most, nullptr, 0, info));
  refused("more reflectors than rows", cusolverDnSormqr(h, 0, 0, 4, 4, 8, a, 8, b, c, 8, nullptr, 0, info));
  refused("more columns than rows", cusolverDnSorgqr(h, 4, 8, 8, a, 8, b, nullptr, 0, info));
  refused("unknown letters",
          cusolverDnSgesvd(h, 'X', '?', 8, 8, a, 8, b, c, 8, c + 64, 8, nullptr, 0, nullptr, info));
  refused("vectors without room",
          cusolverDnSgesvd(h, 'A', 'A', 8, 8, a, 8, b, c, 1, c + 64, 1, nullptr, 0, nullptr, info));
  nothing_done("no singular values",
               cusolverDnSgesvd(h, 'N', 'N', most, 0, a, most, b, c, 1, c, 1, nullptr, 0, nullptr, info));
  refused("no settings", cusolverDnXsyevjSetTolerance(nullptr, 1));
}

static void sparse(void* h) {
  constexpr int f32 = 0, i32 = 2, by_columns = 1;
  void *x = nullptr, *y = nullptr, *m = nullptr;
  refused("a negative vector", cusparseCreateDnVec(&x, -1, a, f32));
  refused("a negative leading dimension", cusparseCreateDnMat(&x, 100, 50, -1, a, f32, by_columns));
  refused("unknown indices", cusparseCreateCsr(&m, 8, 8, 0, numbers, numbers, a, 77, -5, 9, f32));
  cusparseCreateDnVec(&x, huge, a, f32), cusparseCreateDnVec(&y, huge, b, f32);
  cusparseCreateCsr(&m, huge, huge, 0, numbers, numbers, a, i32, i32, 0, f32);
  refused("bytes of vectors wrap", cusparseSpMV(h, 0, &one, m, x, &zero, y, f32, 0, nullptr));
  refused("no place for sizes", cusparseSpMatGetSize(m, nullptr, nullptr, nullptr));
  refused("no place for a stream", cusparseGetStream(h, nullptr));
  cusparseCreateDnMat(&x, 1, 4ll * half + 1, half, a, f32, by_columns);
  cusparseCreateCsr(&m, 1, 4ll * half + 1, 0, numbers + 900, numbers, a, i32, i32, 0, f32);
  refused("bytes of a matrix wrap", cusparseSparseToDense(h, m, x, 0, nullptr));
  refused("the same read", cusparseDenseToSparse_analysis(h, x, m, 0, nullptr));
  refused("indices that are no columns", cusparseCsr2cscEx2(h, 1, 8, 8, a, numbers, numbers, b, numbers + 600,
                                                            numbers + 700, f32, 1, 0, 1, nullptr));
  refused("more columns than there is memory",
          cusparseCsr2cscEx2(h, 0, most, 0, a, numbers, numbers, b, numbers, numbers, f32, 1, 0, 1, nullptr));
  cusparseCreateDnVec(&x, 8, a, f32), cusparseCreateSpVec(&y, 8, huge, numbers, b, i32, 0, f32);
  refused("bytes of a sparse vector wrap", cusparseGather(h, x, y));
  cusparseCreateSpVec(&y, 8, 8, numbers, b, i32, 0, f32);
  refused("indices that are none of the vector", cusparseGather(h, x, y));
  void *left = nullptr, *right = nullptr;
  cusparseCreateCsr(&m, 8, 8, 0, numbers + 900, numbers, a, i32, i32, 0, f32);
  cusparseCreateDnMat(&left, 8, 8, 8, a, f32, by_columns),
      cusparseCreateDnMat(&right, 8, 8, 8, c, f32, by_columns);
  refused("a negative step", cusparseDnMatSetStridedBatch(left, 2, -1));
  cusparseDnMatSetStridedBatch(left, most, huge), cusparseDnMatSetStridedBatch(right, most, huge);
  refused("strides of matrices wrap", cusparseSpMM(h, 0, 0, &one, m, left, &zero, right, f32, 0, nullptr));
  cusparseCreateDnVec(&x, 8, a, f32), cusparseCreateDnVec(&y, 8, b, f32);
  cusparseCreateCsr(&m, 8, 8, 0, numbers + 900, numbers, a, i32, i32, 0, f32);
  cusparseSetPointerMode(h, 1);
  refused("scalars nowhere", cusparseSpMV(h, 0, nowhere, m, x, nowhere, y, f32, 0, nullptr));
}

static void random_numbers() {
  void* g = nullptr;
  curandCreateGenerator(&g, 100);
  refused("bytes wrap", curandGenerate(g, reinterpret_cast<unsigned*>(a), huge));
  refused("bytes wrap by a little",
          curandGenerateUniformDouble(g, reinterpret_cast<double*>(a), (1ull << 61) + 1));
  refused("nowhere", curandGenerate(g, nullptr, 100));
}

static int run_c2c(int status, int plan) { return status ? status : cufftExecC2C(plan, a, b, -1); }
static void fourier() {
  constexpr int c2c = 0x29, r2c = 0x2a;
  int plan = 0, size[3] = {4, 4, 4}, below[3] = {4, -400, -400}, one_row[1] = {64};
  int status = cufftPlan3d(&plan, 1 << 21, 1 << 21, 1 << 22, c2c);
  refused("elements wrap", run_c2c(status, plan));
  status = cufftPlan1d(&plan, most, r2c, 1);
  refused("the longest row in place", status ? status : cufftExecR2C(plan, a, a));
  status = cufftPlan1d(&plan, most - 2, c2c, most);
  refused("the largest batch", run_c2c(status, plan));
  status = cufftPlanMany(&plan, 1, one_row, one_row, -1, -1000000, one_row, -1, -1000000, c2c, 64);
  refused("negative steps", run_c2c(status, plan));
  status = cufftPlanMany(&plan, 3, size, below, 1, 1, below, 1, 1, c2c, 1);
  refused("negative storage", run_c2c(status, plan));
}

int main() {
  void* rest = nullptr;
  for (float** p : {&a, &b, &c}) cudaMalloc(&rest, 1 << 20), *p = static_cast<float*>(rest);
  cudaMalloc(&rest, 4096), numbers = static_cast<int*>(rest);
  cudaMemset(numbers, 0x7f, 3600), cudaMemset(numbers + 900, 0, 496);
  const void* matrices[2] = {a, b};
  cudaMalloc(&pointers, sizeof matrices);
  cudaMemcpy(pointers, matrices, sizeof matrices, 1);
  void *h = nullptr, *dense = nullptr, *of_sparse = nullptr;
  cublasCreate_v2(&h), cusolverDnCreate(&dense), cusparseCreate(&of_sparse);
  blas(h), solver(dense), sparse(of_sparse), random_numbers(), fourier();
  printf("%d wrong\n", wrong);
}
