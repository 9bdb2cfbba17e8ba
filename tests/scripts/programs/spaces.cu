// Atomics by addresses whose space the code does not know, and what isspacep says of them: global memory, the block's shared memory, that of another block of the cluster
// (9.0 and later), local memory. All threads of a block update the same words; in local memory one thread does it for all of them.
// Prints how many results differ from what the host expects.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
using u64 = unsigned long long;

struct Words {
  u64 sum, bits, most, last, compared;
  double wide;
  float narrow;
  unsigned count, named;
  __half2 pair;
};
enum Space { global, own, other, local, constants };
constexpr int threads = 256, blocks = 4;

template <Space space> __device__ void update(Words* w, u64* seen, u64 n) {
  atomicAdd(&w->sum, n), atomicOr(&w->bits, 1ull << n % 64), atomicMax(&w->most, n), atomicAdd(&w->count, 1u);
  atomicAdd(&w->wide, static_cast<double>(n)), atomicAdd(&w->narrow, static_cast<float>(n));
  if (space != local) atomicAdd(&w->pair, __half2(1, 2)); // in local memory code of ptxas adds them as whole numbers
  u64 old = *static_cast<volatile u64*>(&w->compared), expected;
  do old = atomicCAS(&w->compared, expected = old, old + n);
  while (old != expected);
  atomicAdd(seen, atomicExch(&w->last, n));
}

template <Space space> __global__ void run(Words* out, u64* seen) {
  __shared__ Words block;
  Words mine{}, *words = space == global ? out + blockIdx.x : space == local ? &mine : &block;
  if (threadIdx.x == 0) block = Words{};
  auto meet = [] {
#if __CUDA_ARCH__ >= 900
    if constexpr (space == other) return cg::this_cluster().sync();
#endif
    __syncthreads();
  };
  meet();
#if __CUDA_ARCH__ >= 900
  if constexpr (space == other) words = cg::this_cluster().map_shared_rank(&block, cg::this_cluster().block_rank() ^ 1);
#endif
  asm volatile("" : "+l"(words));
  if constexpr (space == local) {
    for (u64 n = 1; threadIdx.x == 0 && n <= threads; ++n) update<space>(words, seen + blockIdx.x, n);
  } else {
    update<space>(words, seen + blockIdx.x, threadIdx.x + 1);
  }
  if (threadIdx.x == 0)
    words->named = __isGlobal(words) << global | __isShared(words) << own | __isLocal(words) << local | __isConstant(words) << constants;
  meet();
  if (threadIdx.x == 0 && space != global) out[blockIdx.x] = space == local ? *words : block;
}

int main() {
  Words* out;
  u64* seen;
  cudaMallocManaged(&out, blocks * sizeof(Words)), cudaMallocManaged(&seen, blocks * sizeof(u64));
  int results = 0, wrong = 0;
  auto check = [&](Space space, auto kernel) {
    for (int b = 0; b < blocks; ++b) out[b] = Words{}, seen[b] = 0;
    cudaLaunchConfig_t shape{};
    cudaLaunchAttribute clusters;
    clusters.id = cudaLaunchAttributeClusterDimension, clusters.val.clusterDim = {2, 1, 1};
    shape.gridDim = blocks, shape.blockDim = threads, shape.attrs = &clusters, shape.numAttrs = space == other;
    wrong += cudaLaunchKernelEx(&shape, kernel, out, seen) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
    for (int b = 0; b < blocks; ++b) {
      const Words& w = out[b];
      const u64 sum = threads * (threads + 1) / 2, total = space == other ? seen[b ^ 1] + w.last : seen[b] + w.last;
      const bool loses = space == other, halves = space != local && !loses; // as an H200 does (h200_cluster_atomics.tsv)
      const bool right[] = {w.sum == sum,
                            loses || w.bits == ~0ull,
                            loses || w.most == threads,
                            w.compared == sum,
                            total == sum,
                            w.wide == sum,
                            w.narrow == sum,
                            w.count == threads,
                            space == other || w.named == 1u << space,
                            !halves || __low2float(w.pair) == threads,
                            !halves || __high2float(w.pair) == 2 * threads};
      for (const bool& one : right) {
        if (!one) std::printf("space %d, block %d, result %d\n", space, b, static_cast<int>(&one - right));
        ++results, wrong += !one;
      }
    }
  };
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  check(global, run<global>), check(own, run<own>), check(local, run<local>);
  if (device.major >= 9) check(other, run<other>);
  std::printf("%d of %d differ\n", wrong, results);
}
