// Changes that the advice proposes, made by hand: in each pair the second kernel does what the advice for the first
// says, and must cost what it predicted, to the unit. A mark names the pair and the accesses that are compared: those of
// its line that are of this operation and space.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int blocks = 8, threads = 256, n = blocks * threads;
struct Point {
  float x, y, z, w;
};

__global__ void columns(float* out) {
  __shared__ float tile[32][32];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = y;
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    out[y * 32 + threadIdx.x] = tile[threadIdx.x][y]; // before columns load shared
}
__global__ void columns_padded(float* out) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = y;
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8)
    out[y * 32 + threadIdx.x] = tile[threadIdx.x][y]; // after columns load shared
}

__global__ void jagged(float* out) {
  __shared__ float tile[18][18];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x; // before jagged store shared
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
__global__ void jagged_padded(float* out) {
  __shared__ float tile[18][48];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x; // after jagged store shared
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// Longer rows help the columns and cost the rows, which are stored two at a time.
__global__ void square(float* out) {
  __shared__ float tile[16][16];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // before square load shared
}
__global__ void square_padded(float* out) {
  __shared__ float tile[16][18];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // after square load shared
}

// A row for each thread of half a warp, as in a triangular solver.
__global__ void triangle(float* out) {
  __shared__ float rows[16 * 16];
  for (int i = 0; i < 16; ++i) rows[i * 16 + threadIdx.x] = i;
  __syncwarp();
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
#pragma unroll 1
    for (int j = 0; j < i; ++j)
      rows[threadIdx.x * 16 + i] -= rows[threadIdx.x * 16 + j]; // before triangle load/store shared
  out[threadIdx.x] = rows[threadIdx.x * 16 + 15];
}
__global__ void triangle_padded(float* out) {
  __shared__ float rows[16 * 17];
  for (int i = 0; i < 16; ++i) rows[i * 17 + threadIdx.x] = i;
  __syncwarp();
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
#pragma unroll 1
    for (int j = 0; j < i; ++j)
      rows[threadIdx.x * 17 + i] -= rows[threadIdx.x * 17 + j]; // after triangle load/store shared
  out[threadIdx.x] = rows[threadIdx.x * 17 + 15];
}

__global__ void doubling(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = 1; d < threads; d *= 2) {
    __syncthreads();
    int j = 2 * d * t;
    if (j < threads)
      s[j] += s[j + d]; // before reduction store shared
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void halving(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d]; // after reduction store shared
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void structures(const Point* p, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = p[i].x; // before structure load global
}
__global__ void members(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i]; // after structure load global
}

__global__ void down(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[threadIdx.x * 64 + blockIdx.x]; // before order load global
}
__global__ void along(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[blockIdx.x * 256 + threadIdx.x]; // after order load global
}

__global__ void shifted(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i + 3]; // before start load global
}
__global__ void aligned(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i + 32]; // after start load global
}

__constant__ float table[1024];
__global__ void constants(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = table[threadIdx.x]; // before table load constant
}
__global__ void globals(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[threadIdx.x]; // after table load global
}

__global__ void all_add(float* sum) {
  float x = threadIdx.x;
  atomicAdd(sum, x); // before sum atomic/reduction global
}
__global__ void one_adds(float* sum) {
  float x = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, x); // after sum atomic/reduction global
}

// What the assembler does by itself is no pair: the advice says so, and WarpLens counts the lanes as the program has them.
__global__ void counts(int* sum) { atomicAdd(sum, int(threadIdx.x)); }

#ifndef KERNELS_ALONE // tests/hardware/variants_more.cu launches them with more blocks
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  columns<<<blocks, dim3(32, 8)>>>(b);
  columns_padded<<<blocks, dim3(32, 8)>>>(b);
  jagged<<<blocks, dim3(16, 16)>>>(b);
  jagged_padded<<<blocks, dim3(16, 16)>>>(b);
  square<<<blocks, dim3(16, 16)>>>(b);
  square_padded<<<blocks, dim3(16, 16)>>>(b);
  triangle<<<blocks, 16>>>(b);
  triangle_padded<<<blocks, 16>>>(b);
  doubling<<<blocks, threads>>>(b);
  halving<<<blocks, threads>>>(b);
  structures<<<blocks, threads>>>(reinterpret_cast<Point*>(a), b);
  members<<<blocks, threads>>>(a, b);
  down<<<blocks, threads>>>(a, b);
  along<<<blocks, threads>>>(a, b);
  shifted<<<blocks, threads>>>(a, b);
  aligned<<<blocks, threads>>>(a, b);
  constants<<<blocks, threads>>>(b);
  globals<<<blocks, threads>>>(a, b);
  all_add<<<blocks, threads>>>(b);
  one_adds<<<blocks, threads>>>(b);
  counts<<<blocks, threads>>>(reinterpret_cast<int*>(b));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
