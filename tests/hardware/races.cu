// Kernels that share words of shared memory among threads of one warp, with and without what orders them: each is right, or has
// a hazard. What compute-sanitizer's racecheck says of each, and what `warplens run --check race` must say, is in
// data/races.tsv.
//
//   nvcc -std=c++17 -arch=sm_90 -lineinfo -o races races.cu
//   compute-sanitizer --tool racecheck --racecheck-report all --print-level info ./races [KERNEL…]
//
// `in` holds zeros and `n` is 32; the compiler knows neither. Without arguments all kernels run.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;

constexpr unsigned everyone = 0xffffffff;
#define CASE(name) __global__ void name(int* out, const int* in, int n)
#define LANE const int t = threadIdx.x & 31
#define WORDS __shared__ volatile int s[64]; s[threadIdx.x] = in[threadIdx.x]

// Lane 0 adds what all lanes stored. Called behind whatever may order the two.
#define SUM                                                                                                  \
  if (t == 0) {                                                                                              \
    int sum = 0;                                                                                             \
    _Pragma("unroll 1") for (int i = 0; i < n; ++i) sum += s[i];                                             \
    *out = sum;                                                                                              \
  }
CASE(sum_unordered) { LANE; WORDS; SUM }
CASE(sum_syncwarp) { LANE; WORDS; __syncwarp(); SUM }
CASE(sum_syncthreads) { LANE; WORDS; __syncthreads(); SUM }
CASE(sum_syncthreads_count) { LANE; WORDS; out[32] = __syncthreads_count(t < n); SUM }
CASE(sum_named_barrier) { LANE; WORDS; asm volatile("bar.sync 3, 32;" ::: "memory"); SUM }
CASE(sum_block_group) { LANE; WORDS; cg::this_thread_block().sync(); SUM }
CASE(sum_fence) { LANE; WORDS; __threadfence_block(); SUM }
CASE(sum_shuffle) { LANE; WORDS; out[t + 32] = __shfl_xor_sync(everyone, n + t, 1); SUM }
CASE(sum_ballot) { LANE; WORDS; out[32] = __ballot_sync(everyone, t < n / 2); SUM }
CASE(sum_all) { LANE; WORDS; out[32] = __all_sync(everyone, t < n / 2); SUM }
CASE(sum_match) { LANE; WORDS; out[t + 32] = __match_any_sync(everyone, t / n); SUM }
CASE(sum_reduce) { LANE; WORDS; out[32] = __reduce_add_sync(everyone, t * n); SUM }
CASE(sum_activemask) { LANE; WORDS; out[32] = __activemask(); SUM }
CASE(sum_elect) {
  LANE; WORDS;
  int leads;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }" : "=r"(leads));
  if (leads) out[32] = t;
  SUM
}
CASE(sum_sync_activemask) { LANE; WORDS; __syncwarp(__activemask()); SUM }
CASE(sum_without_upper) { // the upper half stores, and is not named
  LANE; WORDS;
  if (t < 16) __syncwarp(0xffff);
  SUM
}
CASE(sum_halves) { // each half orders itself only
  LANE; WORDS;
  if (t < 16) __syncwarp(0xffff); else __syncwarp(0xffff0000);
  SUM
}
CASE(sum_chain) { // 1 waits for lanes 1 to 31, then 0 for 1
  LANE; WORDS;
  if (t > 0) __syncwarp(everyone - 1);
  if (t < 2) __syncwarp(3);
  SUM
}
CASE(sum_cg_reduce) {
  LANE; WORDS;
  out[32] = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), t * n, cg::plus<int>());
  SUM
}
CASE(sum_all_but_one) { // lane 31 stores, and is left out
  LANE; WORDS;
  if (t < 31) __syncwarp(0x7fffffff);
  SUM
}
CASE(sum_two_warps) { LANE; __shared__ volatile int s[64]; s[t] = in[t] + threadIdx.x / 64; __syncthreads(); SUM } // equal values

