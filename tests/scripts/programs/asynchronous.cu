// Barrier objects, pipelines and copies in bulk as compilers write them for 9.0 and later: what comes out is compared between PTX and
// machine code.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void reduce(const float* in, float* out) {
  __shared__ float part[256];
  __shared__ barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  b.arrive_and_wait();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    b.wait(b.arrive());
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__global__ void producers(const float* in, float* out, int rounds) {
  __shared__ __align__(128) float room[2][256];
  __shared__ barrier full[2], empty[2];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      init(full + i, 64);
      init(empty + i, 64);
    }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < rounds; ++i) {
      empty[i % 2].arrive_and_wait();
      for (int k = threadIdx.x; k < 256; k += 32) room[i % 2][k] = in[(blockIdx.x * rounds + i) * 256 + k];
      (void)full[i % 2].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    float sum = 0;
    for (int i = 0; i < rounds; ++i) {
      full[i % 2].arrive_and_wait();
      for (int k = threadIdx.x - 32; k < 256; k += 32) sum += room[i % 2][k];
      if (i + 2 < rounds) (void)empty[i % 2].arrive();
    }
    out[blockIdx.x * 32 + threadIdx.x - 32] = sum;
  }
}
__global__ void bulk(const float* in, float* out) {
  __shared__ __align__(128) float room[1024];
  __shared__ barrier b;
  if (threadIdx.x == 0) {
    init(&b, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(room, in + blockIdx.x * 1024, sizeof room, b);
    token = cuda::device::barrier_arrive_tx(b, 1, sizeof room);
  } else
    token = b.arrive();
  b.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) room[i] = room[i] * 2 + 1;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(out + blockIdx.x * 1024, room, sizeof room);
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}
__global__ void copies(const float4* in, float* out) {
  __shared__ __align__(128) float4 room[256];
  __shared__ barrier b;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(block, room, in + blockIdx.x * 256, cuda::aligned_size_t<16>(sizeof room), b);
  b.arrive_and_wait();
  float4 v = room[255 - threadIdx.x];
  out[blockIdx.x * 256 + threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void each(const float4* in, float* out) {
  __shared__ float4 room[256];
  __shared__ barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(room + threadIdx.x, in + blockIdx.x * 256 + threadIdx.x, cuda::aligned_size_t<16>(16),
                     b);
  b.arrive_and_wait();
  float4 v = room[255 - threadIdx.x];
  out[blockIdx.x * 256 + threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void staged(const float* in, float* out, int rounds) {
  __shared__ float room[2][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(block, room[0], in + blockIdx.x * rounds * 256, 1024, pipe);
  pipe.producer_commit();
  for (int i = 1; i <= rounds; ++i) {
    if (i < rounds) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, room[i % 2], in + (blockIdx.x * rounds + i) * 256, 1024, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += room[(i - 1) % 2][255 - threadIdx.x];
    pipe.consumer_release();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
int main() {
  const int n = 1 << 20;
  float *in, *out;
  cudaMallocManaged(&in, n * 4);
  cudaMallocManaged(&out, n * 4);
  for (int i = 0; i < n; ++i) in[i] = i % 1000;
  auto show = [&](const char* what) {
    cudaError_t e = cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += out[i] * (i % 7 + 1);
    std::printf("%s %s %.1f\n", what, cudaGetErrorString(e), sum);
    cudaMemset(out, 0, n * 4);
  };
  reduce<<<64, 256>>>(in, out);
  show("reduce");
  producers<<<16, 64>>>(in, out, 8);
  show("producers");
  bulk<<<64, 128>>>(in, out);
  show("bulk");
  copies<<<64, 256>>>((float4*)in, out);
  show("copies");
  each<<<64, 256>>>((float4*)in, out);
  show("each");
  staged<<<16, 256>>>(in, out, 8);
  show("staged");
}
