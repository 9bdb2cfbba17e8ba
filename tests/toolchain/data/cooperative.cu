// Cooperative groups: blocks, tiles, coalesced threads, the grid, reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <class Group> __device__ int total(const Group& group, int value) {
  return cg::reduce(group, value, cg::plus<int>());
}
__global__ void groups(int* a, float* f) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  a[block.thread_rank()] = total(warp, a[0]) + total(quad, a[1]) + warp.shfl_down(a[2], 1);
  f[0] = cg::reduce(quad, f[1], cg::greater<float>());
  if (a[3]) {
    cg::coalesced_group active = cg::coalesced_threads();
    a[active.thread_rank()] = active.size() + total(active, a[4]) + active.shfl(a[5], 0);
  }
  a[6] = quad.ballot(a[7]) + warp.any(a[8]) + warp.meta_group_rank();
  cg::sync(warp);
  block.sync();
  cg::this_grid().sync();
}
__device__ void any_group(cg::thread_group group, int* a) {
  group.sync();
  a[group.thread_rank()] = group.size();
}
__global__ void generic(int* a) {
  any_group(cg::this_thread_block(), a);
  any_group(cg::tiled_partition(cg::this_thread_block(), 8), a);
}

int main() { return 0; }
