// Each thread scales sixteen numbers, and in each step neighbouring threads have neighbouring ones.
#include <cstdio>
#include <vector>

__global__ void scale(float* data, int each, float factor) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int j = 0; j < each; ++j) data[j * threads + thread] *= factor;
}

int main() {
  const int n = 1 << 16, each = 16;
  std::vector<float> host(n, 1.0f);
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<n / each / 128, 128>>>(data, each, 3.0f);
  cudaMemcpy(host.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float x : host)
    if (x != 3.0f) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
