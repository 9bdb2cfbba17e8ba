// Accesses whose number or place follows from which thread comes first, beside some whose does not.
#include <cstdio>

__device__ int lock, total, flag, count;

__global__ void locked() { // a lock
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    total += blockIdx.x;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
__global__ void waits(int* out) { // a flag
  if (blockIdx.x == 0) {
    *(volatile int*)&flag = 1;
  } else {
    while (*(volatile int*)&flag == 0) {}
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__device__ void multiply(float* at, float by) { // a loop around a compare-and-swap
  int old = *(int*)at, expected;
  do {
    expected = old;
    old = atomicCAS((int*)at, expected, __float_as_int(__int_as_float(expected) * by));
  } while (old != expected);
}
__global__ void retries(float* out) { multiply(out + threadIdx.x % 4, 2); }
__global__ void compacts(const int* in, int* out) { // places in the order of arrival
  int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x % 3 == 0) out[atomicAdd(&count, 1)] = x;
}
__global__ void counts(const int* in, int* out) { // exact: nobody looks at what comes back
  atomicAdd(&out[in[blockIdx.x * blockDim.x + threadIdx.x] % 64], 1);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 1 << 16);
  cudaMalloc(&out, 1 << 16);
  cudaMemset(in, 3, 1 << 16);
  locked<<<32, 64>>>();
  waits<<<4, 64>>>(out);
  retries<<<4, 64>>>((float*)out);
  compacts<<<4, 64>>>(in, out);
  counts<<<4, 64>>>(in, out);
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
