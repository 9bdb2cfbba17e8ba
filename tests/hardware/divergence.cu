// What a warp-level instruction does whose mask names all lanes where only some come: printed for comparison of a GPU with
// WarpLens, one line of 32 numbers per case. docs/understand/how-it-works.md has the rule.
//
//   nvcc -arch=sm_90 -o divergence divergence.cu && ./divergence > gpu.txt
//   warplens run ./divergence > warplens.txt; diff gpu.txt warplens.txt
#include <cstdio>
#include <cuda_runtime.h>

constexpr unsigned everyone = 0xffffffff;
#define CASE(name) __global__ void name(int* out, int n, int odd)

// `odd` is 1 and n is 9; the compiler does not know.
CASE(ended_lanes) {
  int lane = threadIdx.x;
  if (lane >= n) return;
  out[lane] = __shfl_down_sync(everyone, lane + 100, odd);
}
CASE(lanes_that_never_were) { // a block of 40
  int lane = threadIdx.x & 31;
  int got = __shfl_down_sync(everyone, lane + 100, odd * 4);
  if (threadIdx.x >= 32) out[lane] = got;
}
CASE(past_it) {
  int lane = threadIdx.x, got = -1;
  if (lane < n) got = __shfl_xor_sync(everyone, lane + 100, odd);
  out[lane] = got;
}
CASE(two_sides) {
  int lane = threadIdx.x, got;
  if (lane & odd)
    got = __shfl_xor_sync(everyone, lane + 100, odd);
  else
    got = __shfl_xor_sync(everyone, lane + 200, odd);
  out[lane] = got;
}
CASE(two_sides_ballot) {
  int lane = threadIdx.x;
  unsigned got;
  if (lane & odd)
    got = __ballot_sync(everyone, lane < 16);
  else
    got = __ballot_sync(everyone, lane < 8);
  out[lane] = static_cast<int>(got);
}
CASE(one_side_twice) {
  int lane = threadIdx.x, got = 0;
  if (lane & odd)
    for (int i = 0; i < 3; ++i) got += __shfl_xor_sync(everyone, lane + 100, odd);
  else
    got = __shfl_xor_sync(everyone, lane + 200, odd);
  got += __shfl_xor_sync(everyone, got, odd);
  out[lane] = got;
}
CASE(loops_of_different_length) {
  int lane = threadIdx.x, got = 0;
  for (int i = 0; i < (lane & 3); ++i) got += __shfl_down_sync(everyone, lane + 100, odd);
  got = got * 1000 + __shfl_xor_sync(everyone, lane, odd);
  out[lane] = got;
}
CASE(nested_loops) {
  int lane = threadIdx.x, got = 0;
  for (int k = 0; k < n; ++k)
    for (int r = lane & 3; r < odd; r += 4) {
      int v = lane + 100;
      v += __shfl_down_sync(everyone, v, 1, 4);
      v += __shfl_down_sync(everyone, v, 2, 4);
      got += v;
    }
  out[lane] = got;
}
CASE(leaving_in_the_middle) {
  int lane = threadIdx.x, got = 0;
  for (int i = 0;; ++i) {
    if (i == (lane & 7)) break;
    got = got * 3 + __shfl_xor_sync(everyone, lane + i, odd);
  }
  out[lane] = got + __shfl_xor_sync(everyone, lane, 2);
}
CASE(meeting_early) {
  int lane = threadIdx.x, v = lane;
  if (lane < 16) {
    if (lane == 3 * odd) {
      out[lane] = -1;
      return;
    }
    v += 100;
  } else {
    v += 1000;
  }
  out[lane] = __shfl_xor_sync(everyone, v, 16 * odd);
}
CASE(inside_a_call) {
  int lane = threadIdx.x, got = -1;
  auto f = [&](int d) { return __shfl_xor_sync(everyone, lane + d, odd); };
  switch (lane & 3) {
  case 0: got = f(100); break;
  case 1: got = f(200) + f(201); break;
  case 2: got = __reduce_add_sync(everyone, lane); break;
  default: got = static_cast<int>(__match_any_sync(everyone, lane / 8));
  }
  out[lane] = got;
}

int main() {
  int *out, host[32];
  cudaMalloc(&out, sizeof host);
#define RUN(name, threads)                                                                                   \
  cudaMemset(out, 0xff, sizeof host);                                                                        \
  name<<<1, threads>>>(out, 9, 1);                                                                           \
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);                                                \
  printf("%s:", #name);                                                                                      \
  for (int v : host) printf(" %d", v);                                                                       \
  printf("\n")
  RUN(ended_lanes, 32);
  RUN(lanes_that_never_were, 40);
  RUN(past_it, 32);
  RUN(two_sides, 32);
  RUN(two_sides_ballot, 32);
  RUN(one_side_twice, 32);
  RUN(loops_of_different_length, 32);
  RUN(nested_loops, 32);
  RUN(leaving_in_the_middle, 32);
  RUN(meeting_early, 32);
  RUN(inside_a_call, 32);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
