// What the advice proposes for kernels that others published, made by hand: shared, constant and local memory, atomics, and lanes
// that do not take part. See advice.cu and advice_public.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int blocks = 8, threads = 256, n = blocks * threads;

// --- HeCBench's scan: a tree whose steps double; and with a word in 33 left free ------------------------------------------
__global__ void scan(int* out) {
  __shared__ int s[2 * threads];
  int t = threadIdx.x;
  s[t] = s[t + threads] = t;
#pragma unroll 1
  for (int offset = 1, d = threads; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) {
      int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
      s[j] += s[i]; // before scan store shared
    }
  }
  out[blockIdx.x * threads + t] = s[2 * t + 1];
}
__device__ int skewed(int i) { return i + i / 32; }
__global__ void scan_skewed(int* out) {
  __shared__ int s[2 * threads + 16];
  int t = threadIdx.x;
  s[skewed(t)] = s[skewed(t + threads)] = t;
#pragma unroll 1
  for (int offset = 1, d = threads; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) {
      int i = skewed(offset * (2 * t + 1) - 1), j = skewed(offset * (2 * t + 2) - 1);
      s[j] += s[i]; // after scan store shared
    }
  }
  out[blockIdx.x * threads + t] = s[skewed(2 * t + 1)];
}
// Rodinia's lud, lud_perimeter: half a warp walks down the columns of one tile.
__global__ void perimeter(float* out) {
  __shared__ float dia[16][16], column[16][16];
  for (int i = 0; i < 16; ++i) dia[i][threadIdx.x] = i, column[i][threadIdx.x] = i;
  __syncwarp();
#pragma unroll 1
  for (int i = 1; i < 16; ++i)
#pragma unroll 1
    for (int j = 0; j < i; ++j)
      column[threadIdx.x][i] -= column[threadIdx.x][j] * dia[j][i]; // before perimeter store shared
  out[threadIdx.x] = column[threadIdx.x][15];
}
__global__ void perimeter_padded(float* out) {
  __shared__ float dia[16][16], column[16][17];
  for (int i = 0; i < 16; ++i) dia[i][threadIdx.x] = i, column[i][threadIdx.x] = i;
  __syncwarp();
#pragma unroll 1
  for (int i = 1; i < 16; ++i)
#pragma unroll 1
    for (int j = 0; j < i; ++j)
      column[threadIdx.x][i] -= column[threadIdx.x][j] * dia[j][i]; // after perimeter store shared
  out[threadIdx.x] = column[threadIdx.x][15];
}

// --- tables in constant memory: HeCBench's aes (bytes of the state choose), cuda-samples' dct8x8 (lanes do) -----------------
__constant__ unsigned char box[256];
__constant__ float quantiser[64];
__global__ void aes(const unsigned char* in, unsigned char* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char x = in[i];
  out[i] = box[x]; // before aes load constant
}
__global__ void aes_global(const unsigned char* in, const unsigned char* __restrict__ table, unsigned char* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  out[i] = table[x]; // after aes load global
}
__global__ void quantise(float* out) {
  int i = blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x;
  out[i] = quantiser[threadIdx.y * 8 + threadIdx.x]; // before quantise load constant
}
__global__ void quantise_global(const float* __restrict__ table, float* out) {
  int i = blockIdx.x * 64 + threadIdx.y * 8 + threadIdx.x;
  out[i] = table[threadIdx.y * 8 + threadIdx.x]; // after quantise load global
}

// --- arrays of each thread: cuda-samples' MersenneTwister (a state of 19 words), HeCBench's knn (the nearest so far) ---------
__global__ void twister(unsigned* out) {
  unsigned state[19];
#pragma unroll 1
  for (int i = 0; i < 19; ++i) state[i] = i + threadIdx.x;
  int at = 0;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < 40; ++i) {
    int next = at + 1 == 19 ? 0 : at + 1;
    unsigned x = state[next]; // before twister load local
    state[at] = x ^ (x >> 12);
    sum += x, at = next;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void twister_shared(unsigned* out) {
  __shared__ unsigned state[19][threads];
#pragma unroll 1
  for (int i = 0; i < 19; ++i) state[i][threadIdx.x] = i + threadIdx.x;
  int at = 0;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < 40; ++i) {
    int next = at + 1 == 19 ? 0 : at + 1;
    unsigned x = state[next][threadIdx.x]; // after twister load shared
    state[at][threadIdx.x] = x ^ (x >> 12);
    sum += x, at = next;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void nearest(const float* far, float* out, int k) {
  float best[8], sum = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) best[i] = far[i] * threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 8; ++i)
    sum = sum * 2 + best[(i + k) & 7]; // before nearest load local
  out[threadIdx.x] = sum;
}
__global__ void nearest_shared(const float* far, float* out, int k) {
  __shared__ float best[8][threads];
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) best[i][threadIdx.x] = far[i] * threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 8; ++i)
    sum = sum * 2 + best[(i + k) & 7][threadIdx.x]; // after nearest load shared
  out[threadIdx.x] = sum;
}

