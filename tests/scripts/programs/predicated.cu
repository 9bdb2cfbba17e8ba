// Accesses under a guard that holds for no lane of some warps. Of 256 threads of a block some do something; each way of writing it.
#include <cstdio>

__global__ void store(int* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 7;
}
__global__ void load(int* a, const int* b, int n) {
  int v = 1;
  if (threadIdx.x < n) v = b[threadIdx.x];
  a[threadIdx.x] = v;
}
__global__ void loop(int* a, const int* b, int n) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (threadIdx.x + i * 256 < n) sum += b[threadIdx.x + i * 256];
  a[threadIdx.x + blockIdx.x * 256] = sum;
}
__global__ void shared(int* a, int n) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v = 0;
  if (threadIdx.x < n) v = s[255 - threadIdx.x];
  a[threadIdx.x] = v;
}
__global__ void add(int* a, int n) {
  if (threadIdx.x % 64 < n) atomicAdd(a, 1);
}
__global__ void apart(int* a, const int* b, int n) {
  if (threadIdx.x & 1) {
    if (b[0] > n) a[threadIdx.x] = 1;
  } else if (b[1] > n)
    a[threadIdx.x] = 2;
}
// ptxas puts loads in front of the copies that no lane ever performs.
__global__ void copy(const float4* in, float* out, int n) {
  __shared__ __align__(16) float tile[256 * 4];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x * 4]));
  for (int i = 0; i < n; ++i) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMemset(b, 0, 1 << 20);
  store<<<3, 256>>>(a, 40);
  load<<<3, 256>>>(a, b, 40);
  loop<<<3, 256>>>(a, b, 700);
  shared<<<3, 256>>>(a, 70);
  add<<<3, 256>>>(a, 20);
  apart<<<3, 256>>>(a, b, 1);
  loop<<<2000, 256>>>(a, b, 1300);
  copy<<<1, 256>>>(reinterpret_cast<float4*>(b), reinterpret_cast<float*>(a), 100);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
