// A recursion whose frames need more local memory than a thread has, unless the program asks for it.
#include <cstdio>
#include <cstdlib>

__device__ __noinline__ int sum(int depth, volatile int* p) {
  int frame[64];
  for (int i = 0; i < 64; ++i) frame[i] = p[0] + i + depth;
  return depth == 0 ? frame[p[0] & 63] : sum(depth - 1, p) + frame[(depth + p[0]) & 63];
}
__global__ void start(int depth, int* p) { p[1] = sum(depth, p); }

int main(int argc, char** argv) {
  if (argc > 2) cudaDeviceSetLimit(cudaLimitStackSize, std::atol(argv[2]));
  int* p;
  cudaMalloc(&p, 8);
  cudaMemset(p, 0, 8);
  start<<<1, 32>>>(std::atoi(argv[1]), p);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
