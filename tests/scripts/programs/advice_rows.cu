// Changes that the advice proposes for loads and stores of device memory, made by hand: see advice.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

constexpr int blocks = 8, threads = 256, n = blocks * threads, side = 128;

// --- a row for each thread, of equal length: a stride ---------------------------------------------------------------
__global__ void walk(const float* a, float* out) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 64; ++j)
    sum += a[row * 64 + j]; // before walk load global
  out[row] = sum;
}
__global__ void walk_together(const float* a, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int j = lane; j < 64; j += 32)
    sum += a[row * 64 + j]; // after walk load global
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
}

// --- a border that wraps around --------------------------------------------------------------------------------------
__global__ void around(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, left = i / 32 * 32 + (i + 31) % 32;
  out[i] = a[left * 8]; // before around load global
}
__global__ void around_apart(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, left = i / 32 * 32 + (i + 31) % 32;
  out[i] = a[left]; // after around load global
}

// --- a volume whose rows the third index runs along --------------------------------------------------------------------
__global__ void volume(double* out) {
  int place = (threadIdx.x * 8 + threadIdx.y) * 8 + threadIdx.z;
  out[blockIdx.x * 512 + place] = place; // before volume store global
}
__global__ void volume_exchanged(double* out) {
  int place = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  out[blockIdx.x * 512 + place] = place; // after volume store global
}

