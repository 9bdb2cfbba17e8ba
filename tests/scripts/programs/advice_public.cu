// What the advice proposes for kernels that others published, made by hand: see advice.cu. The kernels are our own, with the shapes
// of accesses that the named programs have, reduced to these.
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

constexpr int blocks = 8, threads = 256, n = blocks * threads;

// --- Rodinia's kmeans, invert_mapping: a row of 34 features for each thread, stored by column: rows given to warps scatter the stores ---
constexpr int features = 34;
__global__ void kmeans_rows(const float* in, float* out) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < features; ++j) {
    float x = in[point * features + j]; // before kmeans_rows load global
    out[point + n * j] = x;
  }
}
__global__ void kmeans_rows_by_warp(const float* in, float* out) {
  int point = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 1
  for (int j = threadIdx.x % 32; j < features; j += 32) {
    float x = in[point * features + j];
    out[point + n * j] = x;
  }
}
__global__ void kmeans_rows_tiled(const float* in, float* out) {
  __shared__ float tile[threads][features + 1];
  int first = blockIdx.x * threads;
  for (int i = threadIdx.x; i < threads * features; i += threads) {
    float x = in[first * features + i]; // after kmeans_rows load global
    tile[i / features][i % features] = x;
  }
  __syncthreads();
#pragma unroll 1
  for (int j = 0; j < features; ++j) out[first + threadIdx.x + n * j] = tile[threadIdx.x][j];
}

// --- PolyBench's atax: each thread the product of a row and a vector ---------------------------------------------------
constexpr int columns = 96;
__global__ void atax(const double* a, const double* x, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += a[i * columns + j] * // before atax load global
           x[j];
  out[i] = sum;
}
__global__ void atax_by_warp(const double* a, const double* x, double* out) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  double sum = 0;
#pragma unroll 1
  for (int j = threadIdx.x % 32; j < columns; j += 32)
    sum += a[i * columns + j] * // after atax load global
           x[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[i] = sum;
}

// --- HeCBench's interleave: members of structures -----------------------------------------------------------------------
struct Six {
  float a, b, c, d, e, f;
};
__global__ void interleaved(const Six* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = in[i].a; // before member load global
  sum += in[i].e;
  out[i] = sum;
}
__global__ void apart(const float* a, const float* e, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = a[i]; // after member load global
  sum += e[i];
  out[i] = sum;
}

// --- HeCBench's matrixT: a store down the columns, and through a tile ---------------------------------------------------
__global__ void transpose(const float* in, float* out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * 128 + y] = in[y * 128 + x]; // before transpose store global
}
__global__ void transpose_tiled(const float* in, float* out) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * 128 + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  int x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  out[y * 128 + x] = tile[threadIdx.x][threadIdx.y]; // after transpose store global
}

// --- rows of different lengths: Rodinia's bfs, HeCBench's simpleSpmv and segment-reduce ----------------------------------
__global__ void bfs(const int* begin, const int* edge, int* cost) {
  int node = threadIdx.x;
#pragma unroll 1
  for (int i = begin[node]; i < begin[node + 1]; ++i) {
    int to = edge[i]; // before bfs load global uncoalesced-load
    cost[to] = 1;
  }
}
__global__ void bfs_by_warp(const int* begin, const int* edge, int* cost) {
  int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 1
  for (int i = begin[node] + threadIdx.x % 32; i < begin[node + 1]; i += 32) {
    int to = edge[i]; // after bfs load global
    cost[to] = 1;
  }
}
__global__ void segments(const int* begin, const double* a, double* out) {
  int row = threadIdx.x;
  double most = 0;
#pragma unroll 1
  for (int i = begin[row]; i < begin[row + 1]; ++i) {
    double x = a[i]; // before segments load global uncoalesced-load
    most = x > most ? x : most;
  }
  out[row] = most;
}
__global__ void segments_by_warp(const int* begin, const double* a, double* out) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  double most = 0;
#pragma unroll 1
  for (int i = begin[row] + threadIdx.x % 32; i < begin[row + 1]; i += 32) {
    double x = a[i]; // after segments load global
    most = x > most ? x : most;
  }
  for (int d = 16; d > 0; d /= 2) most = max(most, __shfl_down_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0) out[row] = most;
}

