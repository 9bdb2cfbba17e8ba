// Threads that read the same words again: before, and with the value in a register. Neighbourhoods that a loop goes over, which cannot all
// begin at a segment's start. Tables of the compiler's own library.
#include <cstdio>

constexpr int times = 20;

__global__ void sums(float* c, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] = a[i] + r; // before sums load global missing-restrict
}
__global__ void sums_kept(float* c, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; // after sums load global
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] = x + r;
}

__global__ void shorts(short* c, short* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] = (short)(a[i] + r); // before shorts load global missing-restrict
}
__global__ void shorts_kept(short* c, short* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  short x = a[i]; // after shorts load global
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] = (short)(x + r);
}

__global__ void rows(double* c, double* a, int n) { // four warps that share nothing
  int i = threadIdx.y * 32 + threadIdx.x + blockIdx.x * 128;
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] += a[i]; // before rows load global missing-restrict
}
__global__ void rows_kept(double* c, double* a, int n) {
  int i = threadIdx.y * 32 + threadIdx.x + blockIdx.x * 128;
  double x = a[i], y = c[i]; // after rows load global
#pragma unroll 1
  for (int r = 0; r < n; ++r) c[i] = y += x;
}

__global__ void totals(float* t, float* a, int n) { // a row of results for each thread, each summed up in memory
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 4; ++j) {
    t[i * 16 + j] = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) t[i * 16 + j] += a[k * 128 + threadIdx.x]; // before totals store global uncoalesced-store
  }
}
__global__ void totals_kept(float* t, float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 4; ++j) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k) sum += a[k * 128 + threadIdx.x];
    t[i * 16 + j] = sum; // after totals store global
  }
}

__global__ void ring(float* a, int n) { // what a thread reads again, another warp has written
#pragma unroll 1
  for (int r = 0; r < n; ++r) {
    float x = a[(threadIdx.x + 32) % 128];
    __syncthreads();
    a[threadIdx.x] = x;
    __syncthreads();
  }
}

// Every warp of the block reads the same words, another one each time: a tile, not a register, though they are as many as the block's own.
__global__ void same_of_all(float* c, const float* b, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += b[k * 32 + threadIdx.x];
  c[threadIdx.y * 32 + threadIdx.x] = sum;
}

__global__ void neighbours(float* out, const float* in, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + radius;
  float sum = 0;
#pragma unroll 1
  for (int k = -radius; k <= radius; ++k) sum += in[i + k];
  out[i - radius] = sum;
}

__global__ void angles(float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = sinf(a[i] * 1e8f);
}

int main() {
  float *a, *c;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&c, 1 << 20);
  cudaMemset(a, 0x3f, 1 << 20);
  sums<<<64, 128>>>(c, a, times);
  sums_kept<<<64, 128>>>(c, a, times);
  shorts<<<64, 128>>>((short*)c, (short*)a, times);
  shorts_kept<<<64, 128>>>((short*)c, (short*)a, times);
  rows<<<64, dim3(32, 4)>>>((double*)c, (double*)a, times);
  rows_kept<<<64, dim3(32, 4)>>>((double*)c, (double*)a, times);
  totals<<<64, 128>>>(c, a, times);
  totals_kept<<<64, 128>>>(c, a, times);
  ring<<<1, 128>>>(a, times);
  same_of_all<<<1, dim3(32, 32)>>>(c, a, 32);
  neighbours<<<64, 128>>>(c, a, 4);
  angles<<<64, 128>>>(a);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
