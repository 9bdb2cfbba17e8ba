// The colours are treated alike, so a thread needs not know which it has: a thread for each value.
#include <cstdio>
#include <vector>

__global__ void darken(float* image) {
  int value = blockIdx.x * blockDim.x + threadIdx.x;
  image[value] *= 0.5f;
}

int main() {
  const int pixels = 1 << 15, values = 3 * pixels;
  std::vector<float> host(values);
  for (int i = 0; i < values; ++i) host[i] = i % 7;
  float* image;
  cudaMalloc(&image, values * sizeof(float));
  cudaMemcpy(image, host.data(), values * sizeof(float), cudaMemcpyHostToDevice);
  darken<<<values / 256, 256>>>(image);
  std::vector<float> got(values);
  cudaMemcpy(got.data(), image, values * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < values; ++i)
    if (got[i] != host[i] * 0.5f) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