// --- where rows start: Rodinia's nw (a border of one) and pathfinder (a halo), HeCBench's stencil1d -----------------------
__global__ void nw(const int* reference, int* out, int pitch, int border) {
  int row = blockIdx.x * 16;
  for (int y = 0; y < 16; ++y) {
    int x = reference[(row + y + border) * pitch + border + threadIdx.x]; // before nw load global
    out[(row + y) * 32 + threadIdx.x] = x;
  }
}
__global__ void nw_pitched(const int* reference, int* out, int pitch, int border) {
  int row = blockIdx.x * 16;
  for (int y = 0; y < 16; ++y) {
    int x = reference[(row + y + border) * pitch + border + threadIdx.x]; // after nw load global
    out[(row + y) * 32 + threadIdx.x] = x;
  }
}
__global__ void pathfinder(const int* wall, int* out) {
  int x = blockIdx.x * 216 + 236 + threadIdx.x; // each block 20 to the left of what it computes
  int cost = wall[x - 20 + 5];                  // before pathfinder load global
  out[blockIdx.x * 256 + threadIdx.x] = cost;
}
__global__ void pathfinder_aligned(const int* wall, int* out) {
  int x = blockIdx.x * 224 + 240 + threadIdx.x;
  int cost = wall[x - 16]; // after pathfinder load global
  out[blockIdx.x * 256 + threadIdx.x] = cost;
}
__global__ void stencil1d(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i + 7]; // before stencil1d load global
  out[i] = x;
}
__global__ void stencil1d_aligned(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i + 8]; // after stencil1d load global
  out[i] = x;
}

// --- indices: HeCBench's md (neighbours of atoms), and the last step of a radix sort --------------------------------------
__global__ void atoms(const int* neighbour, const float4* place, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = neighbour[i];
  out[i] = place[other]; // before atoms load global
}
__global__ void atoms_sorted(const int* neighbour, const float4* place, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = neighbour[i];
  out[i] = place[other]; // after atoms load global
}
// A digit of 4 bits: a block's keys go to 16 runs, in each of which their order stays.
__global__ void digits(const int* key, const int* place, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[place[i]] = key[i]; // before digits store global
}
__global__ void digits_in_shared(const int* key, const int* place, const int* rank, int* out) {
  __shared__ int sorted[threads], to[threads];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sorted[rank[i]] = key[i];
  to[rank[i]] = place[i];
  __syncthreads();
  out[to[threadIdx.x]] = sorted[threadIdx.x]; // after digits store global
}

