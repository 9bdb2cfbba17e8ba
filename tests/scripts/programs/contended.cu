// Atomics whose lanes meet at a word: of all warps at one, of each warp at its own, and of a table that each block updates.
#include <cuda_runtime.h>

__global__ void one_word(float* sums, const float* values) {
  atomicAdd(sums, values[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void word_each(float* sums, const float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[i / 32 * 8], values[i]);
}
__global__ void cells(float* sums, const float* values) { // eight neighbours, and no other thread, update a cell
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sums[i / 8], values[i]);
}

int main() {
  constexpr int count = 1 << 17;
  float *sums, *values;
  cudaMalloc(&sums, count);
  cudaMalloc(&values, count * sizeof(float));
  cudaMemset(sums, 0, count);
  cudaMemset(values, 0, count * sizeof(float));
  one_word<<<count / 256, 256>>>(sums, values);
  word_each<<<count / 256, 256>>>(sums, values);
  cells<<<count / 256, 256>>>(sums, values);
  return cudaDeviceSynchronize() != cudaSuccess;
}
