// What the lanes of a warp compute together, by each function of CUDA's headers: one line for each, with the values of four lanes and
// a sum over all. The same whichever compiler's headers it is built with, and whether PTX runs or machine code.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>

namespace groups = cooperative_groups;
constexpr unsigned whole = 0xffffffffu, odd = 0xaaaaaaaau;

// Each row: a value of each lane. `lane` is its number, `n` an integer that grows and changes its sign, `key` one of five; `wide`
// needs 64 bits; `tile` has 8 lanes, and `some` is a group of the lanes below 21.
#define ROWS(R)                                                                                                        \
  R(__reduce_add_sync(whole, n))                                                                                         \
  R(__reduce_add_sync(whole, (unsigned)n))                                                                               \
  R(__reduce_min_sync(whole, n))                                                                                         \
  R(__reduce_min_sync(whole, (unsigned)n))                                                                               \
  R(__reduce_max_sync(whole, n))                                                                                         \
  R(__reduce_max_sync(whole, (unsigned)n))                                                                               \
  R(__reduce_and_sync(whole, 0xf0u | lane))                                                                              \
  R(__reduce_or_sync(whole, lane & 5))                                                                                   \
  R(__reduce_xor_sync(whole, lane * lane))                                                                               \
  R(lane & 1 ? __reduce_add_sync(odd, (int)lane) : __reduce_add_sync(~odd, -(int)lane))                                \
  R(lane & 1 ? __reduce_max_sync(odd, lane) : __reduce_min_sync(~odd, lane + 7))                                       \
  R((float)__reduce_add_sync(whole, -1))                                                                                 \
  R(__shfl_sync(whole, n, lane + 3))                                                                                     \
  R(__shfl_sync(whole, (unsigned)n, 5, 8))                                                                               \
  R(__shfl_sync(whole, wide, 31 - lane))                                                                                 \
  R(__shfl_sync(whole, (unsigned long long)wide, 7, 16))                                                                 \
  R(__shfl_sync(whole, (long)wide, lane / 2))                                                                            \
  R(__shfl_sync(whole, lane * 0.5f, lane ^ 9))                                                                           \
  R(__shfl_sync(whole, lane * 0.1, 3, 4))                                                                                \
  R(__shfl_up_sync(whole, n, 2))                                                                                         \
  R(__shfl_up_sync(whole, wide, 3, 8))                                                                                   \
  R(__shfl_up_sync(whole, lane * 0.1, 1, 16))                                                                            \
  R(__shfl_down_sync(whole, n, 2))                                                                                       \
  R(__shfl_down_sync(whole, wide, 3, 8))                                                                                 \
  R(__shfl_down_sync(whole, lane * 0.5f, 1, 16))                                                                         \
  R(__shfl_xor_sync(whole, n, 16))                                                                                       \
  R(__shfl_xor_sync(whole, wide, 5, 8))                                                                                  \
  R(__shfl_xor_sync(whole, lane * 0.1, 1))                                                                               \
  R(lane & 1 ? __shfl_sync(odd, n, 31) : n)                                                                            \
  R(__ballot_sync(whole, n > 0))                                                                                         \
  R(lane & 1 ? __ballot_sync(odd, key == 2) : __ballot_sync(~odd, key == 3))                                           \
  R(__any_sync(whole, lane == 9))                                                                                        \
  R(__all_sync(whole, lane < 31))                                                                                        \
  R(__uni_sync(whole, lane < 99))                                                                                        \
  R(lane < 13 ? __activemask() : __activemask() + 1)                                                                   \
  R(__match_any_sync(whole, key))                                                                                        \
  R(__match_any_sync(whole, (unsigned)key))                                                                              \
  R(__match_any_sync(whole, key * 0.5f))                                                                                 \
  R(__match_any_sync(whole, key * (1ll << 40)))                                                                          \
  R(__match_any_sync(whole, key * 0.1))                                                                                  \
  R(lane & 1 ? __match_any_sync(odd, key) : __match_any_sync(~odd, key))                                               \
  R(matched(whole, 7))                                                                                                   \
  R(matched(whole, key))                                                                                                 \
  R(matched(whole, key / 9 + (1ll << 33)))                                                                               \
  R(matched(whole, 0.5 * (lane > 0)))                                                                                    \
  R(__fns(0x9a3c5u, 0, lane))                                                                                          \
  R(__fns(0x9a3c5u, lane % 20, 2))                                                                                     \
  R(__fns(0x9a3c5u, lane % 20, -2))                                                                                    \
  R(__fns(0x9a3c5u, lane, 0))                                                                                          \
  R(tile.shfl(n, 3))                                                                                                   \
  R(tile.shfl_up(wide, 1))                                                                                             \
  R(tile.shfl_down(lane * 0.1, 2))                                                                                     \
  R(tile.shfl_xor(n, 5))                                                                                               \
  R(tile.ballot(key == 1))                                                                                             \
  R(tile.any(lane == 9))                                                                                               \
  R(tile.all(lane < 9))                                                                                                \
  R(tile.match_any(key))                                                                                               \
  R(tile.meta_group_rank() * 100 + tile.thread_rank())                                                                 \
  R(groups::reduce(tile, n, groups::plus<int>()))                                                                      \
  R(groups::reduce(tile, lane, groups::bit_xor<unsigned>()))                                                           \
  R(groups::reduce(tile, lane * 0.5, groups::greater<double>()))                                                       \
  R(lane < 21 ? in_some(n, key, 0) : 0)                                                                                \
  R(lane < 21 ? in_some(n, key, 1) : 0)                                                                                \
  R(lane < 21 ? in_some(n, key, 2) : 0)                                                                                \
  R(lane < 21 ? in_some(n, key, 3) : 0)                                                                                \
  R(lane < 21 ? in_some(n, key, 4) : 0)                                                                                \
  R(lane < 21 ? in_some(n, key, 5) : 0)                                                                                \
  R(groups::labeled_partition(tile, key).thread_rank())                                                                \
  R(groups::binary_partition(tile, n > 0).size())                                                                      \
  R(__funnelshift_l(n, key, lane + 20))                                                                                \
  R(__funnelshift_lc(n, key, lane + 20))                                                                               \
  R(__funnelshift_r(n, key, lane + 20))                                                                                \
  R(__funnelshift_rc(n, key, lane + 20))                                                                               \
  R(__byte_perm(n, wide, 0x5140 + lane))                                                                               \
  R(__ldcg(data + lane))                                                                                               \
  R(__ldg((const short2*)data + lane).y)                                                                               \
  R(__ldg((const double2*)data + lane / 2).y)                                                                          \
  R(__ldcs((const uchar4*)data + lane).z)                                                                              \
  R(atomicCAS((unsigned short*)data + lane, (unsigned short)(lane % 3 ? 0 : ((unsigned short*)data)[lane]), (unsigned short)7)) \
  R(((unsigned short*)data)[lane])                                                                                     \
  R(in_loop(eight, lane))                                                                                              \
  R(lane < 20 ? __ballot_sync(named & 0xfffff, key > 2) : __any_sync(0xfff00000u, lane == 25))

