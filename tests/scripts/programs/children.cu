// Dynamic parallelism: each block of the parent launches a child for itself, and one that comes after all of those.
#include <cstdio>

__global__ void fill(int* out, int value) { out[threadIdx.x] += value; }
__global__ void sum(const int* in, int* out, int n) {
  int total = 0;
  for (int i = threadIdx.x; i < n; i += 32) total += in[i];
  for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(~0u, total, step);
  if (threadIdx.x == 0) *out = total;
}
__global__ void parent(int* data, int* result) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) sum<<<1, 32, 0, cudaStreamTailLaunch>>>(data, result, 4 * 32);
  fill<<<1, 32>>>(data + blockIdx.x * 32, blockIdx.x + 1);
}

int main() {
  int *data, *result, total = 0;
  cudaMallocManaged(&data, 4 * 32 * sizeof(int));
  cudaMallocManaged(&result, sizeof(int));
  parent<<<4, 64>>>(data, result);
  cudaError_t error = cudaDeviceSynchronize();
  total = *result;
  printf("%d %d\n", error, total);
}
