// Kernels that hazards_test.cpp runs: where lanes, warps and blocks wait for each other, and what few programs do.
// hazards.ptx is this file, by
//   nvcc -ptx -lineinfo -arch=compute_80 hazards.cu
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

// Lane 0 ends while the rest of its warp waits for it; the other warp waits for what the rest does afterwards.
extern "C" __global__ void exit_before_syncwarp(volatile int* flag, int* out) {
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) return;
    __syncwarp();
    flag[0] = 1;
  } else {
    while (flag[0] == 0) {}
    out[threadIdx.x - 32] = 1;
  }
}

// Both halves of a warp wait for each other at different places, and another warp for them.
extern "C" __global__ void syncwarp_in_two_places(volatile int* flag, int* out) {
  volatile __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    if (t < 16) {
      s[t] = t + 1;
      __syncwarp();
      out[t] = s[t + 16];
    } else {
      s[t] = 100 + t;
      __syncwarp();
      out[t] = s[t - 16];
    }
    __syncwarp();
    if (t == 0) flag[0] = 1;
  } else {
    while (flag[0] == 0) {}
  }
}

// A waiting loop whose every round diverges, waiting for another warp.
extern "C" __global__ void divergent_spin(volatile int* flag, int* out) {
  if (threadIdx.x < 32) {
    int seen;
    do {
      if (threadIdx.x & 1) seen = atomicAdd((int*)flag, 0);
      else seen = flag[threadIdx.x & 2];
    } while (seen == 0);
    out[threadIdx.x] = seen;
  } else {
    if (threadIdx.x == 32) {
      flag[0] = 5;
      flag[2] = 6;
    }
  }
}

// The same inside one warp.
extern "C" __global__ void divergent_spin_one_warp(volatile int* flag, int* out) {
  if (threadIdx.x != 7) {
    int seen;
    do {
      if (threadIdx.x & 1) seen = atomicAdd((int*)flag, 0);
      else seen = flag[0];
    } while (seen == 0);
    out[threadIdx.x] = seen;
  } else {
    flag[0] = 5;
    out[threadIdx.x] = 5;
  }
}

__device__ __noinline__ bool try_lock(int* mutex) { return atomicCAS(mutex, 0, 1) == 0; }
// The atomic is inside a function: the loop itself reads nothing that others write.
extern "C" __global__ void lock_in_a_call(int* mutex, int* counter) {
  while (!try_lock(mutex)) {}
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(mutex, 0);
}

// A back-off loop as long as a turn.
extern "C" __global__ void spin_with_backoff(volatile int* flag, volatile int* sink, int n) {
  if (threadIdx.x < 32) {
    while (flag[0] == 0)
#pragma unroll 1
      for (int i = 0; i < n; ++i) sink[threadIdx.x + 1];
  } else {
    __threadfence();
    flag[0] = 1;
  }
}

extern "C" __global__ void tiles(const int* in, int* out, unsigned* masks) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x, v = in[t];
  masks[t] = tile.ballot(v & 1);
  out[t] = tile.any(v > 90) * 1000 + tile.all(v < 50) * 100 + __popc(tile.match_any(v & 3));
}

extern "C" __global__ void tile_reduce(const int* in, int* out) {
  unsigned lane = threadIdx.x & 31, mask = 0xffu << (lane & ~7u);
  out[threadIdx.x] = __reduce_add_sync(mask, in[threadIdx.x]);
}

extern "C" __global__ void coalesced_groups(const int* in, int* out, int* counter) {
  if (in[threadIdx.x] % 3 == 0) {
    auto active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(counter, active.size());
    out[active.shfl(base, 0) + active.thread_rank()] = threadIdx.x;
  }
}

extern "C" __global__ void grid_rounds(int* data, int rounds) {
  auto grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; ++r) {
    int v = data[(i + blockDim.x) % n];
    grid.sync();
    data[i] = v + 1;
    grid.sync();
  }
}

