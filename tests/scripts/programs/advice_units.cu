// Changes that the advice proposes for atomics, shared, constant and local memory, and for how many lanes and bytes an
// instruction has, made by hand: see advice.cu.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int blocks = 8, threads = 256;

template <class T> __device__ T warp_sum(T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  return x;
}

// --- atomics on one address ------------------------------------------------------------------------------------------
__global__ void all_add_double(double* sum) {
  double x = threadIdx.x;
  atomicAdd(sum, x); // before sum_double atomic/reduction global
}
__global__ void one_adds_double(double* sum) {
  double x = warp_sum(double(threadIdx.x));
  if (threadIdx.x % 32 == 0) atomicAdd(sum, x); // after sum_double atomic/reduction global
}
__global__ void all_raise(int* most) {
  atomicMax(most, int(threadIdx.x * 7 % 64)); // nothing to do: the assembler makes the same of it
}
__global__ void one_raises(int* most) {
  int x = threadIdx.x * 7 % 64;
  for (int d = 16; d > 0; d /= 2) x = max(x, __shfl_down_sync(~0u, x, d));
  if (threadIdx.x % 32 == 0) atomicMax(most, x);
}
__global__ void all_take(int* next, int* out) {
  int ticket = atomicAdd(next, 1); // before tickets atomic/reduction global
  out[blockIdx.x * blockDim.x + threadIdx.x] = ticket;
}
__global__ void one_takes(int* next, int* out) {
  int first = 0;
  if (threadIdx.x % 32 == 0) first = atomicAdd(next, 32); // after tickets atomic/reduction global
  out[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_sync(~0u, first, 0) + threadIdx.x % 32;
}
__global__ void all_add_shared(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, float(threadIdx.x)); // before sum_shared atomic/reduction shared
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void one_adds_shared(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float x = warp_sum(float(threadIdx.x));
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, x); // after sum_shared atomic/reduction shared
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// --- atomics of which some lanes meet: the lanes of an address are neighbours here, so that shuffles find them -------
template <class T> __device__ T sum_of_four(T x) {
  for (int d = 2; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d, 4);
  return x;
}
__global__ void four_add(float* sums) {
  atomicAdd(&sums[threadIdx.x / 4], float(threadIdx.x)); // before four atomic/reduction global
}
__global__ void one_of_four_adds(float* sums) {
  float x = sum_of_four(float(threadIdx.x));
  if (threadIdx.x % 4 == 0) atomicAdd(&sums[threadIdx.x / 4], x); // after four atomic/reduction global
}
__global__ void four_add_double(double* sums) {
  atomicAdd(&sums[threadIdx.x / 4], double(threadIdx.x)); // before four_double atomic/reduction global
}
__global__ void one_of_four_adds_double(double* sums) {
  double x = sum_of_four(double(threadIdx.x));
  if (threadIdx.x % 4 == 0) atomicAdd(&sums[threadIdx.x / 4], x); // after four_double atomic/reduction global
}
__global__ void four_raise_shared(int* out) {
  __shared__ int most[threads / 4];
  most[threadIdx.x / 4] = 0;
  __syncthreads();
  atomicMax(&most[threadIdx.x / 4], int(threadIdx.x)); // before four_shared atomic/reduction shared
  __syncthreads();
  out[threadIdx.x] = most[threadIdx.x / 4];
}
__global__ void one_of_four_raises_shared(int* out) {
  __shared__ int most[threads / 4];
  most[threadIdx.x / 4] = 0;
  __syncthreads();
  if (threadIdx.x % 4 == 3) atomicMax(&most[threadIdx.x / 4], int(threadIdx.x)); // after four_shared atomic/reduction shared
  __syncthreads();
  out[threadIdx.x] = most[threadIdx.x / 4];
}

// --- constant memory -------------------------------------------------------------------------------------------------
__constant__ float floats[1024];
__constant__ double doubles[512];
__global__ void constant_steps(float* out) {
  out[threadIdx.x] = floats[threadIdx.x * 7 & 1023]; // before steps load constant
}
__global__ void global_steps(const float* a, float* out) {
  out[threadIdx.x] = a[threadIdx.x * 7 & 1023]; // after steps load global
}
__global__ void constant_rows(float* out) {
  out[threadIdx.y * 16 + threadIdx.x] = floats[threadIdx.y * 64]; // before rows load constant
}
__global__ void global_rows(const float* a, float* out) {
  out[threadIdx.y * 16 + threadIdx.x] = a[threadIdx.y * 64]; // after rows load global
}
__global__ void constant_doubles(double* out) {
  out[threadIdx.x] = doubles[threadIdx.x / 3]; // before thirds load constant
}
__global__ void global_doubles(const double* a, double* out) {
  out[threadIdx.x] = a[threadIdx.x / 3]; // after thirds load global
}

// --- local arrays ----------------------------------------------------------------------------------------------------
__global__ void own_index(const int* a, int* out) {
  int own[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) own[k] = a[k];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += own[(threadIdx.x + k) % 16]; // before own load local
  out[threadIdx.x] = sum;
}
__global__ void one_index(const int* a, int* out) {
  int own[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) own[k] = a[k];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += own[k + (a[0] >> 31)]; // after own load local
  out[threadIdx.x] = sum;
}
__global__ void own_doubles(const double* a, double* out) {
  double own[8];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) own[k] = a[k];
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    sum += own[(threadIdx.x * 3 + k) % 8]; // before own_doubles load local
  out[threadIdx.x] = sum;
}
__global__ void one_doubles(const double* a, double* out) {
  double own[8];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) own[k] = a[k];
  double sum = 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    sum += own[k]; // after own_doubles load local
  out[threadIdx.x] = sum;
}
__global__ void local_row(const int* a, int* out) {
  int own[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) own[k] = a[k];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += own[a[k] & 15]; // before keep load local
  out[threadIdx.x] = sum;
}
__global__ void shared_row(const int* a, int* out) {
  __shared__ int own[16][threads];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) own[k][threadIdx.x] = a[k];
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += own[a[k] & 15][threadIdx.x]; // after keep load shared
  out[threadIdx.x] = sum;
}

