// Changes that follow from what lies around an access: other kernels that use the array, other loads of the loop, what a thread moves in
// pieces, and what it moves again in each round. See advice.cu.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

constexpr int blocks = 8, threads = 128, n = blocks * threads, times = 20, width = 64;

// --- a state of each thread, moved again in each round: before, and kept in a local variable -----------------------------
struct State {
  unsigned x, y, z, counter;
  double spare;
};
__global__ void draw(State* state, unsigned* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    state[i].x ^= out[i] + state[i].y; // before draw store global uncoalesced-store
    out[i] = state[i].x;
  }
}
__global__ void draw_kept(State* state, unsigned* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  State own = state[i];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    own.x ^= out[i] + own.y;
    out[i] = own.x;
  }
  state[i].x = own.x; // after draw store global
}
struct Particle {
  double at, speed, mass;
};
__global__ void push(Particle* particle, double* force, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    particle[i].speed += force[i] / particle[i].mass; // before push store global uncoalesced-store
    force[i] = particle[i].speed;
  }
}
__global__ void push_kept(Particle* particle, double* force, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Particle own = particle[i];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    own.speed += force[i] / own.mass;
    force[i] = own.speed;
  }
  particle[i].speed = own.speed; // after push store global
}

// --- small structures that an index leads to: before, and moved at once --------------------------------------------------
struct Quaternion {
  float x, y, z, w;
};
struct alignas(16) AlignedQuaternion {
  float x, y, z, w;
};
template <class T> __device__ float length(const T& q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }
__global__ void bones(const Quaternion* bone, const int* of, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Quaternion q = bone[of[i]]; // before bones load global scattered-access
  out[i] = length(q);
}
__global__ void bones_aligned(const AlignedQuaternion* bone, const int* of, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const AlignedQuaternion q = bone[of[i]]; // after bones load global
  out[i] = length(q);
}
struct Bucket {
  unsigned short of[4];
};
struct alignas(8) AlignedBucket {
  unsigned short of[4];
};
template <class T> __device__ bool has(const T& bucket, int key) {
  return bucket.of[0] == key | bucket.of[1] == key | bucket.of[2] == key | bucket.of[3] == key;
}
__global__ void look_up(const Bucket* table, const int* key, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Bucket bucket = table[key[i]]; // before look_up load global scattered-access
  out[i] = has(bucket, i);
}
__global__ void look_up_aligned(const AlignedBucket* table, const int* key, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const AlignedBucket bucket = table[key[i]]; // after look_up load global
  out[i] = has(bucket, i);
}

// --- rows that another kernel goes along: before, and a warp for each ------------------------------------------------------
__global__ void permute(const int* slot, float* tokens) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (int h = 0; h < width; ++h) tokens[slot[t] * width + h] = h; // before permute store global uncoalesced-store
}
__global__ void permute_by_warp(const int* slot, float* rows) {
  const int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 1
  for (int h = threadIdx.x % 32; h < width; h += 32) rows[slot[t] * width + h] = h; // after permute store global
}
__global__ void combine(const float* tokens, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tokens[i];
}
__global__ void costs(unsigned char* volume) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int d = 0; d < 32; ++d) volume[x * 32 + d] = d; // before costs store global uncoalesced-store
}
__global__ void costs_by_warp(unsigned char* rows) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  rows[x * 32 + threadIdx.x % 32] = threadIdx.x; // after costs store global
}
__global__ void aggregate(const unsigned char* volume, unsigned char* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = volume[i];
}

// --- packed words, for each of which a turn reads several elements: before, and the words of all rows side by side -----------
__global__ void packed(const unsigned* words, const float* x, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < width; ++j) {
    const unsigned word = words[row * width + j]; // before packed load global uncoalesced-load
#pragma unroll
    for (int b = 0; b < 8; ++b) sum += (word >> 4 * b & 15) * x[j * 8 + b];
  }
  out[row] = sum;
}
__global__ void packed_by_columns(const unsigned* words, const float* x, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < width; ++j) {
    const unsigned word = words[j * n + row]; // after packed load global
#pragma unroll
    for (int b = 0; b < 8; ++b) sum += (word >> 4 * b & 15) * x[j * 8 + b];
  }
  out[row] = sum;
}

// --- rows of an odd length, whose pairs begin inside 8 bytes ------------------------------------------------------------------
__global__ void halve(const float* fine, float* coarse, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, length = 2 * columns + 1;
  coarse[blockIdx.y * columns + x] = fine[(2 * blockIdx.y + 1) * length + 2 * x] + fine[(2 * blockIdx.y + 1) * length + 2 * x + 1];
}

template <class T> T* array(std::size_t count) {
  T* out;
  cudaMalloc(&out, count * sizeof(T));
  cudaMemset(out, 0, count * sizeof(T));
  return out;
}
int main() {
  std::vector<int> shuffled(n), by_expert(n);
  for (int i = 0; i < n; ++i) shuffled[i] = i * 389 % n, by_expert[i] = i * 5 % 8 * (n / 8) + i / 8;
  int *order = array<int>(n), *experts = array<int>(n);
  cudaMemcpy(order, shuffled.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(experts, by_expert.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  float* out = array<float>(n * width);
  auto* volume = array<unsigned char>(n * 32);
  draw<<<blocks, threads>>>(array<State>(n), array<unsigned>(n), times);
  draw_kept<<<blocks, threads>>>(array<State>(n), array<unsigned>(n), times);
  push<<<blocks, threads>>>(array<Particle>(n), array<double>(n), times);
  push_kept<<<blocks, threads>>>(array<Particle>(n), array<double>(n), times);
  bones<<<blocks, threads>>>(array<Quaternion>(n), order, out);
  bones_aligned<<<blocks, threads>>>(array<AlignedQuaternion>(n), order, out);
  look_up<<<blocks, threads>>>(array<Bucket>(n), order, out);
  look_up_aligned<<<blocks, threads>>>(array<AlignedBucket>(n), order, out);
  permute<<<blocks, threads>>>(experts, out);
  permute_by_warp<<<32 * blocks, threads>>>(experts, out);
  combine<<<width * blocks, threads>>>(out, array<float>(n * width));
  costs<<<blocks, threads>>>(volume);
  costs_by_warp<<<32 * blocks, threads>>>(volume);
  aggregate<<<32 * blocks, threads>>>(volume, array<unsigned char>(n * 32));
  packed<<<blocks, threads>>>(array<unsigned>(n * width), array<float>(8 * width), out);
  packed_by_columns<<<blocks, threads>>>(array<unsigned>(n * width), array<float>(8 * width), out);
  halve<<<dim3(1, 8), 64>>>(array<float>(n * width), out, 64);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
