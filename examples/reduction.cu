// Summing an array, three ways to combine the values of a block: interleaved (bank conflicts), sequential
// (none), and by shuffles (hardly any shared memory). The loads from global memory are contiguous in all
// three.
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

constexpr int threads = 256;

// The stride grows: active threads are 2·stride words apart, so they meet in the same banks, 2, 4, … at a
// time.
__global__ void sum_interleaved(const int* in, int* out) {
  __shared__ int part[threads];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * threads + t];
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    int i = 2 * stride * t;
    if (i < threads) part[i] += part[i + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}

// The stride shrinks: active threads are neighbours and use neighbouring banks.
__global__ void sum_sequential(const int* in, int* out) {
  __shared__ int part[threads];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * threads + t];
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}

// Within a warp values travel through registers; shared memory holds one word per warp.
__global__ void sum_shuffle(const int* in, int* out) {
  __shared__ int part[threads / 32];
  int t = threadIdx.x, value = in[blockIdx.x * threads + t];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (t % 32 == 0) part[t / 32] = value;
  __syncthreads();
  if (t >= 32) return;
  value = t < threads / 32 ? part[t] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (t == 0) atomicAdd(out, value);
}

int main() {
  const int blocks = 64, n = blocks * threads;
  std::vector<int> in(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = i % 101 - 50;
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, n * sizeof(int)));
  CHECK(cudaMalloc(&d_out, sizeof(int)));
  CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  bool good = true;
  for (auto kernel : {sum_interleaved, sum_sequential, sum_shuffle}) {
    int sum = 0;
    CHECK(cudaMemset(d_out, 0, sizeof(int)));
    kernel<<<blocks, threads>>>(d_in, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, d_out, sizeof(int), cudaMemcpyDeviceToHost));
    good &= sum == expected;
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  std::printf("reduction: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
