// Sums up in shared memory. The numbers that a warp adds lie side by side in each round.
#include <cstdio>
#include <vector>

__global__ void sum(const int* in, int* sums) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int distance = 128; distance > 0; distance /= 2) {
    if (t < distance) part[t] += part[t + distance];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

int main() {
  const int blocks = 64, n = 256 * blocks;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i % 13;
  int *in, *sums;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  sum<<<blocks, 256>>>(in, sums);
  std::vector<int> got(blocks);
  cudaMemcpy(got.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  for (int b = 0; b < blocks; ++b) {
    int expected = 0;
    for (int i = 0; i < 256; ++i) expected += host[256 * b + i];
    if (got[b] != expected) return std::puts("FAIL"), 1;
  }
  std::puts("PASS");
}
