// What YIELD does to lanes that wait at a BSYNC: loops of compare-and-swap and of volatile loads, whose rounds each lane knows beforehand.
//
// Nsight Compute 2025.3.1 on an NVIDIA H200, driver 580.159.04, 30 November 2026; nvcc 13.0 -O3 -arch=sm_90; two measurements alike.
// Instructions of the store behind the loop of `insert` and of `chase`, 8 warps, for the four shapes of main(): 256, 16, 32, 8, one for
// each different number of rounds of a warp. WarpLens: the same. `plain` has no YIELD, and agrees.
// The second loop of `twice`, of one warp, for the four shapes: loads 92, 3, 8, 5; stores behind it 19, 2, 4, 1. WarpLens: loads 90, 3, 6, 5;
// stores 14, 2, 4, 1. Of 12 launches 10 agree in every line, of 195 counts 183 (before YIELD was modelled: 3 and 155).
//
// The rule (src/engine/sim/exec/splits.cpp) was found with 17 kernels of one warp in seven shapes, with YIELD written into their machine
// code, each of whose lanes noted its clock and the active lanes at each point (data/h200_yield.txt.gz). The H200 repeats these traces. Of 119, the rule has the
// executions of every point in 115; without it, 43. With 35 more that need no rule tests/translate/yield_test.cpp holds them. What is sure:
//   * BSSY adds lanes to those that are waited for. Lanes that are not among them pass BSYNC.
//   * YIELD with nobody else in the warp does nothing. Else another part runs; if that is lanes that wait, their BSYNC is given up.
//   * Parts of a warp at the same place run as one.
#include <cstdio>
__global__ void insert(unsigned* slots, const unsigned* need, unsigned* out) { // as SimpleGPUHashTable: stores where it leaves
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 0, n = need[t];
  while (true) {
    unsigned before = atomicCAS(&slots[t * 32 + i], n, 7u);
    if (before == n || before == 0xffffffffu) { out[t * 2] = i; return; }
    ++i;
  }
}
__global__ void chase(volatile unsigned* next, unsigned* out) { // as ECL-CC: follows a list, then stores
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = t * 32, to;
  while (at != (to = next[at])) at = to;
  out[t * 2] = at;
}
__global__ void twice(volatile unsigned* next, unsigned* out) { // two such loops behind each other
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = t * 32, to;
  while (at != (to = next[at])) { next[at] = to; at = to; }
  out[t * 2] = at;
  at = (t ^ 1) * 32;
  while (at != (to = next[at])) at = to;
  out[t * 2 + 1] = at;
}
__global__ void plain(const unsigned* need, unsigned* out) { // the same shape without atomics: no YIELD
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 0, n = need[t], s = 0;
  while (i < n) { s = s * 3 + out[t * 2 + 1]; ++i; if (s == 77) break; }
  out[t * 2] = s;
}
int main(int argc, char** argv) {
  const int n = 256;
  for (int shape = 0; shape < 4; ++shape) { // rounds: 1..32; 1 or 2; 1..4 in groups of 8; all 5
    static unsigned need[n], slots[n * 32], next[n * 32];
    for (int t = 0; t < n; ++t) {
      const int lane = t % 32, r = shape == 0 ? lane : shape == 1 ? lane & 1 : shape == 2 ? lane / 8 : 4;
      need[t] = r;
      for (int i = 0; i < 32; ++i) slots[t * 32 + i] = i == r ? r : 1000, next[t * 32 + i] = t * 32 + (i < r ? i + 1 : i);
    }
    unsigned *a, *b, *c;
    cudaMalloc(&a, sizeof slots); cudaMalloc(&b, sizeof need); cudaMalloc(&c, n * 8);
    cudaMemcpy(a, slots, sizeof slots, cudaMemcpyHostToDevice); cudaMemcpy(b, need, sizeof need, cudaMemcpyHostToDevice);
    cudaMemset(c, 0, n * 8);
    insert<<<1, n>>>(a, b, c);
    cudaMemcpy(a, next, sizeof next, cudaMemcpyHostToDevice);
    chase<<<1, n>>>(a, c);
    twice<<<1, n>>>(a, c);
    plain<<<1, n>>>(b, c);
    printf("%d %s\n", shape, cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
