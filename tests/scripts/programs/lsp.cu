// For lsp_test.sh: one store that is apart, one load that is not, one bank conflict.
#include "lsp.cuh"
#include <cstdio>

__global__ void scatter(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x * step] = in[threadIdx.x] + tile[31 - threadIdx.x][0];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&out, 32 * 32 * sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float));
  scatter<<<1, 32>>>(in, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
