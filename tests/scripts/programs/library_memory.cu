// A kernel reads what a library's function wrote, and what nobody wrote.
#include <cstdio>
#include <cuda_runtime.h>

struct cublasContext;
extern "C" int cublasCreate_v2(cublasContext**);
extern "C" int cublasScopy_v2(cublasContext*, int, const float*, int, float*, int);

__global__ void add(float* sum, const float* a, const float* b) { sum[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
  constexpr int n = 32;
  float *x, *copied, *unset, *sum;
  for (float** p : {&x, &copied, &unset, &sum}) cudaMalloc(p, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cublasContext* blas;
  if (cublasCreate_v2(&blas) != 0 || cublasScopy_v2(blas, n, x, 1, copied, 1) != 0) return 1;
  add<<<1, n>>>(sum, x, copied);
  add<<<1, n>>>(sum, x, unset);
  return cudaDeviceSynchronize() != cudaSuccess;
}
