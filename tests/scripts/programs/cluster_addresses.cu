// Clusters as machine code has them: the rank is part of every address of shared memory. The block's own memory by either kind of pointer,
// that of others, local memory beside it, barriers of other blocks, and copies to several blocks.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ std::uint32_t address_of(void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void wait_for(std::uint32_t barrier) {
  for (int done = 0; done == 0;)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
}

// Launched with clusters and without.
__global__ void own(int* out) {
  __shared__ int row[64];
  int* generic = row;
  asm volatile("" : "+l"(generic));
  generic[threadIdx.x] = threadIdx.x + blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] =
      row[63 - threadIdx.x] + 1000 * cg::this_cluster().block_rank() + 10000 * __isShared(generic);
}

__global__ void __cluster_dims__(4, 1, 1) ring(int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  __shared__ int row[64];
  row[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  int* next = cluster.map_shared_rank(row, (cluster.block_rank() + 1) % cluster.num_blocks());
  const int seen = next[63 - threadIdx.x];
  cluster.sync();
  atomicAdd(next + threadIdx.x, 5);
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] = seen * 10 + row[threadIdx.x] % 100 + cluster.dim_blocks().x;
}

__global__ void __cluster_dims__(2, 1, 1) locals(int* out, int k) {
  int mine[16];
  for (int i = 0; i < 16; ++i) mine[i] = i * k + threadIdx.x;
  int* generic = mine;
  asm volatile("" : "+l"(generic));
  __shared__ int block;
  if (threadIdx.x == 0) block = blockIdx.x;
  cg::this_cluster().sync();
  const int other = *cg::this_cluster().map_shared_rank(&block, 1 - blockIdx.x % 2);
  out[blockIdx.x * 64 + threadIdx.x] = generic[(threadIdx.x + k) % 16] + 1000 * other;
  cg::this_cluster().sync();
}

// Each lane arrives at the barrier of another block.
__global__ void __cluster_dims__(4, 1, 1) arrivals(int* out) {
  __shared__ std::uint64_t barrier;
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  const std::uint32_t mine = address_of(&barrier);
  if (threadIdx.x == 0) {
    sum = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(mine) : "memory");
  }
  asm volatile("fence.mbarrier_init.release.cluster;");
  cluster.sync();
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(threadIdx.x % 4));
  atomicAdd(cluster.map_shared_rank(&sum, threadIdx.x % 4), threadIdx.x);
  asm volatile(
      "fence.acq_rel.cluster; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
      : "memory");
  wait_for(mine);
  out[blockIdx.x * 64 + threadIdx.x] = sum;
  cluster.sync();
}

// Block 1 copies to those of the mask.
__global__ void __cluster_dims__(4, 1, 1) broadcast(const int* in, int* out, unsigned short mask) {
  __shared__ __align__(128) int row[64];
  __shared__ std::uint64_t barrier;
  cg::cluster_group cluster = cg::this_cluster();
  const std::uint32_t mine = address_of(&barrier);
  row[threadIdx.x] = -1;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mine) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
    if (mask >> cluster.block_rank() & 1)
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(mine) : "memory");
    else
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(mine) : "memory");
  }
  cluster.sync();
  if (cluster.block_rank() == 1 && threadIdx.x == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1], 256, [%2], %3;" ::"r"(address_of(row)),
                 "l"(in + blockIdx.x * 64), "r"(mine), "h"(mask)
                 : "memory");
  wait_for(mine);
  out[blockIdx.x * 64 + threadIdx.x] = row[threadIdx.x];
  cluster.sync();
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 4096 * sizeof(int));
  cudaMallocManaged(&out, 4096 * sizeof(int));
  for (int i = 0; i < 4096; ++i) in[i] = 3 * i;
  auto show = [&](const char* name) {
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned hash = 0;
    for (int i = 0; i < 512; ++i) hash = hash * 31 + out[i];
    std::printf("%s %s %u %d %d %d\n", name, cudaGetErrorString(error), hash, out[0], out[64], out[255]);
    cudaMemset(out, 0, 4096 * sizeof(int));
  };
  cudaLaunchConfig_t shape{};
  shape.gridDim = 8, shape.blockDim = 64;
  cudaLaunchAttribute clusters;
  clusters.id = cudaLaunchAttributeClusterDimension;
  clusters.val.clusterDim = {2, 1, 1};
  shape.attrs = &clusters, shape.numAttrs = 1;
  cudaLaunchKernelEx(&shape, own, out), show("own in clusters");
  own<<<8, 64>>>(out), show("own");
  ring<<<8, 64>>>(out), show("ring");
  locals<<<8, 64>>>(out, 3), show("locals");
  arrivals<<<8, 64>>>(out), show("arrivals");
  broadcast<<<8, 64>>>(in, out, 0xb), show("broadcast");
}
