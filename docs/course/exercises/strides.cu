// An image of red, green and blue, one behind the other. A thread for each pixel darkens all three.
#include <cstdio>
#include <vector>

__global__ void darken(float* image) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  for (int colour = 0; colour < 3; ++colour) image[3 * pixel + colour] *= 0.5f;
}

int main() {
  const int pixels = 1 << 15, values = 3 * pixels;
  std::vector<float> host(values);
  for (int i = 0; i < values; ++i) host[i] = i % 7;
  float* image;
  cudaMalloc(&image, values * sizeof(float));
  cudaMemcpy(image, host.data(), values * sizeof(float), cudaMemcpyHostToDevice);
  darken<<<pixels / 256, 256>>>(image);
  std::vector<float> got(values);
  cudaMemcpy(got.data(), image, values * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < values; ++i)
    if (got[i] != host[i] * 0.5f) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
