// cooperative_groups.h for clang: thread_block, thread_block_tile<N>, coalesced_group, grid_group, thread_group,
// and partitions ("CUDA C++ Programming Guide", Cooperative Groups).
//
// A group smaller than a block is a set of lanes of one warp: a mask, and functions over it that are the _sync
// warp functions. A grid synchronises through a counter that the launch provides (%envreg1:2, as nvcc's own code
// expects it): each block adds to it, and block 0's share is such that the top bit flips when all have arrived.
//
// Not here: clusters, multi-grid groups, memcpy_async, barriers of groups larger than a warp other than the block.
#pragma once
#include "warplens_cuda.h"
#include <type_traits>
#include <utility>

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define WARPLENS_D __device__ __forceinline__

namespace cooperative_groups {

namespace details {
WARPLENS_D inline unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
WARPLENS_D inline unsigned lanes_below() {
  unsigned mask;
  __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
WARPLENS_D inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
WARPLENS_D inline unsigned thread_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
// The lane of the group's thread number `rank`: the rank-th set bit of its mask.
WARPLENS_D inline unsigned lane_of(unsigned mask, unsigned rank) {
  return mask == 0xffffffffu ? rank : __fns(mask, 0, (int)rank + 1);
}
// Whether the warp functions have T; anything else goes from lane to lane as words.
template <class T, class = void> struct is_shuffled : std::false_type {};
template <class T>
struct is_shuffled<T, decltype((void)__shfl_sync(0u, std::declval<T>(), 0, 32))> : std::true_type {};
template <class T, class Shuffle> WARPLENS_D T exchanged(T value, Shuffle&& shuffle) {
  if constexpr (is_shuffled<T>::value) {
    return shuffle(value);
  } else {
    static_assert(std::is_trivially_destructible<T>::value, "values go from lane to lane by their bytes");
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = shuffle(word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
}
struct GridWorkspace {
  unsigned size, barrier;
};
// Null without a cooperative launch.
WARPLENS_D inline GridWorkspace* grid_workspace() {
  unsigned high, low;
  __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
  __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
  return (GridWorkspace*)((unsigned long long)high << 32 | low);
}
} // namespace details

// A group whose kind is only known at run time: a block, or some lanes of a warp.
class thread_group {
public:
  WARPLENS_D void sync() const {
    if (whole_block_) __syncthreads();
    else __syncwarp(mask_);
  }
  WARPLENS_D unsigned long long size() const { return whole_block_ ? details::block_threads() : __popc(mask_); }
  WARPLENS_D unsigned long long num_threads() const { return size(); }
  WARPLENS_D unsigned long long thread_rank() const {
    return whole_block_ ? details::thread_in_block() : __popc(mask_ & details::lanes_below());
  }
  WARPLENS_D bool is_valid() const { return true; }
  WARPLENS_D thread_group(bool whole_block, unsigned mask) : whole_block_(whole_block), mask_(mask) {}
  WARPLENS_D bool whole_block() const { return whole_block_; }
  WARPLENS_D unsigned mask() const { return mask_; }

private:
  bool whole_block_;
  unsigned mask_;
};

class thread_block {
public:
  static WARPLENS_D void sync() { __syncthreads(); }
  static WARPLENS_D unsigned thread_rank() { return details::thread_in_block(); }
  static WARPLENS_D unsigned size() { return details::block_threads(); }
  static WARPLENS_D unsigned num_threads() { return details::block_threads(); }
  static WARPLENS_D dim3 group_index() { return blockIdx; }
  static WARPLENS_D dim3 thread_index() { return threadIdx; }
  static WARPLENS_D dim3 group_dim() { return blockDim; }
  static WARPLENS_D dim3 dim_threads() { return blockDim; }
  WARPLENS_D bool is_valid() const { return true; }
  WARPLENS_D operator thread_group() const { return thread_group(true, 0); }
};
WARPLENS_D inline thread_block this_thread_block() { return {}; }

// What tiles and coalesced groups share: the warp functions over a mask. Ranks are positions in the group.
class warp_group {
public:
  WARPLENS_D void sync() const { __syncwarp(mask_); }
  WARPLENS_D bool is_valid() const { return true; }
  WARPLENS_D int any(int predicate) const { return __any_sync(mask_, predicate); }
  WARPLENS_D int all(int predicate) const { return __all_sync(mask_, predicate); }
  WARPLENS_D unsigned mask() const { return mask_; }
  WARPLENS_D operator thread_group() const { return thread_group(false, mask_); }

protected:
  WARPLENS_D explicit warp_group(unsigned mask) : mask_(mask) {}
  unsigned mask_;
};

template <unsigned Size, class Parent = void> class thread_block_tile : public warp_group {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  static constexpr unsigned low = Size == 32 ? 0xffffffffu : (1u << Size) - 1;

public:
  WARPLENS_D thread_block_tile() : warp_group(low << (details::thread_in_block() % 32 / Size * Size)) {}
  template <class Other> WARPLENS_D thread_block_tile(const thread_block_tile<Size, Other>& o) : warp_group(o.mask()) {}
  static WARPLENS_D unsigned thread_rank() { return details::thread_in_block() % Size; }
  static constexpr __host__ __device__ unsigned size() { return Size; }
  static constexpr __host__ __device__ unsigned num_threads() { return Size; }
  static WARPLENS_D unsigned meta_group_rank() { return details::thread_in_block() / Size; }
  static WARPLENS_D unsigned meta_group_size() { return (details::block_threads() + Size - 1) / Size; }
  template <class T> WARPLENS_D T shfl(T value, int rank) const {
    return details::exchanged(value, [&](auto one) { return __shfl_sync(mask_, one, rank, Size); });
  }
  template <class T> WARPLENS_D T shfl_up(T value, unsigned n) const {
    return details::exchanged(value, [&](auto one) { return __shfl_up_sync(mask_, one, n, Size); });
  }
  template <class T> WARPLENS_D T shfl_down(T value, unsigned n) const {
    return details::exchanged(value, [&](auto one) { return __shfl_down_sync(mask_, one, n, Size); });
  }
  template <class T> WARPLENS_D T shfl_xor(T value, unsigned n) const {
    return details::exchanged(value, [&](auto one) { return __shfl_xor_sync(mask_, one, (int)n, Size); });
  }
  WARPLENS_D unsigned ballot(int predicate) const { return relative(__ballot_sync(mask_, predicate)); }
  template <class T> WARPLENS_D unsigned match_any(T value) const { return relative(__match_any_sync(mask_, value)); }
  template <class T> WARPLENS_D unsigned match_all(T value, int& all) const {
    return relative(__match_all_sync(mask_, value, &all));
  }

private:
  WARPLENS_D unsigned relative(unsigned lanes) const { return (lanes & mask_) >> (details::lane() / Size * Size); }
};

class coalesced_group : public warp_group {
public:
  WARPLENS_D explicit coalesced_group(unsigned mask) : warp_group(mask) {}
  WARPLENS_D unsigned thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  WARPLENS_D unsigned size() const { return __popc(mask_); }
  WARPLENS_D unsigned num_threads() const { return __popc(mask_); }
  WARPLENS_D unsigned meta_group_rank() const { return 0; }
  WARPLENS_D unsigned meta_group_size() const { return 1; }
  template <class T> WARPLENS_D T shfl(T value, unsigned rank) const {
    return __shfl_sync(mask_, value, (int)details::lane_of(mask_, rank));
  }
  // Past the end of the group a thread keeps its own value.
  template <class T> WARPLENS_D T shfl_down(T value, unsigned n) const {
    unsigned rank = thread_rank() + n;
    return __shfl_sync(mask_, value, (int)(rank < size() ? details::lane_of(mask_, rank) : details::lane()));
  }
  template <class T> WARPLENS_D T shfl_up(T value, unsigned n) const {
    unsigned rank = thread_rank();
    return __shfl_sync(mask_, value, (int)(rank >= n ? details::lane_of(mask_, rank - n) : details::lane()));
  }
  WARPLENS_D unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T> WARPLENS_D unsigned match_any(T value) const { return packed(__match_any_sync(mask_, value)); }
  template <class T> WARPLENS_D unsigned match_all(T value, int& all) const {
    return packed(__match_all_sync(mask_, value, &all));
  }

private:
  // Bits of the group's lanes moved together: bit r is the thread of rank r.
  WARPLENS_D unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank) result |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank;
    return result;
  }
};
WARPLENS_D inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

class grid_group {
public:
  WARPLENS_D bool is_valid() const { return details::grid_workspace() != nullptr; }
  WARPLENS_D void sync() const {
    if (!is_valid()) __trap();
    __syncthreads();
    if (details::thread_in_block() == 0) {
      // All blocks together add 2^31, so the top bit flips when the last one arrives, and nothing needs a reset.
      bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
      unsigned share = first ? 0x80000000u - (num_blocks32() - 1) : 1;
      volatile unsigned* barrier = &details::grid_workspace()->barrier;
      __threadfence();
      unsigned before = atomicAdd((unsigned*)barrier, share);
      while (((before ^ *barrier) & 0x80000000u) == 0) {}
      __threadfence();
    }
    __syncthreads();
  }
  static WARPLENS_D unsigned long long thread_rank() {
    return (unsigned long long)block_rank() * details::block_threads() + details::thread_in_block();
  }
  static WARPLENS_D unsigned long long size() {
    return (unsigned long long)num_blocks32() * details::block_threads();
  }
  static WARPLENS_D unsigned long long num_threads() { return size(); }
  static WARPLENS_D unsigned long long num_blocks() { return num_blocks32(); }
  static WARPLENS_D unsigned long long block_rank() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * (unsigned long long)gridDim.x + blockIdx.x;
  }
  static WARPLENS_D dim3 group_dim() { return gridDim; }
  static WARPLENS_D dim3 dim_blocks() { return gridDim; }
  static WARPLENS_D dim3 block_index() { return blockIdx; }

private:
  static WARPLENS_D unsigned num_blocks32() { return gridDim.x * gridDim.y * gridDim.z; }
};
WARPLENS_D inline grid_group this_grid() { return {}; }

// Partitions
template <unsigned Size, class Parent> WARPLENS_D inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
WARPLENS_D inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  unsigned rank = (unsigned)parent.thread_rank();
  if (parent.whole_block()) {
    unsigned low = size >= 32 ? 0xffffffffu : (1u << size) - 1;
    return thread_group(false, low << (rank % 32 / size * size));
  }
  unsigned mask = 0, begin = rank / size * size;
  for (unsigned r = begin; r < begin + size && r < parent.size(); ++r) mask |= 1u << details::lane_of(parent.mask(), r);
  return thread_group(false, mask);
}
template <class Group> WARPLENS_D inline coalesced_group labeled_partition(const Group& group, int label) {
  return coalesced_group(__match_any_sync(group.mask(), label));
}
template <class Group> WARPLENS_D inline coalesced_group binary_partition(const Group& group, bool predicate) {
  unsigned yes = __ballot_sync(group.mask(), predicate);
  return coalesced_group(predicate ? yes : group.mask() & ~yes);
}

template <class Group> WARPLENS_D inline void sync(const Group& group) { group.sync(); }
template <class Group, class F> WARPLENS_D inline void invoke_one(const Group& group, F&& f) {
  if (group.thread_rank() == 0) f();
}

} // namespace cooperative_groups

#undef WARPLENS_D
#pragma clang attribute pop
