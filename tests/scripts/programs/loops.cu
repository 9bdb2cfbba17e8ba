// Atomics on shared memory that the assembler makes loops of, by lanes of one warp that meet at so many words. What an H200 counted for each
// launch (driver 580.159.04, CUDA 13.0.88, 23 November 2026) is in machine_code_test.sh.
#include <cstdio>

template <class T> __global__ void lanes(T* out, int active, int words) {
  __shared__ T sum[64];
  sum[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < active) atomicAdd(&sum[threadIdx.x % words], (T)threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = sum[threadIdx.x];
}
template <class T> __global__ void largest(T* out, int active, int words) {
  __shared__ T sum[64];
  sum[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < active) atomicMax(&sum[threadIdx.x % words], (T)(threadIdx.x + 1));
  __syncthreads();
  out[threadIdx.x] = sum[threadIdx.x];
}

int main() {
  void* out;
  cudaMalloc(&out, 4096);
  const int shapes[][2] = {{32, 32}, {1, 1}, {2, 1}, {4, 1}, {8, 1}, {32, 1}, {32, 2}, {32, 4}, {32, 16}, {5, 2}};
  for (auto [active, words] : shapes) {
    lanes<<<1, 32>>>((double*)out, active, words);
    lanes<<<1, 32>>>((float*)out, active, words);
    lanes<<<1, 32>>>((unsigned long long*)out, active, words);
    largest<<<1, 32>>>((unsigned long long*)out, active, words);
  }
  return cudaDeviceSynchronize();
}