template <class T> __device__ unsigned matched(unsigned mask, T value) {
  int same = 5;
  const unsigned lanes = __match_all_sync(mask, value, &same);
  return lanes ^ (unsigned)same << 3;
}

__device__ int in_some(int n, int key, int which) {
  const groups::coalesced_group some = groups::coalesced_threads();
  switch (which) {
  case 0: return some.shfl(n, 4);
  case 1: return some.shfl_up(n, 3);
  case 2: return some.shfl_down(n, 3);
  case 3: return (int)some.ballot(key == 2);
  case 4: return (int)some.match_any(key);
  default: return groups::reduce(some, n, groups::plus<int>());
  }
}

// Tiles leave the loop one after the other.
__device__ unsigned in_loop(unsigned tile, unsigned lane) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= lane / 8; ++i) sum = sum * 3 + __ballot_sync(tile, (lane + i) % 3 == 1);
  return sum;
}

template <class T> __device__ long long bits(T value) {
  if (sizeof(T) < 8 && T(-1) < T(0) && T(1) / 2 == 0) return (long long)value;
  long long result = 0;
  memcpy(&result, &value, sizeof value);
  return result;
}

__global__ void together(long long* out, int* data) {
  const unsigned lane = threadIdx.x;
  const int n = (lane & 4 ? -1 : 1) * (int)(lane * lane + 1), key = lane * 7 % 5;
  const long long wide = (long long)n << 33 | lane;
  const unsigned named = lane & 1 ? odd : ~odd, eight = 0xffu << lane / 8 * 8;
  const auto tile = groups::tiled_partition<8>(groups::this_thread_block());
  int row = 0;
#define ROW(...) __nanosleep(20), out[row++ * 32 + lane] = bits(__VA_ARGS__);
  ROWS(ROW)
}

#define NAME(...) #__VA_ARGS__,
const char* const names[] = {ROWS(NAME)};
constexpr int rows = sizeof names / sizeof *names;

int main() {
  long long* out;
  int* data;
  cudaMallocManaged(&out, rows * 32 * sizeof *out);
  cudaMallocManaged(&data, 256 * sizeof *data);
  for (int i = 0; i < 256; ++i) data[i] = (int)(i * 0x01030507u);
  together<<<1, 32>>>(out, data);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int row = 0; row < rows; ++row) {
    std::printf("%s:", names[row]);
    for (int lane : {0, 1, 18, 31}) std::printf(" %llx", out[row * 32 + lane]);
    unsigned long long sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum = sum * 31 + (unsigned long long)out[row * 32 + lane];
    std::printf(", %llx\n", sum);
  }
}
