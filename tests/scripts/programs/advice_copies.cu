// Pairs as in advice.cu, of asynchronous copies (cp.async), which pass through the banks of shared memory as they are
// written: a matrix that is turned on its way into a tile, a row for each thread, and a copy whose lanes read from one bank.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int blocks = 8, n = 32, threads = 128;

// Not __pipeline_memcpy_async, so that the access is on the line that has the mark.
#define COPY(to, from, bytes)                                                                                            \
  asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ";" ::"r"(shared(to)), "l"(from) : "memory")
__device__ unsigned shared(void* to) { return static_cast<unsigned>(__cvta_generic_to_shared(to)); }
__device__ void wait() {
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}

__global__ void turned(const float* a, float* out) {
  __shared__ float tile[n][32];
  const float* from = a + blockIdx.x * n * n;
  for (int y = threadIdx.y; y < n; y += blockDim.y)
    COPY(&tile[threadIdx.x][y], &from[y * n + threadIdx.x], 4); // before turned async_copy shared
  wait();
  for (int y = threadIdx.y; y < n; y += blockDim.y) out[(blockIdx.x * n + y) * n + threadIdx.x] = tile[y][threadIdx.x];
}
__global__ void turned_padded(const float* a, float* out) {
  __shared__ float tile[n][33];
  const float* from = a + blockIdx.x * n * n;
  for (int y = threadIdx.y; y < n; y += blockDim.y)
    COPY(&tile[threadIdx.x][y], &from[y * n + threadIdx.x], 4); // after turned async_copy shared
  wait();
  for (int y = threadIdx.y; y < n; y += blockDim.y) out[(blockIdx.x * n + y) * n + threadIdx.x] = tile[y][threadIdx.x];
}

// A row of the tile for each thread, of which it copies a part at a time.
__global__ void rows(const double* a, double* out) {
  __shared__ double tile[threads][16];
  for (int i = 0; i < 16; ++i)
    COPY(&tile[threadIdx.x][i], &a[(blockIdx.x * 16 + i) * threads + threadIdx.x], 8); // before own_rows async_copy shared
  wait();
  double sum = 0;
  for (int i = 0; i < 16; ++i) sum += tile[threadIdx.x][i];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}
__global__ void rows_padded(const double* a, double* out) {
  __shared__ double tile[threads][17];
  for (int i = 0; i < 16; ++i)
    COPY(&tile[threadIdx.x][i], &a[(blockIdx.x * 16 + i) * threads + threadIdx.x], 8); // after own_rows async_copy shared
  wait();
  double sum = 0;
  for (int i = 0; i < 16; ++i) sum += tile[threadIdx.x][i];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

// Turned on the way, too, but read by columns: no padding helps, reading by rows does.
__global__ void by_columns(const float* a, float* out) {
  __shared__ float tile[n][33];
  const float* from = a + blockIdx.x * n * n;
  for (int y = threadIdx.y; y < n; y += blockDim.y)
    COPY(&tile[y][threadIdx.x], &from[threadIdx.x * n + y], 4); // before by_columns async_copy shared
  wait();
  for (int y = threadIdx.y; y < n; y += blockDim.y) out[(blockIdx.x * n + y) * n + threadIdx.x] = tile[y][threadIdx.x];
}
__global__ void by_rows(const float* a, float* out) {
  __shared__ float tile[n][33];
  const float* from = a + blockIdx.x * n * n;
  for (int y = threadIdx.y; y < n; y += blockDim.y)
    COPY(&tile[threadIdx.x][y], &from[y * n + threadIdx.x], 4); // after by_columns async_copy shared
  wait();
  for (int y = threadIdx.y; y < n; y += blockDim.y) out[(blockIdx.x * n + y) * n + threadIdx.x] = tile[y][threadIdx.x];
}

#ifndef KERNELS_ALONE
int main() {
  void *a, *b;
  cudaMalloc(&a, 1 << 20), cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  turned<<<blocks, dim3(n, 8)>>>(static_cast<float*>(a), static_cast<float*>(b));
  turned_padded<<<blocks, dim3(n, 8)>>>(static_cast<float*>(a), static_cast<float*>(b));
  rows<<<blocks, threads>>>(static_cast<double*>(a), static_cast<double*>(b));
  rows_padded<<<blocks, threads>>>(static_cast<double*>(a), static_cast<double*>(b));
  by_columns<<<blocks, dim3(n, 8)>>>(static_cast<float*>(a), static_cast<float*>(b));
  by_rows<<<blocks, dim3(n, 8)>>>(static_cast<float*>(a), static_cast<float*>(b));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