// A neighbour's word, in straight code.
CASE(neighbour_unordered) { LANE; WORDS; out[t] = s[t ^ 1]; }
CASE(neighbour_plain) { LANE; __shared__ int s[32]; s[t] = in[t]; out[t] = s[t ^ 1]; }
CASE(neighbour_syncwarp) { LANE; WORDS; __syncwarp(); out[t] = s[t ^ 1]; }
CASE(neighbour_shuffle) { LANE; WORDS; int v = __shfl_sync(everyone, n, 0); out[t] = s[(t ^ 1) + v - n]; }
CASE(own_word) { LANE; WORDS; out[t] = s[t]; }
CASE(read_then_write) { LANE; WORDS; __syncwarp(); int v = s[t ^ 1]; s[t] = v + 1; out[t] = v; }
CASE(read_sync_write) { LANE; WORDS; __syncwarp(); int v = s[t ^ 1]; __syncwarp(); s[t] = v + 1; out[t] = v; }
CASE(reads_only) { LANE; WORDS; __syncwarp(); out[t] = s[t ^ 1] + s[t ^ 2]; }
CASE(vector_read) {
  LANE; __shared__ __align__(16) int s[32];
  s[t] = in[t];
  if (t < 8) *(int4*)(out + 4 * t) = *(int4*)(s + 4 * t);
}
CASE(bytes_apart) { LANE; __shared__ volatile char s[32]; s[t] = in[t]; out[t] = s[t]; }
CASE(bytes_in_word) {
  LANE; __shared__ __align__(4) char s[32];
  s[t] = in[t];
  if (t < 8) out[t] = *(volatile int*)(s + 4 * t);
}

