// A histogram of bytes with atomics: straight into global memory, and first per block in shared memory.
// The global atomics of a warp go wherever the data says; in shared memory they stay on the multiprocessor.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    cudaError_t status = (call);                                                                             \
    if (status != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));                            \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int bins = 256, threads = 256;

__global__ void histogram_global(const unsigned char* data, int n, unsigned* counts) {
  int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) atomicAdd(&counts[data[i]], 1u); // up to 32 sectors, as many as the warp's bytes have places
}

__global__ void histogram_shared(const unsigned char* data, int n, unsigned* counts) {
  __shared__ unsigned local[bins];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
    atomicAdd(&local[data[i]], 1u); // lanes that meet in a bank wait for each other
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]); // contiguous: once per block and bin
}

int main() {
  const int n = 1 << 16;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(bins), counts(bins);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = (unsigned char)(state >> 24);
    ++expected[data[i]];
  }
  unsigned char* d_data;
  unsigned* d_counts;
  CHECK(cudaMalloc(&d_data, n));
  CHECK(cudaMalloc(&d_counts, bins * sizeof(unsigned)));
  CHECK(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
  bool good = true;
  for (bool shared : {false, true}) {
    CHECK(cudaMemset(d_counts, 0, bins * sizeof(unsigned)));
    if (shared)
      histogram_shared<<<16, threads>>>(d_data, n, d_counts);
    else
      histogram_global<<<n / threads, threads>>>(d_data, n, d_counts);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(counts.data(), d_counts, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    good &= counts == expected;
  }
  CHECK(cudaFree(d_data));
  CHECK(cudaFree(d_counts));
  std::printf("histogram: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
