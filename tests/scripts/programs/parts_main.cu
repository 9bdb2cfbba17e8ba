// Device code of several files, and managed variables: with parts_other.cu.
#include <cstdio>

extern __device__ int shared_value;
extern __device__ int twice(int);
extern __managed__ int total;
__managed__ int table[64];
__managed__ double own = 0.5;
void set(int value);
int launch_other(int* out);

static __device__ int offset() { return 1000; } // the other file has one of the same name

__global__ void fill(int* out) {
  out[threadIdx.x] = twice(static_cast<int>(threadIdx.x)) + shared_value + offset();
  table[threadIdx.x] = total;
  if (threadIdx.x == 0) own *= 3;
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 128);
  total += 1; // before anything runs: 41 + 1
  set(100);
  fill<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  const int first = out[31];
  const int second = launch_other(out);
  int *address = nullptr, copy = 0;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&address), total);
  cudaMemcpyFromSymbol(&copy, total, sizeof copy);
  printf("%d %d %d %d %g %d %d %s\n", first, second, table[31], total, own, address == &total, copy,
         cudaGetErrorName(cudaGetLastError()));
}