// Reductions in a tree.
CASE(tree_unordered) {
  LANE; WORDS; __syncwarp();
#pragma unroll
  for (int d = 16; d > 0; d /= 2) if (t < d) s[t] += s[t + d];
  if (t == 0) *out = s[0];
}
CASE(tree_syncwarp) {
  LANE; WORDS; __syncwarp();
  for (int d = n / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncwarp(); }
  if (t == 0) *out = s[0];
}
CASE(tree_volatile_all) { // the last warp of old reductions: all lanes do all steps
  LANE; __shared__ volatile int s[64];
  s[t] = in[t]; s[t + 32] = in[t + 32]; __syncwarp();
  s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];
  if (t == 0) *out = s[0];
}
CASE(tree_read_sync_write) {
  LANE; __shared__ volatile int s[64];
  s[t] = in[t]; s[t + 32] = in[t + 32]; __syncwarp();
  int v = s[t];
  for (int d = 16; d > 0; d /= 2) { v += s[t + d]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (t == 0) *out = s[0];
}
CASE(butterfly) {
  LANE; WORDS; __syncwarp();
  int v = s[t];
#pragma unroll 1
  for (int d = n / 2; d > 0; d /= 2) { v += s[t ^ d]; s[t] = v; }
  out[t] = v;
}
CASE(butterfly_syncwarp) {
  LANE; WORDS; __syncwarp();
  int v = s[t];
#pragma unroll 1
  for (int d = n / 2; d > 0; d /= 2) { v += s[t ^ d]; __syncwarp(); s[t] = v; __syncwarp(); }
  out[t] = v;
}
CASE(scan_unordered) {
  LANE; WORDS; __syncwarp();
#pragma unroll 1
  for (int d = 1; d < n; d *= 2) if (t >= d) s[t] = s[t - d] + s[t];
  out[t] = s[t];
}

// One word.
CASE(one_word_differs) { LANE; __shared__ volatile int f; f = t; __syncwarp(); *out = f; }
CASE(one_word_equal) { LANE; __shared__ volatile int f; f = n; __syncwarp(); out[t] = f; }
CASE(one_word_equal_read) { LANE; __shared__ volatile int f; f = n; out[t] = f; }
CASE(two_warps_equal_read) { __shared__ volatile int f; f = n; out[threadIdx.x] = f; }
CASE(two_stores_equal) {
  LANE; __shared__ volatile int f;
  if (t == 0) f = n;
  if (t == 1) f = n;
  __syncwarp(); out[t] = f;
}
CASE(two_stores_differ) {
  LANE; __shared__ volatile int f;
  if (t == 0) f = n;
  if (t == 1) f = n + 1;
  __syncwarp(); out[t] = f;
}
CASE(silent_store_read) { // stores what is there already, while others read
  LANE; WORDS; __syncwarp();
  if (t == 0) s[1] = in[1];
  out[t] = s[t];
}
CASE(lane_after_lane) {
  LANE; __shared__ volatile int f; if (t == 0) f = 0; __syncwarp();
#pragma unroll 1
  for (int i = 0; i < n; ++i) if (i == t) f += t;
  __syncwarp(); out[t] = f;
}
CASE(lane_after_lane_syncwarp) {
  LANE; __shared__ volatile int f; if (t == 0) f = 0; __syncwarp();
#pragma unroll 1
  for (int i = 0; i < n; ++i) { if (i == t) f += t; __syncwarp(); }
  out[t] = f;
}
CASE(histogram) { LANE; __shared__ volatile int s[8]; if (t < 8) s[t] = 0; __syncwarp(); s[t & 7] = s[t & 7] + 1; __syncwarp(); if (t < 8) out[t] = s[t]; }
CASE(cast_rows) {
  LANE; __shared__ unsigned char s[32];
#pragma unroll 1
  for (int i = 0; i < 8; ++i) ((volatile unsigned*)s)[i] = t;
  __syncwarp(); out[t] = s[t];
}

// Branches.
CASE(sides_unordered) { LANE; __shared__ volatile int s[32]; if (t < 16) s[t] = in[t]; else out[t] = s[t - 16]; }
CASE(sides_other_order) { LANE; __shared__ volatile int s[32]; s[t] = 0; __syncwarp(); if (t >= 16) out[t] = s[t - 16]; else s[t] = in[t] + n; }
CASE(sides_meet) { LANE; __shared__ volatile int s[32]; if (t < 16) s[t] = in[t]; out[t] = s[t & 15]; }
CASE(sides_meet_syncwarp) { LANE; __shared__ volatile int s[32]; if (t < 16) s[t] = in[t]; __syncwarp(); out[t] = s[t & 15]; }
CASE(sides_two_syncwarps) {
  LANE; __shared__ volatile int s[32];
  if (t < 16) { s[t] = in[t]; __syncwarp(); } else { __syncwarp(); out[t] = s[t - 16]; }
}
CASE(sides_late_read) { // the readers are held behind the barrier of the warp, the writer is not named
  LANE; __shared__ volatile int s[32]; s[t] = in[t]; __syncwarp();
  if (t == 31) s[0] = n; else { __syncwarp(0x7fffffff); out[t] = s[t]; }
}
CASE(ended_lanes) { LANE; __shared__ volatile int s[32]; s[t] = in[t]; if (t >= 16) return; __syncwarp(0xffff); out[t] = s[t ^ 1]; }
CASE(ended_lanes_read) { LANE; __shared__ volatile int s[32]; s[t] = in[t]; if (t >= 16) return; __syncwarp(0xffff); out[t] = s[t + 16]; }
CASE(ended_lanes_barrier) { LANE; __shared__ volatile int s[32]; s[t] = in[t]; __syncwarp(); if (t >= 16) return; out[t] = s[t + 16]; }
CASE(ended_lanes_block) { LANE; __shared__ volatile int s[32]; s[t] = in[t]; if (t >= 16) return; __syncthreads(); out[t] = s[t ^ 1]; }
CASE(flag_spin) { // lanes of one warp wait for one of them
  LANE; __shared__ volatile int f, v; if (t == 0) f = v = 0; __syncwarp();
  if (t == 0) { v = n; __threadfence_block(); f = 1; }
  else { while (f == 0); __threadfence_block(); out[t] = v; }
}

// Tiles and groups.
CASE(tile_sync) { LANE; WORDS; cg::tiled_partition<16>(cg::this_thread_block()).sync(); out[t] = s[t ^ 15]; }
CASE(tile_across) { LANE; WORDS; cg::tiled_partition<16>(cg::this_thread_block()).sync(); out[t] = s[t ^ 16]; }
CASE(tile_shuffle) { LANE; WORDS; int v = cg::tiled_partition<16>(cg::this_thread_block()).shfl(n, 0); out[t] = s[(t ^ 15) + v - n]; }
CASE(tile_4_loop) {
  LANE; WORDS; auto tile = cg::tiled_partition<4>(cg::this_thread_block()); tile.sync();
  for (int d = 2; d > 0; d /= 2) { if (tile.thread_rank() < d) s[t] += s[t + d]; tile.sync(); }
  out[t] = s[t & ~3];
}
CASE(coalesced_sync) {
  LANE; __shared__ volatile int s[32];
  if (t % 3 == 0) { auto g = cg::coalesced_threads(); s[g.thread_rank()] = in[t]; g.sync(); out[t] = s[g.size() - 1 - g.thread_rank()]; }
}
CASE(coalesced_unordered) {
  LANE; __shared__ volatile int s[32];
  if (t % 3 == 0) { auto g = cg::coalesced_threads(); s[g.thread_rank()] = in[t]; out[t] = s[g.size() - 1 - g.thread_rank()]; }
}

// Atomics.
CASE(atomics_only) { __shared__ int f; if (threadIdx.x == 0) f = 0; __syncwarp(); out[threadIdx.x] = atomicAdd(&f, 1); }
CASE(atomic_then_read) { LANE; __shared__ int f; if (t == 0) f = 0; __syncwarp(); atomicAdd(&f, n); if (t == 0) *out = *(volatile int*)&f; }
CASE(atomic_sync_read) { LANE; __shared__ int f; if (t == 0) f = 0; __syncwarp(); atomicAdd(&f, n); __syncwarp(); if (t == 0) *out = *(volatile int*)&f; }
CASE(store_then_atomic) { LANE; __shared__ int f; if (t == 0) f = 0; atomicAdd(&f, n); __syncwarp(); if (t == 0) *out = f; }
CASE(lock) { // a lock of lanes: the word is touched between its exchange and its release
  LANE; __shared__ int held, v; if (t == 0) held = v = 0; __syncwarp();
  for (bool done = false; !done;)
    if (atomicCAS(&held, 0, 1) == 0) { v = *(volatile int*)&v + 1; __threadfence_block(); atomicExch(&held, 0); done = true; }
  __syncwarp(); if (t == 0) *out = v;
}

// What is read or written by other means than a load or a store.
__device__ unsigned where(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
CASE(ldmatrix_unordered) {
  LANE; __shared__ __align__(16) int s[32]; s[t] = in[t];
  int v; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(where(s + 4 * (t & 7))) : "memory");
  out[t] = v;
}
CASE(ldmatrix_syncwarp) {
  LANE; __shared__ __align__(16) int s[32]; s[t] = in[t]; __syncwarp();
  int v; asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(where(s + 4 * (t & 7))) : "memory");
  out[t] = v;
}
template <bool ordered> __device__ void multiply(int* out, const int* in) {
  LANE; __shared__ __align__(32) half s[256]; __shared__ __align__(32) float r[256];
  for (int i = t; i < 256; i += 32) s[i] = __float2half((float)in[i & 31]);
  if (ordered) __syncwarp();
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> a;
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> b;
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
  nvcuda::wmma::load_matrix_sync(a, s, 16); nvcuda::wmma::load_matrix_sync(b, s, 16);
  nvcuda::wmma::fill_fragment(c, 0.f); nvcuda::wmma::mma_sync(c, a, b, c);
  nvcuda::wmma::store_matrix_sync(r, c, 16, nvcuda::wmma::mem_row_major);
  if (ordered) __syncwarp();
  out[t] = (int)r[8 * t];
}
CASE(wmma_unordered) { multiply<false>(out, in); }
CASE(wmma_syncwarp) { multiply<true>(out, in); }
CASE(copy_unordered) {
  LANE; __shared__ int s[32]; __pipeline_memcpy_async(s + t, in + t, 4); __pipeline_commit(); __pipeline_wait_prior(0);
  out[t] = s[t ^ 1];
}
CASE(copy_own) {
  LANE; __shared__ int s[32]; __pipeline_memcpy_async(s + t, in + t, 4); __pipeline_commit(); __pipeline_wait_prior(0);
  out[t] = s[t];
}
CASE(copy_syncwarp) {
  LANE; __shared__ int s[32]; __pipeline_memcpy_async(s + t, in + t, 4); __pipeline_commit(); __pipeline_wait_prior(0);
  __syncwarp(); out[t] = s[t ^ 1];
}
CASE(copy_group) {
  LANE; __shared__ int s[32]; auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::memcpy_async(tile, s, in, sizeof s); cg::wait(tile); out[t] = s[t ^ 1];
}
__device__ __noinline__ void put(volatile int* s, int i, int v) { s[i] = v; }
CASE(called_unordered) { LANE; __shared__ volatile int s[32]; put(s, t, in[t]); out[t] = s[t ^ 1]; }
CASE(called_syncwarp) { LANE; __shared__ volatile int s[32]; put(s, t, in[t]); __syncwarp(); out[t] = s[t ^ 1]; }