// --- one address: HeCBench's filter (who passes takes the next place), a dot product, llm.c's global_norm ---------------------------------------
__global__ void filter(const int* in, int* count, int* out) {
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x % 2 == 0) {
    int at = atomicAdd(count, 1); // before filter atomic/reduction global
    out[at] = x;
  }
}
__global__ void filter_by_warp(const int* in, int* count, int* out) {
  int x = in[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x % 32, first = 0;
  unsigned pass = __ballot_sync(~0u, x % 2 == 0);
  int leader = __ffs(pass) - 1;
  if (lane == leader) first = atomicAdd(count, __popc(pass)); // after filter atomic/reduction global
  first = __shfl_sync(~0u, first, leader & 31);
  if (x % 2 == 0) out[first + __popc(pass & ((1u << lane) - 1))] = x;
}
__global__ void dot(const float* a, const float* b, float* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, a[i] * b[i]); // before dot atomic/reduction global
}
__global__ void dot_by_warp(const float* a, const float* b, float* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i] * b[i];
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, x); // after dot atomic/reduction global
}

// The same with more blocks: each warp has one update, and so have those beside it.
__global__ void norm(float* sum) {
  float x = 0.5f * threadIdx.x;
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, x); // before norm atomic/reduction global
}
__global__ void norm_by_block(float* sum) {
  __shared__ float part[threads / 32];
  float x = 0.5f * threadIdx.x;
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < threads / 32; ++i) x += part[i];
  atomicAdd(sum, x); // after norm atomic/reduction global
}

// --- some lanes of one address: a sparse matrix as (row, column, value), in the order of its rows ------------------------------
__global__ void triplets(const int* row, const float* value, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&y[row[i]], value[i]); // before triplets atomic/reduction global
}
__device__ bool sum_of_row(int row, float& x) { // the first lane of each row gets its sum
  for (int d = 1; d < 32; d *= 2) {
    float more = __shfl_down_sync(~0u, x, d);
    int other = __shfl_down_sync(~0u, row, d);
    if (int(threadIdx.x % 32) + d < 32 && other == row) x += more;
  }
  int before = __shfl_up_sync(~0u, row, 1);
  return threadIdx.x % 32 == 0 || before != row;
}
__global__ void triplets_by_row(const int* row, const float* value, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, mine = row[i];
  float x = value[i];
  if (sum_of_row(mine, x)) atomicAdd(&y[mine], x); // after triplets atomic/reduction global
}

// --- few lanes: Rodinia's backprop (every second row of a tile adds the next), HeCBench's bitonic-sort (the lower of a pair) -----
__global__ void layer_forward(float* out) {
  __shared__ float s[16][16];
  s[threadIdx.y][threadIdx.x] = threadIdx.x;
#pragma unroll 1
  for (int d = 2; d <= 16; d *= 2) {
    __syncthreads();
    if (threadIdx.y % d == 0)
      s[threadIdx.y][threadIdx.x] += s[threadIdx.y + d / 2][threadIdx.x]; // before layer store shared divergent-access
  }
  if (threadIdx.y == 0) out[blockIdx.x * 16 + threadIdx.x] = s[0][threadIdx.x];
}
__global__ void layer_forward_packed(float* out) {
  __shared__ float s[16][16];
  s[threadIdx.y][threadIdx.x] = threadIdx.x;
#pragma unroll 1
  for (int d = 2; d <= 16; d *= 2) {
    __syncthreads();
    int y = threadIdx.y * d;
    if (y < 16)
      s[y][threadIdx.x] += s[y + d / 2][threadIdx.x]; // after layer store shared
  }
  if (threadIdx.y == 0) out[blockIdx.x * 16 + threadIdx.x] = s[0][threadIdx.x];
}
__global__ void bitonic(const int* in, int* out, int j) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    int x = in[i]; // before bitonic load global divergent-access
    out[other] = x;
  }
}
__global__ void bitonic_packed(const int* in, int* out, int j) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (j - 1));
  int x = in[i]; // after bitonic load global
  out[i ^ j] = x;
}

