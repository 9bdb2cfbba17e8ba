// Kernels that launch_test.cpp runs, one per ability of the emulator. programs.ptx is this file, by
//   nvcc -ptx -lineinfo -arch=compute_80 programs.cu
#include <cassert>
#include <cstdio>

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void tree_sum(int n, const int* in, int* out) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void collatz(int n, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i + 1;
  int steps = 0;
  while (v != 1) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    if (++steps > 1000) break;
  }
  out[i] = steps;
}

extern "C" __global__ void warp_sum(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
  unsigned odd = __ballot_sync(~0u, in[threadIdx.x] & 1);
  if (threadIdx.x == 0) out[1] = odd;
}

// Lanes of one warp wait for each other.
extern "C" __global__ void spin_lock(int* mutex, int* counter) {
  while (atomicCAS(mutex, 0, 1) != 0) {}
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(mutex, 0);
}

// Every CTA waits for the one after it: the last must run first.
extern "C" __global__ void backwards(volatile int* turn, int* out) {
  if (threadIdx.x == 0) {
    int mine = gridDim.x - 1 - blockIdx.x;
    while (turn[0] != mine) {}
    out[blockIdx.x] = mine;
    __threadfence();
    turn[0] = mine + 1;
  }
}

// One warp produces what another consumes, through a flag in shared memory and through named barriers.
extern "C" __global__ void producer(int* out) {
  __shared__ volatile int flag, value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (flag == 0) {}
    if (threadIdx.x == 0) out[0] = value;
  } else if (threadIdx.x == 32) {
    value = 42;
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
  else {
    out[1] = 7;
    asm volatile("bar.arrive 1, 64;");
  }
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int twice(int x) { return x * 2; }
__device__ __noinline__ int minus(int x) { return -x; }
__device__ int (*table[3])(int) = {plus_one, twice, minus};
extern "C" __global__ void pointers(int* out) { out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x); }

extern "C" __global__ void print() {
  if (threadIdx.x < 3) printf("t %d %s %5.2f %lld %%\n", threadIdx.x, "abc", threadIdx.x * 1.5, 1234567890123LL);
}
extern "C" __global__ void write_at(int* p, long offset) { p[offset + threadIdx.x] = 1; }
extern "C" __global__ void misaligned(char* p) { *(int*)(p + threadIdx.x * 4 + (threadIdx.x == 5)) = 1; }
extern "C" __global__ void assertion(int* p) { assert(p[threadIdx.x] != 7); }
extern "C" __global__ void forever(volatile int* p) {
  while (p[0] == 0) {}
}
extern "C" __global__ void no_escape(int* p) {
  int i = 0;
  while (i >= 0) i = (i + 1) & 0xffff;
  p[0] = i;
}
extern "C" __global__ void local_array(int* out) {
  int a[16];
  for (int i = 0; i < 16; i++) a[i] = i * i + threadIdx.x;
  int s = 0;
  for (int i = 0; i < 16; i++) s += a[(i * threadIdx.x) & 15];
  out[threadIdx.x] = s;
}
extern "C" __global__ void dynamic_shared(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void heap(int* out) {
  int* p = (int*)malloc(16);
  p[0] = threadIdx.x;
  p[3] = 2;
  out[threadIdx.x] = p[0] * p[3];
  free(p);
}
extern "C" __global__ void block_votes(int* out) {
  int odd = __syncthreads_count(threadIdx.x & 1), all = __syncthreads_and(threadIdx.x < 1000), any = __syncthreads_or(threadIdx.x == 77);
  if (threadIdx.x == 0) {
    out[0] = odd;
    out[1] = all;
    out[2] = any;
  }
}
// Blocks of three dimensions keep their index in closed form.
extern "C" __global__ void volume(int* out) {
  int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + i] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z;
}
extern "C" __global__ void switches(const int* in, int* out) {
  int v = in[threadIdx.x], r;
  switch (v) {
  case 0: r = 11; break;
  case 1: r = v * 7 + threadIdx.x; break;
  case 2: r = __popc(threadIdx.x); break;
  case 3: r = -5; break;
  case 4: r = threadIdx.x ^ 9; break;
  case 5: r = threadIdx.x / 3; break;
  default: r = 99;
  }
  out[threadIdx.x] = r;
}