// --- rows of different lengths -------------------------------------------------------------------------
__global__ void long_rows(const int* begin, const float* a, float* out) {
  int row = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = begin[row]; j < begin[row + 1]; ++j)
    sum += a[j]; // before long_rows load global uncoalesced-load
  out[row] = sum;
}
__global__ void long_rows_by_warp(const int* begin, const float* a, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
#pragma unroll 1
  for (int j = begin[row] + threadIdx.x % 32; j < begin[row + 1]; j += 32)
    sum += a[j]; // after long_rows load global
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}
__global__ void short_rows(const int* begin, const double* a, double* out) {
  int row = threadIdx.x;
  double sum = 0;
#pragma unroll 4
  for (int j = begin[row]; j < begin[row + 1]; ++j)
    sum += a[j]; // before short_rows load global uncoalesced-load
  out[row] = sum;
}
__global__ void short_rows_by_8(const int* begin, const double* a, double* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  double sum = 0;
#pragma unroll 1
  for (int j = begin[row] + threadIdx.x % 8; j < begin[row + 1]; j += 8)
    sum += a[j]; // after short_rows load global
  for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
  if (threadIdx.x % 8 == 0) out[row] = sum;
}
__global__ void sparse(const int* begin, const int* column, const float* a, const float* x, float* out) {
  int row = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = begin[row]; j < begin[row + 1]; ++j) {
    int c = column[j]; // before sparse load global uncoalesced-load
    sum += a[j] * x[c];
  }
  out[row] = sum;
}
__global__ void sparse_by_warp(const int* begin, const int* column, const float* a, const float* x, float* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
#pragma unroll 1
  for (int j = begin[row] + threadIdx.x % 32; j < begin[row + 1]; j += 32) {
    int c = column[j]; // after sparse load global
    sum += a[j] * x[c];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

// --- what the warps of a block read again and again ------------------------------------------------------------------
__global__ void product(const float* a, const float* b, float* c) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) {
    float x = a[row * side + k]; // before left load global
    sum += x *
           b[k * side + column]; // before right load global
  }
  c[row * side + column] = sum;
}
__global__ void product_tiled(const float* a, const float* b, float* c) {
  __shared__ float as[32][32], bs[32][32];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < side; k0 += 32) {
    as[threadIdx.y][threadIdx.x] = a[row * side + k0 + threadIdx.x];          // after left load global
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * side + column]; // after right load global
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * side + column] = sum;
}
__global__ void bodies(const float4* p, float* out) {
  float sum = 0;
  for (int j = 0; j < 1024; ++j) {
    float4 o = p[j]; // before bodies load global
    sum += o.w * (o.x - threadIdx.x) + o.y * o.z;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void bodies_tiled(const float4* p, float* out) {
  __shared__ float4 t[threads];
  float sum = 0;
  for (int j0 = 0; j0 < 1024; j0 += threads) {
    t[threadIdx.x] = p[j0 + threadIdx.x]; // after bodies load global
    __syncthreads();
    for (int j = 0; j < threads; ++j) sum += t[j].w * (t[j].x - threadIdx.x) + t[j].y * t[j].z;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// --- sorted indices ----------------------------------------------------------------------------------------------------
__global__ void gather(const int* index, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  out[i] = a[from]; // before gather load global
}
__global__ void gather_sorted(const int* index, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  out[i] = a[from]; // after gather load global
}
__global__ void gather_wide(const int* index, const double2* a, double2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  out[i] = a[from]; // before gather_wide load global
}
__global__ void gather_wide_sorted(const int* index, const double2* a, double2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = index[i];
  out[i] = a[from]; // after gather_wide load global
}
__global__ void scatter(const int* index, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = a[i]; // before scatter store global
}
__global__ void scatter_sorted(const int* index, const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[index[i]] = a[i]; // after scatter store global
}

// --- where a warp starts ---------------------------------------------------------------------------------------------
__global__ void store_shifted(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + 5] = i; // before store_start store global
}
__global__ void store_aligned(float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i; // after store_start store global
}
__global__ void rows_of_101(const double* a, double* out) {
  int row = blockIdx.x * 8 + threadIdx.y;
  double x = a[row * 101 + threadIdx.x]; // before pitch load global
  out[row * 32 + threadIdx.x] = x;
}
__global__ void rows_of_112(const double* a, double* out) {
  int row = blockIdx.x * 8 + threadIdx.y;
  double x = a[row * 112 + threadIdx.x]; // after pitch load global
  out[row * 32 + threadIdx.x] = x;
}

#ifndef KERNELS_ALONE // tests/hardware/variants_more.cu launches them with more blocks
template <class T> T* device(const std::vector<T>& host) {
  T* out;
  cudaMalloc(&out, host.size() * sizeof(T));
  cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

int main() {
  std::vector<int> shuffled(n), sorted(n), long_begin(threads + 1), short_begin(threads + 1), column(1 << 15);
  unsigned state = 7;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < n; ++i) sorted[i] = shuffled[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(shuffled[i], shuffled[next(i + 1)]);
  for (int i = 0; i < threads; ++i) {
    long_begin[i + 1] = long_begin[i] + 20 + next(60);
    short_begin[i + 1] = short_begin[i] + 3 + next(8);
  }
  for (int& c : column) c = next(1024);
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  int *at_random = device(shuffled), *in_order = device(sorted), *lengths = device(long_begin);
  int *few = device(short_begin), *columns = device(column);
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  walk<<<blocks, threads>>>(a, b);
  walk_together<<<32 * blocks, threads>>>(a, b);
  around<<<blocks, threads>>>(a, b);
  around_apart<<<blocks, threads>>>(a, b);
  volume<<<blocks, dim3(8, 8, 8)>>>(wide_out);
  volume_exchanged<<<blocks, dim3(8, 8, 8)>>>(wide_out);
  long_rows<<<1, threads>>>(lengths, a, b);
  long_rows_by_warp<<<32, threads>>>(lengths, a, b);
  short_rows<<<1, threads>>>(few, wide, wide_out);
  short_rows_by_8<<<8, threads>>>(few, wide, wide_out);
  sparse<<<1, threads>>>(lengths, columns, a, a, b);
  sparse_by_warp<<<32, threads>>>(lengths, columns, a, a, b);
  product<<<dim3(side / 32, side / 32), dim3(32, 32)>>>(a, a, b);
  product_tiled<<<dim3(side / 32, side / 32), dim3(32, 32)>>>(a, a, b);
  bodies<<<blocks, threads>>>(reinterpret_cast<float4*>(a), b);
  bodies_tiled<<<blocks, threads>>>(reinterpret_cast<float4*>(a), b);
  gather<<<blocks, threads>>>(at_random, a, b);
  gather_sorted<<<blocks, threads>>>(in_order, a, b);
  gather_wide<<<blocks, threads>>>(at_random, reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b));
  gather_wide_sorted<<<blocks, threads>>>(in_order, reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b));
  scatter<<<blocks, threads>>>(at_random, a, b);
  scatter_sorted<<<blocks, threads>>>(in_order, a, b);
  store_shifted<<<blocks, threads>>>(b);
  store_aligned<<<blocks, threads>>>(b);
  rows_of_101<<<blocks, dim3(32, 8)>>>(wide, wide_out);
  rows_of_112<<<blocks, dim3(32, 8)>>>(wide, wide_out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
