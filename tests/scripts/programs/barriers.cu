// Threads that wait for each other and for copies at cuda::barrier, and cuda::pipeline, as CUDA's headers make them. For compute
// capability 8.0 and up, and nvcc's headers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>
namespace groups = cooperative_groups;

constexpr int threads = 128, steps = 6, n = threads * steps;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// A block copies all it needs and goes on when it has come; some threads leave before the last phase.
__global__ void with_barrier(const int* in, int* out) {
  __shared__ Barrier barrier;
  __shared__ int tile[threads];
  groups::thread_block block = groups::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    cuda::memcpy_async(block, tile, in + step * threads, sizeof tile, barrier); // copies a tile
    barrier.arrive_and_wait();
    sum += tile[threads - 1 - threadIdx.x];
    Barrier::arrival_token token = barrier.arrive();
    barrier.wait(std::move(token));
  }
  out[threadIdx.x] = sum;
  if (threadIdx.x >= threads / 2) return barrier.arrive_and_drop();
  barrier.arrive_and_wait();
  tile[threadIdx.x] = sum;
  barrier.arrive_and_wait(); // only half of them are left
  out[threadIdx.x] += tile[threads / 2 - 1 - threadIdx.x];
}

// Two tiles, one of which is filled while the other is used.
__global__ void with_pipeline(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tiles[2][threads];
  groups::thread_block block = groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int step = 0, filled = 0; step < steps; ++step) {
    for (; filled < steps && filled < step + 2; ++filled) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, tiles[filled % 2], in + filled * threads, sizeof tiles[0], pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    sum += tiles[step % 2][threads - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// The first warp only copies, the others only use what it brings.
__global__ void with_roles(const int* in, int* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tiles[2][threads];
  groups::thread_block block = groups::this_thread_block();
  auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipeline = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int step = 0; step < steps; ++step) {
      pipeline.producer_acquire();
      for (int i = threadIdx.x; i < threads; i += 32)
        cuda::memcpy_async(&tiles[step % 2][i], in + step * threads + i, sizeof(int), pipeline);
      pipeline.producer_commit();
    }
  } else {
    int sum = 0;
    for (int step = 0; step < steps; ++step) {
      pipeline.consumer_wait();
      sum += tiles[step % 2][threads - 1 - threadIdx.x];
      pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
  }
}

int main() {
  std::vector<int> a(n), got(threads);
  for (int i = 0; i < n; ++i) a[i] = i * 3 % 1001;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, threads * sizeof(int));
  cudaMemcpy(in, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  std::vector<int> sums(threads);
  for (int t = 0; t < threads; ++t)
    for (int step = 0; step < steps; ++step) sums[t] += a[step * threads + threads - 1 - t];
  void (*kernels[])(const int*, int*) = {with_barrier, with_pipeline, with_roles};
  for (int k = 0; k < 3; ++k) {
    cudaMemset(out, 0, threads * sizeof(int));
    kernels[k]<<<1, threads>>>(in, out);
    cudaError_t error = cudaMemcpy(got.data(), out, threads * sizeof(int), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return std::printf("kernel %d: %s\n", k, cudaGetErrorString(error)), 1;
    for (int t = 0; t < threads; ++t) {
      int want = k == 2 && t < 32 ? 0 : sums[t];
      if (k == 0 && t < threads / 2) want += sums[threads / 2 - 1 - t];
      if (got[t] != want) return std::printf("kernel %d, sum %d is %d, expected %d\n", k, t, got[t], want), 1;
    }
  }
  std::printf("every sum is right\n");
}
