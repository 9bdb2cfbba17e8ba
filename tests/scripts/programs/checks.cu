// Kernels with barriers that not all threads keep to, by the name of the first argument. Prints the CUDA error.
#include <cstdio>
#include <cstring>

__global__ void uniform(int* p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void divergent(int* p) {
  if (threadIdx.x < 40)
    __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void branches(int* p) {
  if (threadIdx.x < 32) {
    p[threadIdx.x] = 1;
    __syncthreads();
  } else {
    p[threadIdx.x + 1] = 2;
    __syncthreads();
  }
}
__global__ void mask(int* p) {
  __syncwarp(0x7fffffff);
  p[threadIdx.x] = 1;
}
__global__ void named(int* p) { // 32 of 64 threads end: 96 never come
  if (threadIdx.x < 32) return;
  asm volatile("bar.sync 1, 96;");
  p[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  if (!std::strcmp(what, "uniform")) uniform<<<4, 64>>>(p);
  if (!std::strcmp(what, "divergent")) divergent<<<4, 64>>>(p);
  if (!std::strcmp(what, "branches")) branches<<<4, 64>>>(p);
  if (!std::strcmp(what, "mask")) mask<<<1, 32>>>(p);
  if (!std::strcmp(what, "named")) named<<<1, 64>>>(p);
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