// --- few bytes for each lane -----------------------------------------------------------------------------------------
__global__ void by_bytes(const unsigned char* a, unsigned char* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char x = a[i]; // before bytes load global narrow-access
  out[i] = x;
}
__global__ void by_16_bytes(const uint4* a, uint4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 x = a[i]; // after bytes load global
  out[i] = x;
}
__global__ void by_floats(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; // before floats load global narrow-access
  out[i] = x;
}
__global__ void by_4_floats(const float4* a, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = a[i]; // after floats load global
  out[i] = x;
}
__global__ void store_doubles(double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i; // before doubles store global narrow-access
}
__global__ void store_2_doubles(double2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = {double(i), double(i)}; // after doubles store global
}

// --- few lanes of each warp ------------------------------------------------------------------------------------------
__global__ void each_fourth(float* out) {
  int t = threadIdx.x;
  if (t % 4 == 0)
    out[blockIdx.x * 64 + t / 4] = t; // before fourth store global divergent-access
}
__global__ void first_fourth(float* out) {
  int t = threadIdx.x;
  if (t < 64)
    out[blockIdx.x * 64 + t] = 4 * t; // after fourth store global
}
__global__ void each_eighth(const float* a, float* out) {
  int t = threadIdx.x;
  if (t % 8 < 2) {
    float x = a[t]; // before eighth load global divergent-access
    out[t] = x;
  }
}
__global__ void first_eighth(const float* a, float* out) {
  int t = threadIdx.x;
  if (t < 64) {
    float x = a[t / 2 * 8 + t % 2]; // after eighth load global
    out[t] = x;
  }
}
__global__ void modulo_reduction(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = 4; d < 32; d *= 2) {
    __syncthreads();
    if (t % d == 0)
      s[t] += 1; // before modulo store shared divergent-access
  }
  out[t] = s[t];
}
__global__ void packed_reduction(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = 4; d < 32; d *= 2) {
    __syncthreads();
    if (t < threads / d)
      s[t] += 1; // after modulo store shared
  }
  out[t] = s[t];
}

