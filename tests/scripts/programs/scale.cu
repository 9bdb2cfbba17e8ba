// Two launches of one kernel with a known count: 1024 floats, 32 warps, 4 sectors a request; prints what it computed.
#include <cstdio>

__global__ void scale(float* data, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * factor;
}

int main(int argc, char** argv) {
  const int n = 1024;
  float host[n], *device;
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<n / 256, 256>>>(device, 2.0f);
  scale<<<n / 256, 256>>>(device, 3.0f);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%g %g %s\n", host[1], host[n - 1], argc > 1 ? argv[1] : "-");
  return argc > 2 ? 7 : 0;
}
