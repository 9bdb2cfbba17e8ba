// Lanes of one warp that wait for each other in loops, so that they come to what is behind it one after the other.
#include <cstdio>

#define KERNEL(name) __global__ void name(int* out, const int* in, int n)
#define LANE const int t = threadIdx.x & 31
#define FLAGS                                                                                                \
  __shared__ int held, count;                                                                                \
  if (threadIdx.x == 0) held = count = 0;                                                                    \
  __syncthreads()

// A lock whose holder stores its own element.
KERNEL(store_under_lock) {
  LANE; FLAGS;
  for (bool done = false; !done;)
    if (atomicCAS(&held, 0, 1) == 0) {
      out[t] = in[t] + n;
      __threadfence_block();
      atomicExch(&held, 0);
      done = true;
    }
}
// What was loaded from one place differs among lanes that meet again.
KERNEL(place_under_lock) {
  LANE; FLAGS;
  int place = 0;
  for (bool done = false; !done;)
    if (atomicCAS(&held, 0, 1) == 0) {
      place = *(volatile int*)&count;
      *(volatile int*)&count = place + 1;
      __threadfence_block();
      atomicExch(&held, 0);
      done = true;
    }
  __syncwarp();
  out[place * 32] = t;
  out[t] = n;
}
// Test and set, again and again.
KERNEL(lock_in_loop) {
  LANE; FLAGS;
#pragma unroll 1
  for (int i = 0; i < 3; ++i) {
    out[t + 32 * i] = in[t + n];
    while (atomicExch(&held, 1) != 0) {}
    out[t + 32 * i + 128] = in[t];
    __threadfence_block();
    atomicExch(&held, 0);
  }
}
// Each lane waits for the one before it.
KERNEL(lane_after_lane) {
  LANE; FLAGS;
  while (*(volatile int*)&held != t) {}
  out[t] = in[t];
  __threadfence_block();
  *(volatile int*)&held = t + 1;
  out[t + 32] = in[t];
  __syncwarp();
  out[t + 64] = in[t];
}
// All but one wait together, and the one is not there when they go on.
KERNEL(behind_a_flag) {
  LANE; FLAGS;
  if (t == 31) { __threadfence_block(); *(volatile int*)&held = 1; }
  else while (*(volatile int*)&held == 0) {}
  out[t] = in[t];
  __syncthreads();
  out[t + 32] = in[t];
}
KERNEL(behind_a_flag_of_the_first) {
  LANE; FLAGS;
  if (t == 0) { __threadfence_block(); *(volatile int*)&held = 1; }
  else while (*(volatile int*)&held == 0) {}
  out[t] = in[t];
}
// Numbers are drawn, and served in order.
KERNEL(served_in_order) {
  LANE; FLAGS;
  const int mine = atomicAdd(&held, 1);
  while (*(volatile int*)&count != mine) {}
  out[t] = in[t];
  __threadfence_block();
  *(volatile int*)&count = mine + 1;
}
__device__ __noinline__ void acquire(int* lock) { while (atomicCAS(lock, 0, 1) != 0) {} }
__device__ __noinline__ void release(int* lock) { __threadfence_block(); atomicExch(lock, 0); }
KERNEL(called) {
  LANE; FLAGS;
  acquire(&held);
  out[t] = in[t];
  release(&held);
  out[t + 32] = in[t];
}
// Votes are taken by those that are there.
KERNEL(votes) {
  LANE; FLAGS;
  while (*(volatile int*)&held != t) {}
  const int here = __popc(__activemask());
  *(volatile int*)&held = t + 1;
  __syncwarp();
  out[here * t] = in[t];
}
// Both halves wait for all lanes, each in a place of its own.
KERNEL(halves_wait) {
  LANE; FLAGS;
  if (t < 16) { out[t] = n; __syncwarp(); } else { __syncwarp(); out[t + 32] = n + 1; }
  out[t + 64] = in[t];
}
KERNEL(half_waits) {
  LANE; FLAGS;
  if (t < 16) __syncwarp(0xffff);
  out[t] = in[t];
}
KERNEL(chain_waits) {
  LANE; FLAGS;
  if (t > 0) { out[t + 32] = n; __syncwarp(0xfffffffe); }
  if (t < 2) { out[t + 64] = n; __syncwarp(3); }
  out[t] = in[t];
}

int main() {
  int *out, *in;
  cudaMalloc(&out, 8192);
  cudaMalloc(&in, 8192);
  cudaMemset(in, 0, 8192);
  void (*const all[])(int*, const int*, int) = {store_under_lock, place_under_lock, lock_in_loop, lane_after_lane,
                                                behind_a_flag, behind_a_flag_of_the_first, served_in_order, called,
                                                votes, halves_wait, half_waits, chain_waits};
  for (auto* kernel : all) {
    kernel<<<1, 32>>>(out, in, 0);
    if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
      return std::printf("%s\n", cudaGetErrorString(error)), 1;
  }
  return 0;
}
