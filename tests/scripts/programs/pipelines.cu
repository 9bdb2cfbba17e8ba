// cuda::barrier, cuda::pipeline and the copies of cooperative groups: a block turns rows around by way of shared memory, each kernel
// by another of them. "N wrong" is what main() finds.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

namespace groups = cooperative_groups;
constexpr int threads = 128, rows = 9;

__global__ void by_barrier(const int* in, int* out) {
  __shared__ __align__(16) int row[threads];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready, read;
  auto block = groups::this_thread_block();
  if (threadIdx.x == 0) init(&ready, threads), init(&read, threads);
  block.sync();
  for (int r = 0; r < rows; ++r) {
    cuda::memcpy_async(block, row, in + r * threads, cuda::aligned_size_t<16>(sizeof row), ready);
    ready.arrive_and_wait();
    out[r * threads + threadIdx.x] = row[threads - 1 - threadIdx.x];
    auto token = read.arrive();
    read.wait(std::move(token));
  }
}

__global__ void by_pipeline(const int* in, int* out) {
  constexpr int stages = 3;
  __shared__ int row[stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int r = 0, fetched = 0; r < rows; ++r) {
    for (; fetched < rows && fetched < r + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, row[fetched % stages], in + fetched * threads, sizeof row[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[r * threads + threadIdx.x] = row[r % stages][threads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

// The first warp fetches, the others read.
__global__ void by_roles(const int* in, int* out) {
  constexpr int stages = 2;
  __shared__ int row[stages][threads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = groups::this_thread_block();
  const bool fetches = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state, fetches ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int r = 0; r < rows; ++r)
    if (fetches) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < threads; i += 32) cuda::memcpy_async(&row[r % stages][i], in + r * threads + i, sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (int i = threadIdx.x - 32; i < threads; i += threads - 32) out[r * threads + i] = row[r % stages][threads - 1 - i];
      pipe.consumer_release();
    }
}

__global__ void by_thread(const int* in, int* out) { // each thread its own two stages
  __shared__ int row[2][threads];
  auto pipe = cuda::make_pipeline();
  auto fetch = [&](int r) {
    pipe.producer_acquire();
    cuda::memcpy_async(&row[r % 2][threadIdx.x], in + r * threads + threadIdx.x, sizeof(int), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int r = 0; r < rows; ++r) {
    if (r + 1 < rows) fetch(r + 1);
    pipe.consumer_wait();
    out[r * threads + threads - 1 - threadIdx.x] = row[r % 2][threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void by_groups(const int* in, int* out) {
  __shared__ __align__(16) int row[2][threads];
  auto block = groups::this_thread_block();
  groups::memcpy_async(block, row[0], in, sizeof row[0]);
  for (int r = 0; r < rows; ++r) {
    if (r + 1 < rows) {
      groups::memcpy_async(block, row[(r + 1) % 2], in + (r + 1) * threads, cuda::aligned_size_t<16>(sizeof row[0]));
      groups::wait_prior<1>(block);
    } else {
      groups::wait(block);
    }
    out[r * threads + threadIdx.x] = row[r % 2][threads - 1 - threadIdx.x];
    block.sync();
  }
}

__global__ void by_primitives(const int* in, int* out) {
  __shared__ int row[threads];
  for (int r = 0; r < rows; ++r) {
    __pipeline_memcpy_async(&row[threadIdx.x], &in[r * threads + threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[r * threads + threadIdx.x] = row[threads - 1 - threadIdx.x];
    __syncthreads();
  }
}

int main() {
  int *in, *out, failed = 0;
  cudaMallocManaged(&in, rows * threads * sizeof(int));
  cudaMallocManaged(&out, rows * threads * sizeof(int));
  for (int i = 0; i < rows * threads; ++i) in[i] = i * 7919;
  auto check = [&](const char* name, void (*kernel)(const int*, int*)) {
    for (int i = 0; i < rows * threads; ++i) out[i] = 0;
    kernel<<<1, threads>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < rows * threads; ++i) wrong += out[i] != in[i / threads * threads + threads - 1 - i % threads];
    std::printf("%s: %d wrong%s%s\n", name, wrong, error ? ", " : "", error ? cudaGetErrorString(error) : "");
    failed += wrong != 0 || error != cudaSuccess;
  };
  check("barrier", by_barrier), check("pipeline", by_pipeline), check("roles", by_roles), check("thread", by_thread);
  check("groups", by_groups), check("primitives", by_primitives);
  std::puts(failed ? "FAILED" : "PASSED");
  return failed != 0;
}
