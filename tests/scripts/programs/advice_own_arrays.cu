// Pairs as in advice.cu: an array of each thread's own, from malloc() or behind a pointer that it alone reads, against one array of all,
// interleaved; and asynchronous copies whose lanes read one sector and write parts of it to different rows.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int blocks = 4, threads = 128, n = 40, together = blocks * threads;

// --- from malloc() ---------------------------------------------------------------------------------------------------
__global__ void scratch(float* out) {
  float* p = static_cast<float*>(malloc(n * sizeof(float)));
  if (p == nullptr) return;
#pragma unroll 1
  for (int i = 0; i < n; ++i) p[i] = i * threadIdx.x; // before scratch store global
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = 0.5f * sum + p[i * 7 % n]; // before scratch_read load global
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  free(p);
}
__global__ void scratch_interleaved(float* p, float* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) p[i * together + t] = i * threadIdx.x; // after scratch store global
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum = 0.5f * sum + p[i * 7 % n * together + t]; // after scratch_read load global
  out[t] = sum;
}

// --- behind pointers, in allocations at unequal distances ------------------------------------------------------------
__global__ void pointers(double* const* rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) rows[t][i] = i; // before pointers store global
}
__global__ void pointers_interleaved(double* rows) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i) rows[i * together + t] = i; // after pointers store global
}

// --- asynchronous copies ---------------------------------------------------------------------------------------------
#define COPY(to, from)                                                                                       \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to)), "l"(from) : "memory")
__device__ unsigned shared(void* to) { return static_cast<unsigned>(__cvta_generic_to_shared(to)); }
__device__ void wait() {
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}
__global__ void turned(const float4* a, float4* out) { // 32 rows of 8 chunks from 8 rows of 32
  __shared__ float4 tile[32][8];
  COPY(&tile[threadIdx.x][threadIdx.y], &a[threadIdx.y * 32 + threadIdx.x]); // before turned_chunks async_copy global
  wait();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y * 4 + threadIdx.x / 8][threadIdx.x % 8];
}
__global__ void not_turned(const float4* a, float4* out) {
  __shared__ float4 tile[8][32];
  COPY(&tile[threadIdx.y][threadIdx.x], &a[threadIdx.y * 32 + threadIdx.x]); // after turned_chunks async_copy global
  wait();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.y * 4 + threadIdx.x / 8];
}
__global__ void dealt(const float4* a, float4* out) { // even chunks to one half, odd ones to the other
  __shared__ float4 tile[2][threads / 2];
  COPY(&tile[threadIdx.x % 2][threadIdx.x / 2], &a[threadIdx.x]); // before dealt async_copy global
  wait();
  out[threadIdx.x] = tile[threadIdx.x / (threads / 2)][threadIdx.x % (threads / 2)];
}
__global__ void not_dealt(const float4* a, float4* out) {
  __shared__ float4 tile[threads];
  COPY(&tile[threadIdx.x], &a[threadIdx.x]); // after dealt async_copy global
  wait();
  out[threadIdx.x] = tile[threadIdx.x % (threads / 2) * 2 + threadIdx.x / (threads / 2)];
}
__global__ void every_other(const float4* a, float4* out) { // half of each sector, to rows of its own
  __shared__ float4 tile[threads][4];
  COPY(&tile[threadIdx.x][0], &a[2 * threadIdx.x]); // before every_other async_copy global
  wait();
  out[threadIdx.x] = tile[threadIdx.x][0];
}
__global__ void every_one(const float4* a, float4* out) {
  __shared__ float4 tile[threads];
  COPY(&tile[threadIdx.x], &a[threadIdx.x]); // after every_other async_copy global
  wait();
  out[threadIdx.x] = tile[threadIdx.x];
}

#ifndef KERNELS_ALONE
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20), cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  double *rows[together], **on_device;
  for (int t = 0; t < together; ++t) cudaMalloc(&rows[t], (n + t % 3 * 40) * sizeof(double));
  cudaMalloc(&on_device, sizeof rows);
  cudaMemcpy(on_device, rows, sizeof rows, cudaMemcpyHostToDevice);
  scratch<<<blocks, threads>>>(b);
  scratch_interleaved<<<blocks, threads>>>(a, b);
  pointers<<<blocks, threads>>>(on_device);
  pointers_interleaved<<<blocks, threads>>>(reinterpret_cast<double*>(a));
  turned<<<1, dim3(32, 8)>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  not_turned<<<1, dim3(32, 8)>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  dealt<<<1, threads>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  not_dealt<<<1, threads>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  every_other<<<1, threads>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  every_one<<<1, threads>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
