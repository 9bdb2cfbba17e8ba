// For --budget: kernels whose addresses follow data, so that no proof counts them, launched again and again by a host that reads
// what they computed. Arguments: how often `walk` is launched at most, steps of each of its threads, and how many light launches, no
// two with the same grid, come before and after.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void walk(const int* next, int* where, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = where[i];
  const int mine = steps + i % 64; // blocks differ, and so do warps
  for (int s = 0; s < mine; ++s) at = next[at];
  where[i] = at;
}

// Its last blocks have nothing to do, and it prints: blocks run in their order.
__global__ void talk(const int* where, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && where[where[i]] == i) printf("block %d\n", blockIdx.x);
}

__global__ void last(const int* where, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[where[i]] = 1;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 4, steps = argc > 2 ? atoi(argv[2]) : 32;
  const int light = argc > 3 ? atoi(argv[3]) : 0;
  const int blocks = 2000, threads = 128, n = blocks * threads;
  std::vector<int> next(n), where(n);
  unsigned random = 1;
  for (int i = 0; i < n; ++i) {
    random = random * 1664525 + 1013904223;
    next[i] = (i + 1 + (random >> 8) % (i % 4096 + 1)) % n; // scattered more and more, 32 blocks long
    where[i] = i;
  }
  int *next_d, *where_d;
  float* out_d;
  cudaMalloc(&next_d, n * sizeof(int));
  cudaMalloc(&where_d, n * sizeof(int));
  cudaMalloc(&out_d, n * sizeof(float));
  cudaMemset(out_d, 0, n * sizeof(float));
  cudaMemcpy(next_d, next.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(where_d, where.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  for (int l = 0; l < light; ++l) last<<<blocks - 1 - l, threads>>>(where_d, out_d);
  long sum = 1;
  for (int l = 0; l < launches && sum != 0; ++l) {
    walk<<<blocks, threads>>>(next_d, where_d, steps);
    cudaMemcpy(where.data(), where_d, n * sizeof(int), cudaMemcpyDeviceToHost);
    sum = 0;
    for (int value : where) sum += value;
    std::printf("%d: %ld\n", l, sum);
  }
  for (int l = 0; l < light; ++l) last<<<blocks - 1 - light - l, threads>>>(where_d, out_d);
  talk<<<blocks, threads>>>(where_d, n / 2);
  last<<<blocks, threads>>>(where_d, out_d);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  std::printf("%s\n", ok ? "done" : "failed");
  return ok ? 7 : 1;
}
