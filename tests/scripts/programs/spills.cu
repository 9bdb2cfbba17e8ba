// Kernels whose assembler spills registers, and some that use local memory for an array of their own. Built with 32 registers.
#include <cstdio>

// More values at a time than there are registers. `Local`: and an array with an index that is not known.
template <bool Local> __global__ void many(float* a, const int* index, int n) {
  float r[48], own[40];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 48; ++k) r[k] = a[i + k * n];
  if (Local)
    for (int k = 0; k < 40; ++k) own[k] = a[i + k];
  for (int t = 0; t < 2; ++t) {
#pragma unroll
    for (int k = 0; k < 48; ++k)
      r[k] = r[k] * r[(k * 7 + 3) % 48] + (Local ? own[index[k] % 40] : 1.f);
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) a[i + k * n] = r[k];
}

__global__ void own_array(float* a, const int* index) {
  float own[40];
  for (int k = 0; k < 40; ++k) own[k] = a[k * 64 + threadIdx.x];
  a[threadIdx.x] = own[index[threadIdx.x] % 40];
}

int main() {
  constexpr int n = 128;
  float* a;
  int* index;
  cudaMallocManaged(&a, 64 * n * sizeof(float)), cudaMallocManaged(&index, n * sizeof(int));
  for (int i = 0; i < 64 * n; ++i) a[i] = 0.25f;
  for (int i = 0; i < n; ++i) index[i] = 5;
  many<false><<<2, 64>>>(a, index, n);
  many<true><<<2, 64>>>(a, index, n);
  own_array<<<1, 64>>>(a, index);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < 64 * n; ++i) sum += a[i];
  std::printf("%.6f\n", sum);
}