// As the first of the reductions that NVIDIA's samples have, and the second.
__global__ void by_remainder(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = 1; d < threads; d *= 2) {
    __syncthreads();
    if (t % (2 * d) == 0)
      s[t] += s[t + d]; // before remainder store shared divergent-access
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void by_number(float* out) {
  __shared__ float s[threads];
  int t = threadIdx.x;
  s[t] = t;
#pragma unroll 1
  for (int d = 1; d < threads; d *= 2) {
    __syncthreads();
    int j = 2 * d * t;
    if (j < threads)
      s[j] += s[j + d]; // after remainder store shared
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

#ifndef KERNELS_ALONE // tests/hardware/variants_public.cu launches some with more blocks
int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  cudaMemset(b, 0, 1 << 20);
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *ints = reinterpret_cast<int*>(a), *ints_out = reinterpret_cast<int*>(b);
  all_add_double<<<blocks, threads>>>(wide_out);
  one_adds_double<<<blocks, threads>>>(wide_out);
  all_raise<<<blocks, threads>>>(ints_out);
  one_raises<<<blocks, threads>>>(ints_out);
  all_take<<<blocks, threads>>>(ints_out, ints_out + 64);
  one_takes<<<blocks, threads>>>(ints_out, ints_out + 64);
  all_add_shared<<<blocks, threads>>>(b);
  one_adds_shared<<<blocks, threads>>>(b);
  four_add<<<blocks, threads>>>(b);
  one_of_four_adds<<<blocks, threads>>>(b);
  four_add_double<<<blocks, threads>>>(wide_out);
  one_of_four_adds_double<<<blocks, threads>>>(wide_out);
  four_raise_shared<<<blocks, threads>>>(ints_out);
  one_of_four_raises_shared<<<blocks, threads>>>(ints_out);
  constant_steps<<<blocks, threads>>>(b);
  global_steps<<<blocks, threads>>>(a, b);
  constant_rows<<<blocks, dim3(16, 16)>>>(b);
  global_rows<<<blocks, dim3(16, 16)>>>(a, b);
  constant_doubles<<<blocks, threads>>>(wide_out);
  global_doubles<<<blocks, threads>>>(wide, wide_out);
  own_index<<<blocks, threads>>>(ints, ints_out);
  one_index<<<blocks, threads>>>(ints, ints_out);
  own_doubles<<<blocks, threads>>>(wide, wide_out);
  one_doubles<<<blocks, threads>>>(wide, wide_out);
  local_row<<<blocks, threads>>>(ints, ints_out);
  shared_row<<<blocks, threads>>>(ints, ints_out);
  by_bytes<<<blocks, threads>>>(reinterpret_cast<unsigned char*>(a), reinterpret_cast<unsigned char*>(b));
  by_16_bytes<<<1, blocks * threads / 16>>>(reinterpret_cast<uint4*>(a), reinterpret_cast<uint4*>(b));
  by_floats<<<blocks, threads>>>(a, b);
  by_4_floats<<<blocks, threads / 4>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b));
  store_doubles<<<blocks, threads>>>(wide_out);
  store_2_doubles<<<blocks, threads / 2>>>(reinterpret_cast<double2*>(b));
  each_fourth<<<blocks, threads>>>(b);
  first_fourth<<<blocks, threads>>>(b);
  each_eighth<<<blocks, threads>>>(a, b);
  first_eighth<<<blocks, threads>>>(a, b);
  modulo_reduction<<<blocks, threads>>>(b);
  packed_reduction<<<blocks, threads>>>(b);
  by_remainder<<<blocks, threads>>>(b);
  by_number<<<blocks, threads>>>(b);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
