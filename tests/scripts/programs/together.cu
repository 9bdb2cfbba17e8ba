// Lanes of a warp that come apart, and do something together again.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
namespace cg = cooperative_groups;
using u32 = unsigned;
using u64 = unsigned long long;
struct Slot { u32 key, count; };
template <class T> using Shared = cuda::atomic_ref<T, cuda::thread_scope_device>;
__device__ void wait_for(Slot* slot) {
  while (Shared<u32>(slot->count).load(cuda::memory_order_relaxed) == ~0u) {}
}
// Each key has a slot: how many threads found theirs empty.
__global__ void count(int n, Slot* slots, u32 room, u64* fresh) {
  u64 mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const u32 key = i % 1000;
    bool is_fresh = false;
    u32 at = key * 2654435761u % room;
    for (;; at = (at + 1) % room) {
      u64 old = *reinterpret_cast<u64*>(slots + at);
      if (static_cast<u32>(old) == ~0u) {
        is_fresh = Shared<u64>(*reinterpret_cast<u64*>(slots + at)).compare_exchange_strong(old, 1ull << 32 | key);
        if (is_fresh) wait_for(slots + at);
      }
      if (is_fresh) break;
      if (static_cast<u32>(old) != key) continue;
      wait_for(slots + at);
      break;
    }
    if (is_fresh) ++mine;
    else Shared<u32>(slots[at].count).fetch_add(1);
  }
  for (int far = 16; far > 0; far /= 2) mine += __shfl_down_sync(~0u, mine, far);
  if (threadIdx.x % 32 == 0) Shared<u64>(*fresh).fetch_add(mine);
}
// Lanes that name different ones.
__global__ void teams(const int* key, int* out) {
  const int lane = threadIdx.x;
  auto team = cg::labeled_partition(cg::coalesced_threads(), key[lane] % 5);
  int sum = team.shfl(lane, team.size() - 1) + 100 * team.size();
  if (key[lane] % 2) sum += cg::coalesced_threads().shfl(lane, 0) << 12;
  out[lane] = sum;
  team.sync();
  __shfl_sync(__match_any_sync(__activemask(), key[lane]), sum, 15);
}
int main() {
  Slot* slots;
  u64* fresh;
  int *key, *out;
  cudaMallocManaged(&slots, 2003 * sizeof(Slot)), cudaMallocManaged(&fresh, 8), cudaMallocManaged(&key, 128), cudaMallocManaged(&out, 128);
  for (int blocks : {20, 4}) {
    cudaMemset(slots, 0xff, 2003 * sizeof(Slot)), cudaMemset(fresh, 0, 8);
    count<<<blocks, 64>>>(5000, slots, 2003, fresh);
    cudaDeviceSynchronize();
    int counted = 0;
    for (int i = 0; i < 2003; ++i) counted += slots[i].key == ~0u ? 0 : slots[i].count;
    std::printf("%llu of 1000 keys, %d of 5000\n", *fresh, counted);
  }
  for (int i = 0; i < 32; ++i) key[i] = i * i % 11;
  teams<<<1, 32>>>(key, out);
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; ++i) std::printf(" %d", out[i]);
}
