// See parts_main.cu.
__device__ int shared_value = 7;
__device__ int twice(int x) { return x * 2; }
__managed__ int total = 41;
void set(int value) { cudaMemcpyToSymbol(shared_value, &value, sizeof value); }

static __device__ int offset() { return 2000; }
__global__ void other(int* out) {
  out[threadIdx.x] += offset();
  if (threadIdx.x == 0) atomicAdd(&total, 8);
}
int launch_other(int* out) {
  other<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  return out[31];
}