// --- read by the whole block: Rodinia's kmeans (centres of clusters), HeCBench's floydwarshall (row and column k) ------------
constexpr int clusters = 5;
__global__ void nearest(const float* points, const float* centres, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
#pragma unroll 1
  for (int c = 0; c < clusters; ++c) {
    float sum = 0;
#pragma unroll 1
    for (int j = 0; j < 32; ++j) {
      float d = points[j * n + i] -
                centres[c * 32 + j]; // before centres load global
      sum += d * d;
    }
    best = min(best, sum);
  }
  out[i] = best;
}
__global__ void nearest_shared(const float* points, const float* centres, float* out) {
  __shared__ float all[clusters * 32];
  if (threadIdx.x < clusters * 32)
    all[threadIdx.x] = centres[threadIdx.x]; // after centres load global
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
#pragma unroll 1
  for (int c = 0; c < clusters; ++c) {
    float sum = 0;
#pragma unroll 1
    for (int j = 0; j < 32; ++j) {
      float d = points[j * n + i] - all[c * 32 + j];
      sum += d * d;
    }
    best = min(best, sum);
  }
  out[i] = best;
}
__global__ void floyd(const int* way, int* out, int k) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int second = way[k * 128 + x]; // before floyd load global
  out[y * 128 + x] = second;
}
__global__ void floyd_shared(const int* way, int* out, int k) {
  __shared__ int row[16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (threadIdx.y == 0)
    row[threadIdx.x] = way[k * 128 + x]; // after floyd load global
  __syncthreads();
  out[y * 128 + x] = row[threadIdx.x];
}

// --- few bytes at a time: cuda-samples' vectorAdd, HeCBench's babelstream and complex ----------------------------------------
__global__ void vector_add(const float* a, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; // before vector_add load global narrow-access
  out[i] = x + x;
}
__global__ void vector_add_4(const float4* a, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = a[i]; // after vector_add load global
  out[i] = {x.x + x.x, x.y + x.y, x.z + x.z, x.w + x.w};
}
__global__ void stream_copy(const double* a, double* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[i];
  out[i] = x; // before stream_copy store global narrow-access
}
__global__ void stream_copy_2(const double2* a, double2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double2 x = a[i];
  out[i] = x; // after stream_copy store global
}
__global__ void complex_square(const float2* a, float2* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 x = a[i]; // before complex load global narrow-access
  out[i] = {x.x * x.x - x.y * x.y, 2 * x.x * x.y};
}
__global__ void complex_square_2(const float4* a, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = a[i]; // after complex load global
  out[i] = {x.x * x.x - x.y * x.y, 2 * x.x * x.y, x.z * x.z - x.w * x.w, 2 * x.z * x.w};
}

#ifndef KERNELS_ALONE // tests/hardware/variants_public.cu launches them with more blocks
template <class T> T* device(const std::vector<T>& host) {
  T* out;
  cudaMalloc(&out, host.size() * sizeof(T));
  cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

int main() {
  std::vector<int> begin(threads + 1), edge(1 << 14), shuffled(n), sorted(n), key(n), place(n), rank(n);
  unsigned state = 7;
  auto next = [&](unsigned below) { return state = state * 1664525u + 1013904223u, (state >> 8) % below; };
  for (int i = 0; i < threads; ++i) begin[i + 1] = begin[i] + 20 + next(40);
  for (int& to : edge) to = next(1024);
  for (int i = 0; i < n; ++i) sorted[i] = shuffled[i] = i, key[i] = i < threads ? next(16) : key[i - threads];
  for (int i = n - 1; i > 0; --i) std::swap(shuffled[i], shuffled[next(i + 1)]);
  for (int block = 0; block < blocks; ++block) {
    int in_block = 0;
    for (int digit = 0; digit < 16; ++digit)
      for (int i = block * threads, of_digit = 0; i < (block + 1) * threads; ++i)
        if (key[i] == digit) {
          place[i] = digit * n + block * threads + of_digit++;
          rank[i] = in_block++;
        }
  }
  float *a, *b;
  cudaMalloc(&a, 1 << 22);
  cudaMalloc(&b, 1 << 22);
  cudaMemset(a, 0, 1 << 22);
  int *begins = device(begin), *edges = device(edge), *at_random = device(shuffled), *in_order = device(sorted);
  int *keys = device(key), *places = device(place), *ranks = device(rank);
  auto *wide = reinterpret_cast<double*>(a), *wide_out = reinterpret_cast<double*>(b);
  auto *ints = reinterpret_cast<int*>(a), *ints_out = reinterpret_cast<int*>(b);
  auto *quads = reinterpret_cast<float4*>(a), *quads_out = reinterpret_cast<float4*>(b);
  dim3 square(16, 16), squares(8, 8);
  kmeans_rows<<<blocks, threads>>>(a, b);
  kmeans_rows_tiled<<<blocks, threads>>>(a, b);
  atax<<<blocks, threads>>>(wide, wide, wide_out);
  atax_by_warp<<<32 * blocks, threads>>>(wide, wide, wide_out);
  interleaved<<<blocks, threads>>>(reinterpret_cast<Six*>(a), b);
  apart<<<blocks, threads>>>(a, a + n, b);
  transpose<<<squares, square>>>(a, b);
  transpose_tiled<<<squares, square>>>(a, b);
  bfs<<<1, threads>>>(begins, edges, ints_out);
  bfs_by_warp<<<32, threads>>>(begins, edges, ints_out);
  segments<<<1, threads>>>(begins, wide, wide_out);
  segments_by_warp<<<32, threads>>>(begins, wide, wide_out);
  nw<<<blocks, 16>>>(ints, ints_out, 129, 1);
  nw_pitched<<<blocks, 16>>>(ints, ints_out, 160, 0);
  pathfinder<<<blocks, threads>>>(ints, ints_out);
  pathfinder_aligned<<<blocks, threads>>>(ints, ints_out);
  stencil1d<<<blocks, threads>>>(ints, ints_out);
  stencil1d_aligned<<<blocks, threads>>>(ints, ints_out);
  atoms<<<blocks, threads>>>(at_random, quads, quads_out);
  atoms_sorted<<<blocks, threads>>>(in_order, quads, quads_out);
  digits<<<blocks, threads>>>(keys, places, ints_out);
  digits_in_shared<<<blocks, threads>>>(keys, places, ranks, ints_out);
  nearest<<<blocks, threads>>>(a, a, b);
  nearest_shared<<<blocks, threads>>>(a, a, b);
  floyd<<<squares, square>>>(ints, ints_out, 5);
  floyd_shared<<<squares, square>>>(ints, ints_out, 5);
  vector_add<<<blocks, threads>>>(a, b);
  vector_add_4<<<blocks, threads / 4>>>(quads, quads_out);
  stream_copy<<<blocks, threads>>>(wide, wide_out);
  stream_copy_2<<<blocks, threads / 2>>>(reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b));
  complex_square<<<blocks, threads>>>(reinterpret_cast<float2*>(a), reinterpret_cast<float2*>(b));
  complex_square_2<<<blocks, threads / 2>>>(quads, quads_out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
