// Changes in the shape that a block has, made by hand: indices exchanged and parts of a structure set apart where a warp covers
// two rows of threads, a matrix that is turned through a tile, and chunks of a row exchanged for tensor cores. See advice.cu.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int width = 320, height = 64, count = width * height;

// --- x is the row, in a block of 16x16 threads ------------------------------------------------------------------------
template <class T> __global__ void exchanged(const T* from, T* to) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  to[row * width + column] = from[row * width + column]; // before exchanged load global
}
template <class T> __global__ void in_order(const T* from, T* to) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  to[row * width + column] = from[row * width + column]; // after exchanged load global
}

// --- three colours of a pixel, likewise -------------------------------------------------------------------------------
template <class T> __global__ void pixels(const T* from, T* to) {
  const int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  T sum = from[3 * i]; // before colours load global uncoalesced-load
  sum += from[3 * i + 1];
  sum += from[3 * i + 2];
  to[i] = sum;
}
template <class T> __global__ void planes(const T* from, T* to) {
  const int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
  T sum = from[i]; // after colours load global
  sum += from[count + i];
  sum += from[2 * count + i];
  to[i] = sum;
}

// --- a transpose ------------------------------------------------------------------------------------------------------
__global__ void turn(const float* from, float* to) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    to[x * height + y + j] = from[(y + j) * width + x]; // before turned store global
}
__global__ void turn_tile(const float* from, float* to) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    to[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j]; // after turned store global
}

// --- rows of 64 bytes for tensor cores, which are copied past the L1 --------------------------------------------------
__device__ unsigned in_shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }
template <bool exchange> __device__ int place_of(int row, int chunk) {
  return row * 32 + (exchange ? chunk ^ (row / 2 % 4) : chunk) * 8;
}
template <bool exchange> __device__ void fill(__half* tile, const __half* from) {
  for (int i = threadIdx.x; i < 64; i += 32)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(in_shared(tile + place_of<exchange>(i / 4, i % 4))),
                 "l"(from + i / 4 * 256 + i % 4 * 8));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
}
template <bool exchange> __device__ unsigned address_in(__half* tile) {
  return in_shared(tile + place_of<exchange>(threadIdx.x % 16, threadIdx.x / 16));
}
__global__ void matrices(const __half* from, unsigned* to) {
  __shared__ __align__(128) __half tile[16 * 32];
  fill<false>(tile, from);
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<false>(tile))); // before chunks ldmatrix shared
  to[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}
__global__ void matrices_exchanged(const __half* from, unsigned* to) {
  __shared__ __align__(128) __half tile[16 * 32];
  fill<true>(tile, from);
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address_in<true>(tile))); // after chunks ldmatrix shared
  to[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
}

int main() {
  void *from, *to;
  cudaMalloc(&from, 3 * count * sizeof(float));
  cudaMalloc(&to, 3 * count * sizeof(float));
  cudaMemset(from, 0, 3 * count * sizeof(float));
  const dim3 square(16, 16), blocks(width / 16, height / 16), turned(height / 16, width / 16);
  exchanged<<<turned, square>>>(static_cast<const unsigned char*>(from), static_cast<unsigned char*>(to));
  exchanged<<<turned, square>>>(static_cast<const float*>(from), static_cast<float*>(to));
  in_order<<<blocks, square>>>(static_cast<const unsigned char*>(from), static_cast<unsigned char*>(to));
  in_order<<<blocks, square>>>(static_cast<const float*>(from), static_cast<float*>(to));
  pixels<<<blocks, square>>>(static_cast<const unsigned char*>(from), static_cast<unsigned char*>(to));
  pixels<<<blocks, square>>>(static_cast<const float*>(from), static_cast<float*>(to));
  planes<<<blocks, square>>>(static_cast<const unsigned char*>(from), static_cast<unsigned char*>(to));
  planes<<<blocks, square>>>(static_cast<const float*>(from), static_cast<float*>(to));
  const dim3 tile(32, 8), tiles(width / 32, height / 32);
  turn<<<tiles, tile>>>(static_cast<const float*>(from), static_cast<float*>(to));
  turn_tile<<<tiles, tile>>>(static_cast<const float*>(from), static_cast<float*>(to));
  matrices<<<1, 32>>>(static_cast<const __half*>(from), static_cast<unsigned*>(to));
  matrices_exchanged<<<1, 32>>>(static_cast<const __half*>(from), static_cast<unsigned*>(to));
  return cudaDeviceSynchronize() != cudaSuccess;
}