// Single-pass scan: each block adds the published sums of those before it.
extern "C" __global__ void look_back(const int* in, int* out, volatile int* state, volatile int* sums, int* order) {
  __shared__ int block, before, s[64];
  int t = threadIdx.x;
  if (t == 0) block = atomicAdd(order, 1);
  __syncthreads();
  int i = block * 64 + t, v = in[i];
  s[t] = v;
  __syncthreads();
  for (int d = 1; d < 64; d <<= 1) {
    int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  if (t == 63) {
    sums[2 * block] = s[63];
    __threadfence();
    state[block] = 1;
    int total = 0;
    for (int b = block - 1; b >= 0; --b) {
      int seen;
      while ((seen = state[b]) == 0) {}
      __threadfence();
      if (seen == 2) {
        total += sums[2 * b + 1];
        break;
      }
      total += sums[2 * b];
    }
    before = total;
    sums[2 * block + 1] = total + s[63];
    __threadfence();
    state[block] = 2;
  }
  __syncthreads();
  out[i] = before + s[t];
}

struct Node { int next, value; };
// A lock-free stack: everyone pushes its node, then pops one.
extern "C" __global__ void lock_free_stack(Node* nodes, unsigned long long* head, int* popped) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long old = *(volatile unsigned long long*)head, seen;
  nodes[i].value = i;
  while (true) {
    *(volatile int*)&nodes[i].next = (int)(unsigned)old;
    __threadfence();
    unsigned long long now = ((old >> 32) + 1) << 32 | (unsigned)(i + 1);
    seen = atomicCAS(head, old, now);
    if (seen == old) break;
    old = seen;
  }
  old = *(volatile unsigned long long*)head;
  while (true) {
    int top = (int)(unsigned)old;
    if (top == 0) { old = *(volatile unsigned long long*)head; continue; }
    unsigned long long now = ((old >> 32) + 1) << 32 | (unsigned)*(volatile int*)&nodes[top - 1].next;
    seen = atomicCAS(head, old, now);
    if (seen == old) { atomicAdd(&popped[nodes[top - 1].value], 1); break; }
    old = seen;
  }
}

extern "C" __global__ void sleepy(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (flag[0] == 0) __nanosleep(100);
    out[threadIdx.x] = flag[0];
  } else if (threadIdx.x == 0) {
    flag[0] = 3;
  }
}

// Producer warps arrive, the consumer waits; two named barriers in turn, used over and over.
extern "C" __global__ void named_barriers(int* out, int rounds) {
  __shared__ int buffer[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int r = 0; r < rounds; ++r) {
      asm volatile("bar.sync 2, 96;" ::: "memory");
      buffer[t] = r * 64 + t;
      asm volatile("bar.arrive 1, 96;" ::: "memory");
    }
  } else {
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
      asm volatile("bar.arrive 2, 96;" ::: "memory");
      asm volatile("bar.sync 1, 96;" ::: "memory");
      sum += buffer[t - 64] + buffer[t - 32];
    }
    out[t - 64] = sum;
  }
}

// Early returns from a function inside a loop, by lanes that then meet a block-wide barrier.
__device__ __noinline__ int search(const int* in, int t, int depth) {
  for (int i = 0; i < 40; ++i) {
    if (in[(t + i) & 63] == 7) return i;
    if (depth > 0 && i == t % 5) {
      int deeper = search(in, t + 1, depth - 1);
      if (deeper == 3) return 1000 + i;
    }
  }
  return -1;
}
extern "C" __global__ void early_returns(const int* in, int* out) {
  volatile __shared__ int s[64];
  int t = threadIdx.x;
  if (t >= 60) return;
  int sum = 0;
  for (int r = 0; r < 3; ++r) {
    int found = search(in, t * (r + 1), 2);
    if (found == 5) continue;
    s[t] = found;
    __syncwarp(__activemask());
    sum += s[t];
  }
  __syncthreads();
  out[t] = sum;
}

// A value in closed form must not leak from lanes that took one path to lanes that took the other.
extern "C" __global__ void forms_under_masks(volatile int* flag, int* out, int n) {
  int t = threadIdx.x, v = t * 4 + n;
  if (t % 3 == 0) v = n;
  if (t % 5 == 0) v += t;
  if (t & 1) {
    while (flag[0] == 0) {}
    v = v * 2 + 1;
    for (int i = 0; i < (t & 3); ++i) v += blockDim.x;
  } else {
    v = v + 7 * t;
    if (t == 2) flag[0] = 1;
    v -= 3;
  }
  __syncthreads();
  out[t] = v;
}

