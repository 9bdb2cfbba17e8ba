// Rows become columns: one of the two accesses goes down a column.
#include <cstdio>
#include <vector>

__global__ void transpose(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

int main() {
  const int n = 256;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = i;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n);
  std::vector<float> got(n * n);
  cudaMemcpy(got.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      if (got[x * n + y] != host[y * n + x]) return std::puts("FAIL"), 1;
  std::puts("PASS");
}
