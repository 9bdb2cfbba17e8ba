// Changes that the advice proposes for accesses that the data send anywhere, made by hand: see advice.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

constexpr int blocks = 8, threads = 256, n = blocks * threads, bins = 64;

// --- copies of a table in shared memory, one for each lane ----------------------------------------------------------
__global__ void latest(const int* keys, int* out) {
  __shared__ int table[bins];
  if (threadIdx.x < bins) table[threadIdx.x] = 0;
  __syncthreads();
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  int before = atomicExch(&table[key], threadIdx.x); // before latest atomic/reduction shared
  out[threadIdx.x] = before;
}
__global__ void latest_in_copies(const int* keys, int* out) {
  __shared__ int table[bins * 32];
  for (int i = threadIdx.x; i < bins * 32; i += blockDim.x) table[i] = 0;
  __syncthreads();
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  int before = atomicExch(&table[key * 32 + threadIdx.x % 32], threadIdx.x); // after latest atomic/reduction shared
  out[threadIdx.x] = before;
}
__global__ void turns(const int* keys, unsigned* out) {
  __shared__ unsigned table[bins];
  if (threadIdx.x < bins) table[threadIdx.x] = 0;
  __syncthreads();
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  out[threadIdx.x] = atomicInc(&table[key], 7); // before turns atomic/reduction shared
}
__global__ void turns_in_copies(const int* keys, unsigned* out) {
  __shared__ unsigned table[bins * 32];
  for (int i = threadIdx.x; i < bins * 32; i += blockDim.x) table[i] = 0;
  __syncthreads();
  int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
  out[threadIdx.x] = atomicInc(&table[key * 32 + threadIdx.x % 32], 7); // after turns atomic/reduction shared
}

// --- a copy of a table for each block -------------------------------------------------------------------------------
__global__ void histogram(const int* keys, unsigned* counts) {
  for (int i = 0; i < blocks; ++i) {
    int key = keys[i * blockDim.x + threadIdx.x];
    atomicAdd(&counts[key * 32], 1u); // before histogram atomic/reduction global
  }
}
__global__ void histogram_by_block(const int* keys, unsigned* counts) {
  __shared__ unsigned mine[bins];
  if (threadIdx.x < bins) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < blocks; ++i) atomicAdd(&mine[keys[i * blockDim.x + threadIdx.x]], 1u);
  __syncthreads();
  if (threadIdx.x < bins)
    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]); // after histogram atomic/reduction global
}
__global__ void sums(const int* keys, float* sum) {
  for (int i = 0; i < blocks; ++i) {
    int key = keys[i * blockDim.x + threadIdx.x];
    atomicAdd(&sum[key * 16], 0.5f); // before sums atomic/reduction global
  }
}
__global__ void sums_by_block(const int* keys, float* sum) {
  __shared__ float mine[bins];
  if (threadIdx.x < bins) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < blocks; ++i) atomicAdd(&mine[keys[i * blockDim.x + threadIdx.x]], 0.5f);
  __syncthreads();
  if (threadIdx.x < bins)
    atomicAdd(&sum[threadIdx.x], mine[threadIdx.x]); // after sums atomic/reduction global
}

// --- a block sorts what it stores -----------------------------------------------------------------------------------
__global__ void permute(const int* place, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[blockIdx.x * blockDim.x + place[i] % threads] = a[i]; // before permute store global
}
__global__ void permute_in_shared(const int* place, const float* a, float* out) {
  __shared__ float sorted[threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sorted[place[i] % threads] = a[i];
  __syncthreads();
  out[i] = sorted[threadIdx.x]; // after permute store global
}

#ifndef KERNELS_ALONE // tests/hardware/variants_more.cu launches them with more blocks
template <class T> T* device(const std::vector<T>& host) {
  T* out;
  cudaMalloc(&out, host.size() * sizeof(T));
  cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

int main() {
  std::vector<int> key(n), place(n);
  unsigned state = 7;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < n; ++i) key[i] = i % threads < bins ? i % bins : next(bins), place[i] = i;
  for (int i = 0; i < n; ++i) std::swap(place[i], place[i / threads * threads + next(threads)]);
  int *keys = device(key), *places = device(place);
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  cudaMemset(b, 0, 1 << 20);
  auto *ints = reinterpret_cast<int*>(b);
  auto *counts = reinterpret_cast<unsigned*>(b);
  latest<<<blocks, threads>>>(keys, ints);
  latest_in_copies<<<blocks, threads>>>(keys, ints);
  turns<<<blocks, threads>>>(keys, counts);
  turns_in_copies<<<blocks, threads>>>(keys, counts);
  histogram<<<blocks, threads>>>(keys, counts);
  histogram_by_block<<<blocks, threads>>>(keys, counts);
  sums<<<blocks, threads>>>(keys, b);
  sums_by_block<<<blocks, threads>>>(keys, b);
  permute<<<blocks, threads>>>(places, a, b);
  permute_in_shared<<<blocks, threads>>>(places, a, b);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
