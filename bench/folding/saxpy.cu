// y = a x + y over as many blocks of 256 threads as asked for, the last one partly past the end.
#include <cstdio>
#include <cstdlib>

__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  int blocks = argc > 1 ? std::atoi(argv[1]) : 256, n = blocks * 256 - 100;
  float *x = nullptr, *y = nullptr;
  if (cudaMalloc(&x, sizeof(float) * n) != cudaSuccess || cudaMalloc(&y, sizeof(float) * n) != cudaSuccess)
    return 1;
  saxpy<<<blocks, 256>>>(2, x, y, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaFree(x);
  cudaFree(y);
}
