// Changes of shape that the advice proposes, made by hand: a block as wide as a warp, a table the other way round, a vector in
// shared memory, longer rows for tensor cores. See advice.cu.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int width = 256, height = 64, count = 1024;

// --- blocks that are narrower than a warp ----------------------------------------------------------------------------
__device__ int place() {
  return (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
}
template <class T> __global__ void narrow(const T* from, T* to, int shift) {
  to[place()] = from[place() + shift]; // before narrow_block load global uncoalesced-load
}
template <class T> __global__ void wide(const T* from, T* to, int shift) {
  to[place()] = from[place() + shift]; // after narrow_block load global
}

// --- rows that are as short as a structure, read in a loop ------------------------------------------------------------
template <class T, int row> __global__ void by_rows(const T* table, T* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
#pragma unroll 1
  for (int k = 0; k < row; ++k)
    sum += table[i * row + k]; // before turned_table load global
  out[i] = sum;
}
template <class T, int row> __global__ void turned(const T* table, T* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
#pragma unroll 1
  for (int k = 0; k < row; ++k)
    sum += table[k * count + i]; // after turned_table load global
  out[i] = sum;
}

// --- rows of halves for tensor cores ----------------------------------------------------------------------------------
template <int pitch> __device__ unsigned address_in(__half* tile) {
  const int lane = threadIdx.x;
  return static_cast<unsigned>(__cvta_generic_to_shared(tile + lane % 16 * pitch + lane / 16 * 8));
}
__global__ void matrices(unsigned* out) {
  __shared__ __align__(128) __half tile[16 * 64];
  tile[threadIdx.x] = 1;
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<64>(tile))); // before rows64 ldmatrix shared
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
__global__ void matrices_padded(unsigned* out) {
  __shared__ __align__(128) __half tile[16 * 72];
  tile[threadIdx.x] = 1;
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<72>(tile))); // after rows64 ldmatrix shared
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

// Members of one structure, read once each in one statement: no rows, and no loop.
struct Point {
  float x, y, z;
};
__global__ void lengths(const Point* points, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z;
}
// Too little of a GPU.
__global__ void lonely(float* a) { a[0] += 1; }
// Two bytes for each lane.
__global__ void halves_only(const __half* a, __half* b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
// The same kernel from another start.
__global__ void start_of(const float* a, float* b, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i + from];
}

// A parameter that is passed by value and copied to local memory.
struct Numbers {
  int d[256];
};
__global__ void modify(int n, Numbers numbers, int* out) {
  int* p = n > 3 ? numbers.d : out;
  for (int i = 0; i < n; ++i) p[(i * 5 + threadIdx.x) & 255] += i;
  out[threadIdx.x] = p[threadIdx.x];
}
// Loads and stores of one row for each thread: one cause, with one gain.
__global__ void norm(const float* x, float* o) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 96; ++j) sum += x[row * 96 + j];
#pragma unroll 1
  for (int j = 0; j < 96; ++j) o[row * 96 + j] = x[row * 96 + j] - sum;
}
// The second statement loads both again, as the store before it may have changed them.
__global__ void combine(float* a, float* b, const float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 2 * x[i];
  b[i] = 3 * x[i];
}
// Four words of a vector, one after the other.
__global__ void four_stores(float* out) {
  __shared__ float s[128 * 4];
  for (int k = 0; k < 4; ++k) s[threadIdx.x * 4 + k] = out[k];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 128] + s[threadIdx.x + 256] + s[threadIdx.x + 384];
}

// Lanes skip every other row; the sum behind it shows how long a row is.
template <int Row> __device__ float column(const float (*rows)[Row]) { return rows[threadIdx.x][0]; }
__global__ void skipped_rows(float* out) {
  __shared__ float t[64][32];
  t[2 * threadIdx.x][threadIdx.y] = 1; // before skipped store shared
  __syncthreads();
  out[threadIdx.x] = column(t);
}
__global__ void skipped_rows_padded(float* out) {
  __shared__ float t[64][33];
  t[2 * threadIdx.x][threadIdx.y] = 1; // after skipped store shared
  __syncthreads();
  out[threadIdx.x] = column(t);
}
// A parameter that is indexed by lane is read as constant memory is.
template <class T, int N> struct Table {
  T of[N];
};
template <class T, int N> __global__ void parameters(const __grid_constant__ Table<T, N> k, T* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = k.of[threadIdx.x * 5 % N]; // before parameter_table load constant
}
template <class T, int N> __global__ void not_parameters(const T* k, T* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = k[threadIdx.x * 5 % N]; // after parameter_table load global
}
// Each lane has a word of its own, and all warps have the same 32.
__global__ void of_all_warps(int* sums) { atomicAdd(&sums[threadIdx.x % 32], 1); }
__global__ void of_halves(__half2* sums) { atomicAdd(&sums[threadIdx.x % 16], __half2{}); }

template <class T> T* array(size_t elements) {
  T* out;
  cudaMalloc(&out, elements * sizeof(T));
  cudaMemset(out, 0, elements * sizeof(T));
  return out;
}

template <class T> void in_blocks(int block, int shift) {
  T *from = array<T>(width * height + 8), *to = array<T>(width * height);
  narrow<<<dim3(width / block, height / block), dim3(block, block)>>>(from, to, shift);
  wide<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(from, to, shift);
}
template <class T, int row> void in_rows() {
  T *table = array<T>(count * row), *out = array<T>(count);
  by_rows<T, row><<<count / 128, 128>>>(table, out);
  turned<T, row><<<count / 128, 128>>>(table, out);
}

template <class T, int N> void as_parameters() {
  parameters<T, N><<<count / 128, 128>>>(Table<T, N>{}, array<T>(count));
  not_parameters<T, N><<<count / 128, 128>>>(array<T>(N), array<T>(count));
}

int main() {
  skipped_rows<<<1, dim3(32, 4)>>>(array<float>(32));
  skipped_rows_padded<<<1, dim3(32, 4)>>>(array<float>(32));
  as_parameters<float, 32>();
  as_parameters<float, 100>();
  as_parameters<double, 16>();
  as_parameters<unsigned char, 256>();
  of_all_warps<<<256, 256>>>(array<int>(32));
  of_halves<<<256, 256>>>(array<__half2>(16));
  in_blocks<unsigned char>(16, 0);
  in_blocks<unsigned short>(8, 0);
  in_blocks<float>(8, 1);
  in_rows<int, 6>();
  in_rows<double, 8>();
  in_rows<short, 10>();
  unsigned* words = array<unsigned>(32);
  matrices<<<1, 32>>>(words);
  matrices_padded<<<1, 32>>>(words);
  float *a = array<float>(count + 8), *b = array<float>(count);
  lengths<<<count / 128, 128>>>(array<Point>(count), b);
  lonely<<<1, 1>>>(a);
  halves_only<<<count / 128, 128>>>(array<__half>(count), array<__half>(count));
  start_of<<<count / 128, 128>>>(a, b, 0);
  start_of<<<count / 128, 128>>>(a, b, 1);
  modify<<<1, 64>>>(5, Numbers{}, array<int>(256));
  norm<<<count / 128, 128>>>(array<float>(count * 96), array<float>(count * 96));
  combine<<<count / 128, 128>>>(a, b, array<float>(count));
  four_stores<<<1, 128>>>(b);
  printf("%d\n", cudaDeviceSynchronize());
}