struct Case {
  const char* name;
  void (*run)(int*, const int*, int);
  int threads;
};
#define ROW(name) {#name, name, 32}
const Case cases[] = {
    ROW(sum_unordered), ROW(sum_syncwarp), ROW(sum_syncthreads), ROW(sum_syncthreads_count), ROW(sum_named_barrier),
    ROW(sum_block_group), ROW(sum_fence), ROW(sum_shuffle), ROW(sum_ballot), ROW(sum_all), ROW(sum_match), ROW(sum_reduce),
    ROW(sum_activemask), ROW(sum_elect), ROW(sum_sync_activemask), ROW(sum_without_upper), ROW(sum_halves), ROW(sum_chain),
    ROW(sum_cg_reduce), ROW(sum_all_but_one), {"sum_two_warps", sum_two_warps, 64},
    ROW(neighbour_unordered), ROW(neighbour_plain), ROW(neighbour_syncwarp), ROW(neighbour_shuffle), ROW(own_word),
    ROW(read_then_write), ROW(read_sync_write), ROW(reads_only), ROW(vector_read), ROW(bytes_apart), ROW(bytes_in_word),
    ROW(tree_unordered), ROW(tree_syncwarp), ROW(tree_volatile_all), ROW(tree_read_sync_write), ROW(butterfly),
    ROW(butterfly_syncwarp), ROW(scan_unordered), ROW(one_word_differs), ROW(one_word_equal), ROW(one_word_equal_read),
    {"two_warps_equal_read", two_warps_equal_read, 64}, ROW(two_stores_equal), ROW(two_stores_differ), ROW(silent_store_read),
    ROW(lane_after_lane), ROW(lane_after_lane_syncwarp), ROW(histogram), ROW(cast_rows), ROW(sides_unordered),
    ROW(sides_other_order), ROW(sides_meet), ROW(sides_meet_syncwarp), ROW(sides_two_syncwarps), ROW(sides_late_read),
    ROW(ended_lanes), ROW(ended_lanes_read), ROW(ended_lanes_barrier), ROW(ended_lanes_block), ROW(flag_spin), ROW(tile_sync),
    ROW(tile_across), ROW(tile_shuffle), ROW(tile_4_loop), ROW(coalesced_sync), ROW(coalesced_unordered), ROW(atomics_only),
    ROW(atomic_then_read), ROW(atomic_sync_read), ROW(store_then_atomic), ROW(lock), ROW(ldmatrix_unordered),
    ROW(ldmatrix_syncwarp), ROW(wmma_unordered), ROW(wmma_syncwarp), ROW(copy_unordered), ROW(copy_own), ROW(copy_syncwarp),
    ROW(copy_group), ROW(called_unordered), ROW(called_syncwarp)};

int main(int count, char** names) {
  int *out, *in;
  cudaMalloc(&out, 4096);
  cudaMalloc(&in, 4096);
  cudaMemset(in, 0, 4096);
  for (const Case& c : cases) {
    bool wanted = count == 1;
    for (int i = 1; i < count; ++i) wanted |= std::strcmp(names[i], c.name) == 0;
    if (!wanted) continue;
    c.run<<<1, c.threads>>>(out, in, 32);
    if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
      return std::printf("%s: %s\n", c.name, cudaGetErrorString(error)), 1;
  }
  cudaFree(out);
  cudaFree(in);
  return 0;
}
