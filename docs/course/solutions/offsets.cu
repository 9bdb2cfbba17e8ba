// The border takes 32 elements, of which one is used: the inner part begins at a multiple of 128 bytes.
#include <cstdio>
#include <vector>

__global__ void copy_inner(const float* from, float* to, int before) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[before + i] = 2 * from[before + i];
}

int main() {
  const int inner = 1 << 16, before = 32, all = before + inner + 1; // a border on both sides
  std::vector<float> host(all);
  for (int i = 0; i < all; ++i) host[i] = i % 11;
  float *from, *to;
  cudaMalloc(&from, all * sizeof(float));
  cudaMalloc(&to, all * sizeof(float));
  cudaMemcpy(from, host.data(), all * sizeof(float), cudaMemcpyHostToDevice);
  copy_inner<<<inner / 256, 256>>>(from, to, before);
  std::vector<float> got(all);
  cudaMemcpy(got.data(), to, all * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = before; i < before + inner; ++i)
    if (got[i] != 2 * host[i]) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
