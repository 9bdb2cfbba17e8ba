// What each thread found is stored so that neighbours are side by side, by hand: as a vector, through shared memory, or by a warp that
// has the row. See advice.cu.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int blocks = 8, threads = 256, n = blocks * threads, length = 64;

// --- two parts of a number, in rows of two lanes ----------------------------------------------------------------------
__global__ void parts(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / 2 * 4 + i % 2;
  out[2 * at] = a[i], out[2 * at + 1] = -a[i]; // before parts store global
}
__global__ void parts_at_once(const float* a, float2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / 2 * 4 + i % 2;
  out[at] = make_float2(a[i], -a[i]); // after parts store global
}

// --- eight powers -----------------------------------------------------------------------------------------------------
__global__ void powers(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float power = 1;
#pragma unroll
  for (int k = 0; k < 8; ++k) out[8 * i + k] = power *= a[i]; // before powers store global
}
__global__ void powers_collected(const float* a, float* out) {
  __shared__ float tile[threads][8 + 1];
  float power = 1;
#pragma unroll
  for (int k = 0; k < 8; ++k) tile[threadIdx.x][k] = power *= a[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 8 * threads; i += threads)
    out[blockIdx.x * 8 * threads + i] = tile[i / 8][i % 8]; // after powers store global
}

// --- rows that an index leads to --------------------------------------------------------------------------------------
__global__ void copied(const float* table, float* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, from = row * 7919 % n;
#pragma unroll 1
  for (int k = 0; k < length; ++k)
    out[row * length + k] = table[from * length + k]; // before copied store global
}
__global__ void copied_by_warp(const float* table, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, from = row * 7919 % n;
#pragma unroll 1
  for (int k = threadIdx.x % 32; k < length; k += 32)
    out[row * length + k] = table[from * length + k]; // after copied store global
}

int main() {
  float *a, *b;
  cudaMalloc(&a, n * length * sizeof(float));
  cudaMalloc(&b, n * length * sizeof(float));
  cudaMemset(a, 0, n * length * sizeof(float));
  parts<<<blocks, threads>>>(a, b);
  parts_at_once<<<blocks, threads>>>(a, reinterpret_cast<float2*>(b));
  powers<<<blocks, threads>>>(a, b);
  powers_collected<<<blocks, threads>>>(a, b);
  copied<<<blocks, threads>>>(a, b);
  copied_by_warp<<<32 * blocks, threads>>>(a, b);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
