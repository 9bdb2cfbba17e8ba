// Weights in constant memory. Neighbouring threads want different ones.
#include <cstdio>
#include <vector>

__constant__ float weights[64];

__global__ void weigh(float* data) {
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
  cudaMemcpyToSymbol(weights, weight.data(), 64 * sizeof(float));
  weigh<<<n / 256, 256>>>(data);
  cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (host[i] != 2.0f * (i % 64)) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
