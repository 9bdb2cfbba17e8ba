// Weights in global memory: what neighbouring threads want lies side by side.
#include <cstdio>
#include <vector>

__global__ void weigh(float* data, const float* __restrict__ weights) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= weights[i % 64];
}

int main() {
  const int n = 1 << 14;
  std::vector<float> host(n, 2.0f), weight(64);
  for (int k = 0; k < 64; ++k) weight[k] = k;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  float* weights;
  cudaMalloc(&weights, 64 * sizeof(float));
  cudaMemcpy(weights, weight.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
  weigh<<<n / 256, 256>>>(data, weights);
  cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (host[i] != 2.0f * (i % 64)) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
