// Clusters of blocks: a histogram whose bins are spread over the shared memory of a cluster, launched with an attribute; a
// kernel with its cluster's size at compile time; and sizes that are refused. For compute capability 9.0 and up.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace groups = cooperative_groups;

constexpr int bins = 64, threads = 64, blocks = 8, n = 4096;

__global__ void histogram(const int* values, int* out) {
  extern __shared__ int mine[]; // bins / blocks of the cluster
  groups::cluster_group cluster = groups::this_cluster();
  int each = bins / cluster.num_blocks();
  for (int i = threadIdx.x; i < each; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = values[i];
    atomicAdd(cluster.map_shared_rank(mine, bin / each) + bin % each, 1); // another block's memory
  }
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(out + cluster.block_rank() * each + i, mine[i]);
}

__global__ void __cluster_dims__(2, 2, 1) ranks(int* out) {
  groups::cluster_group cluster = groups::this_cluster();
  __shared__ int rank;
  if (threadIdx.x == 0) rank = cluster.block_rank();
  cluster.sync();
  int sum = 0;
  for (unsigned i = 0; i < cluster.num_blocks(); ++i) sum += *cluster.map_shared_rank(&rank, i) * (i == cluster.block_rank() ? 100 : 1);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

cudaError_t launch(int size, const int* values, int* out, int grid = blocks) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = threads, config.dynamicSmemBytes = bins * sizeof(int);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, histogram, values, out);
}

int main() {
  std::vector<int> values(n), want(bins), got(bins);
  for (int i = 0; i < n; ++i) values[i] = i * i % 61 % bins, ++want[values[i]];
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int)), cudaMalloc(&out, bins * sizeof(int));
  cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  for (int size : {1, 2, 4, 8}) {
    cudaMemset(out, 0, bins * sizeof(int));
    cudaError_t error = launch(size, in, out);
    if (error == cudaSuccess) error = cudaMemcpy(got.data(), out, bins * sizeof(int), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return std::printf("clusters of %d: %s\n", size, cudaGetErrorString(error)), 1;
    if (got != want) return std::printf("clusters of %d: a wrong histogram\n", size), 1;
  }
  ranks<<<dim3(4, 2), 32>>>(out);
  cudaError_t error = cudaMemcpy(got.data(), out, 8 * sizeof(int), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return std::printf("ranks: %s\n", cudaGetErrorString(error)), 1;
  for (int i = 0; i < 8; ++i) {
    int rank = i % 2 + i / 4 * 2, sum = 6 + rank * 99;
    if (got[i] != sum) return std::printf("rank %d: %d, expected %d\n", i, got[i], sum), 1;
  }
  std::printf("clusters are right\n");
  std::printf("clusters of 3: %s\n", cudaGetErrorName(launch(3, in, out)));
  std::printf("clusters of 16: %s\n", cudaGetErrorName(launch(16, in, out, 16)));
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks, config.blockDim = threads;
  int most = 0;
  cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config);
  std::printf("at most %d\n", most);
}
