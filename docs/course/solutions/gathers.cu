// Each block counts in shared memory, and adds up its counters at the end.
#include <cstdio>
#include <vector>

__global__ void count(const unsigned char* bytes, int* bins, int n) {
  __shared__ int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[bytes[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main() {
  const int n = 1 << 15;
  std::vector<unsigned char> host(n);
  unsigned state = 1;
  for (unsigned char& byte : host) byte = (state = state * 1664525 + 1013904223) >> 24;
  unsigned char* bytes;
  int* bins;
  cudaMalloc(&bytes, n);
  cudaMalloc(&bins, 256 * sizeof(int));
  cudaMemset(bins, 0, 256 * sizeof(int));
  cudaMemcpy(bytes, host.data(), n, cudaMemcpyHostToDevice);
  count<<<16, 256>>>(bytes, bins, n);
  std::vector<int> got(256), expected(256);
  cudaMemcpy(got.data(), bins, 256 * sizeof(int), cudaMemcpyDeviceToHost);
  for (unsigned char byte : host) ++expected[byte];
  std::puts(got == expected ? "PASS" : "FAIL");
  return got != expected;
}
