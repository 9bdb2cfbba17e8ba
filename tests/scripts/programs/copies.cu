// Asynchronous copies as CUDA's headers make them: a border that is filled with zeros (the last thread of a's end copies 4 of
// 16 bytes), and a tile that cooperative groups copy. For compute capability 8.0 and up, and nvcc's headers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda_pipeline.h>
#include <vector>
namespace groups = cooperative_groups;

constexpr int threads = 128, blocks = 2, each = 4, n = 1001; // a has a rest of one element

__device__ __host__ int picked(int thread, int i) { return (thread * each + i) * 7 % (threads * each); }

__global__ void sums(const float* a, float* out) {
  __shared__ alignas(16) float row[threads * each];
  __shared__ alignas(16) float tile[threads];
  int first = (blockIdx.x * threads + threadIdx.x) * each, left = min(max(n - first, 0), each);
  __pipeline_memcpy_async(&row[threadIdx.x * each], a + first, 16,
                          (each - left) * sizeof(float)); // fills with zeros
  __pipeline_commit();
  groups::thread_block block = groups::this_thread_block();
  groups::memcpy_async(block, tile, a + blockIdx.x * threads, sizeof tile);
  groups::wait(block);
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = tile[threads - 1 - threadIdx.x];
  for (int i = 0; i < each; ++i) sum += row[picked(threadIdx.x, i)];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

int main() {
  std::vector<float> a(n), out(blocks * threads);
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i);
  float *from, *to;
  cudaMalloc(&from, n * sizeof(float)), cudaMalloc(&to, out.size() * sizeof(float));
  cudaMemcpy(from, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  sums<<<blocks, threads>>>(from, to);
  cudaError_t error = cudaMemcpy(out.data(), to, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return std::printf("%s\n", cudaGetErrorString(error)), 1;
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t) {
      float want = a[b * threads + threads - 1 - t];
      for (int i = 0; i < each; ++i) {
        int at = b * threads * each + picked(t, i);
        want += at < n ? a[at] : 0;
      }
      if (out[b * threads + t] != want)
        return std::printf("sum %d of block %d is %g, expected %g\n", t, b, out[b * threads + t], want), 1;
    }
  std::printf("every sum is right\n");
}
