// Shuffles of every type, votes, matches, reductions, barriers, fences.
#include <cuda_runtime.h>

template <class T> __device__ T sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value + __shfl_sync(0xffffffffu, value, 0) + __shfl_up_sync(0xffffffffu, value, 1) +
         __shfl_xor_sync(0xffffffffu, value, 1, 16);
}

__global__ void warp(int* i, unsigned* u, long long* l, double* d, float* f) {
  unsigned t = threadIdx.x;
  i[t] = sum(i[t]);
  u[t] = sum(u[t]);
  l[t] = sum(l[t]);
  d[t] = sum(d[t]);
  f[t] = sum(f[t]);
  u[t] += __ballot_sync(0xffffffffu, i[t] > 0) + __activemask() + __match_any_sync(0xffffffffu, i[t]);
  i[t] += __all_sync(0xffffffffu, t < 16) + __any_sync(0xffffffffu, t < 16);
  int all;
  u[t] += __match_all_sync(0xffffffffu, l[t], &all) + all;
  u[t] += __reduce_add_sync(0xffffffffu, u[t]) + __reduce_max_sync(0xffffffffu, u[t]);
  __syncwarp();
  i[t] += __syncthreads_count(i[t]) + __syncthreads_and(i[t]) + __syncthreads_or(i[t]);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(10);
  l[t] += clock64() + clock();
}

int main() { return 0; }