__device__ __noinline__ int apply(int (*f)(int), int v) { return f(v); }
__device__ __noinline__ int f0(int v) { return v + 100; }
__device__ __noinline__ int f1(int v) { return v & 1 ? v * 3 : -v; }
__device__ __noinline__ int f2(int v) { __syncwarp(__activemask()); return v - 1; }
__device__ int (*table[3])(int) = {f0, f1, f2};
extern "C" __global__ void many_targets(int* out) {
  int t = threadIdx.x;
  int v = apply(table[t % 3], t);
  out[t] = t & 4 ? v : apply(table[(t + 1) % 3], v);
  unsigned all = __activemask();
  out[t] += (all == ~0u) * 100000; // everyone is back together
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half2* h, __nv_bfloat162* b, __half* h1) {
  int t = threadIdx.x;
  atomicMin(&i[0], -t);
  atomicMax(&i[1], t - 40);
  atomicSub(&i[2], t);
  atomicXor(&i[3], 1 << (t & 31));
  atomicInc(&u[0], 9);
  atomicDec(&u[1], 5);
  atomicMin(&u[2], 0xfffffff0u + (t & 7));
  atomicAnd(&u[3], ~(1u << (t & 15)));
  atomicAdd(&l[0], 1ull << 33);
  atomicMax((long long*)&l[1], -5ll - t);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(b, __floats2bfloat162_rn(1.0f, -1.0f));
  atomicAdd(h1, __float2half(0.5f));
}

// Atomics through a generic pointer that is shared in some lanes, global in others.
extern "C" __global__ void generic_atomics(int* out) {
  __shared__ int s[2];
  int t = threadIdx.x;
  if (t < 2) s[t] = 10;
  __syncthreads();
  int* p = t % 3 == 0 ? s : out + 4;
  out[8 + t] = atomicAdd(p + (t & 1), t) >= 0;
  __syncthreads();
  if (t < 2) out[t] = s[t];
}

extern "C" __global__ void print_formats(const char* null) {
  printf("[%*d|%-6d|%06d|%+d|%.*f|%c%%|%s|%x|%#o|%lld|%5s|%e]\n", 7, 42, 42, 42, 42, 3, 3.14159, 'z', null, 255u, 8, -1ll, "ab", 1.5);
}
extern "C" __global__ void print_results(int* out, const char* null) {
  out[0] = printf("no arguments\n");
  out[1] = printf("%d %s\n", 1, "two");
  out[2] = printf(null);
}

extern "C" __global__ void shared_bytes(int* out, int bytes) {
  extern __shared__ unsigned char room[];
  if (threadIdx.x == 0) room[bytes - 1] = 77;
  __syncthreads();
  if (threadIdx.x == 5) out[0] = room[bytes - 1];
}

__device__ __noinline__ int depth_of(int n) { return n == 0 ? 0 : 1 + depth_of(n - 1) % 1000000; }
extern "C" __global__ void recursion(int* out, int n) { out[threadIdx.x] = depth_of(n); }

extern "C" __global__ void count_blocks(unsigned long long* sum) {
  if (threadIdx.x == 0) atomicAdd(sum, blockIdx.x + 1ull);
}
extern "C" __global__ void histogram(const unsigned* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i] & 15], 1);
}
extern "C" __global__ void nothing() {}

// Shared addresses below their variable's start, brought back by a constant: 32-bit arithmetic wraps.
extern "C" __global__ void stencil(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t * t;
  __syncthreads();
  int* p = s + (t - 3);
  out[t] = t >= 3 ? p[0] + p[3] : p[3];
}
extern "C" __global__ void use_heap(int* out, unsigned long long bytes) {
  char* p = (char*)malloc(bytes);
  out[threadIdx.x] = p != nullptr;
  if (p) p[bytes - 1] = 1;
}