// --- addresses that data choose: the integer sort of NAS (HeCBench's is), and a histogram of weights in shared memory --------------
constexpr int bins = 64;
__global__ void count_keys(const int* key, unsigned* count) {
#pragma unroll 1
  for (int i = 0; i < blocks; ++i)
    atomicAdd(&count[key[i * blockDim.x + threadIdx.x]], 1u); // before is atomic/reduction global
}
__global__ void count_keys_by_block(const int* key, unsigned* count) {
  __shared__ unsigned mine[bins];
  if (threadIdx.x < bins) mine[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < blocks; ++i) atomicAdd(&mine[key[i * blockDim.x + threadIdx.x]], 1u);
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&count[threadIdx.x], mine[threadIdx.x]); // after is atomic/reduction global
}
constexpr int weights = 256; // so many that lanes of a warp seldom want the same
__global__ void weigh(const unsigned char* key, int* out) {
  __shared__ int table[weights];
  table[threadIdx.x] = 0;
  __syncthreads();
  int k = key[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&table[k], int(threadIdx.x)); // before weigh atomic/reduction shared
  __syncthreads();
  out[threadIdx.x] = table[threadIdx.x];
}
__global__ void weigh_in_copies(const unsigned char* key, int* out) {
  __shared__ int table[weights * 32];
  for (int i = threadIdx.x; i < weights * 32; i += blockDim.x) table[i] = 0;
  __syncthreads();
  int k = key[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&table[k * 32 + threadIdx.x % 32], int(threadIdx.x)); // after weigh atomic/reduction shared
  __syncthreads();
  out[threadIdx.x] = table[threadIdx.x * 32];
}

#ifndef KERNELS_ALONE // tests/hardware/variants_public.cu launches them with more blocks
template <class T> T* device(const std::vector<T>& host) {
  T* out;
  cudaMalloc(&out, host.size() * sizeof(T));
  cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

int main() {
  std::vector<int> key(n), row(n);
  std::vector<unsigned char> bytes(n);
  unsigned state = 7;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < n; ++i)
    key[i] = i % threads < bins ? i % bins : next(bins), row[i] = i == 0 ? 0 : row[i - 1] + (next(4) == 0),
    bytes[i] = next(256);
  for (int i = 0; i < n; ++i) std::swap(key[i], key[i / threads * threads + next(threads)]);
  int *keys = device(key), *rows = device(row);
  unsigned char* in = device(bytes);
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(a, 0, 1 << 20);
  cudaMemset(b, 0, 1 << 20);
  auto *out = reinterpret_cast<int*>(b);
  auto *counts = reinterpret_cast<unsigned*>(b);
  auto *bytes_out = reinterpret_cast<unsigned char*>(b);
  scan<<<blocks, threads>>>(out);
  scan_skewed<<<blocks, threads>>>(out);
  perimeter<<<blocks, 16>>>(b);
  perimeter_padded<<<blocks, 16>>>(b);
  aes<<<blocks, threads>>>(in, bytes_out);
  aes_global<<<blocks, threads>>>(in, in, bytes_out);
  quantise<<<blocks, dim3(8, 8)>>>(b);
  quantise_global<<<blocks, dim3(8, 8)>>>(a, b);
  twister<<<blocks, threads>>>(counts);
  twister_shared<<<blocks, threads>>>(counts);
  nearest<<<blocks, threads>>>(a, b, 3);
  nearest_shared<<<blocks, threads>>>(a, b, 3);
  filter<<<blocks, threads>>>(keys, out, out + 64);
  cudaMemset(b, 0, 1 << 20);
  filter_by_warp<<<blocks, threads>>>(keys, out, out + 64);
  dot<<<blocks, threads>>>(a, a, b);
  dot_by_warp<<<blocks, threads>>>(a, a, b);
  norm<<<1024, threads>>>(b);
  norm_by_block<<<1024, threads>>>(b);
  triplets<<<blocks, threads>>>(rows, a, b);
  triplets_by_row<<<blocks, threads>>>(rows, a, b);
  layer_forward<<<blocks, dim3(16, 16)>>>(b);
  layer_forward_packed<<<blocks, dim3(16, 16)>>>(b);
  bitonic<<<blocks, threads>>>(keys, out, 4);
  bitonic_packed<<<blocks / 2, threads>>>(keys, out, 4);
  count_keys<<<blocks, threads>>>(keys, counts);
  count_keys_by_block<<<blocks, threads>>>(keys, counts);
  weigh<<<blocks, threads>>>(in, out);
  weigh_in_copies<<<blocks, threads>>>(in, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
