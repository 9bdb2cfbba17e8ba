// The least a CUDA program does: what `warplens run` takes for it is start-up.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void number(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* device;
  int host[32] = {};
  cudaMalloc(&device, sizeof host);
  number<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::puts(host[31] == 31 ? "PASS" : "FAIL");
  return host[31] == 31 ? 0 : 1;
}
