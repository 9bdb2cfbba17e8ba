// Reads in order, turns round in shared memory, and writes in order.
#include <cstdio>
#include <vector>

__global__ void reverse(const float* in, float* out, int n) {
  __shared__ float part[256];
  int first = n - (blockIdx.x + 1) * blockDim.x;
  part[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int n = 1 << 14;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  reverse<<<n / 256, 256>>>(in, out, n);
  std::vector<float> got(n);
  cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (got[i] != host[n - 1 - i]) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
