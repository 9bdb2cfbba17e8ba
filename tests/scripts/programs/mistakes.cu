// One mistake of each kind that --check memory and --check race find; and a kernel that makes none.
#include <cuda_runtime.h>

extern "C" __global__ void unset(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x]; // load of what nobody wrote
}

extern "C" __global__ void unset_shared(float* out) {
  __shared__ float tile[64];
  if (threadIdx.x < 32) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x]; // shared, unset
}

extern "C" __global__ void neighbours(float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x; // everybody writes
  out[threadIdx.x] = tile[63 - threadIdx.x]; // no barrier
}

extern "C" __global__ void late(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x]; // after free
}

extern "C" __global__ void right(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  float *in, *out, *gone, *kept;
  cudaMalloc(&in, 64 * sizeof(float)); // set too late
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&gone, 64 * sizeof(float));
  cudaMalloc(&kept, 1000); // never freed
  unset<<<1, 64>>>(in, out);
  cudaMemset(in, 0, 64 * sizeof(float));
  right<<<2, 64>>>(in, out);
  unset_shared<<<1, 64>>>(out);
  neighbours<<<1, 64>>>(out);
  cudaMemset(gone, 0, 64 * sizeof(float));
  cudaFree(gone);
  late<<<1, 64>>>(gone, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return 0;
}
