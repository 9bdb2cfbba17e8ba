// cooperative_groups/reduce.h for clang: reduce(group, value, operation) for tiles and coalesced groups, in
// ⌈log2 size⌉ shuffles; every thread of the group gets the result.
#pragma once
#include "cooperative_groups.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

#define WARPLENS_OPERATION(name, expression)                                                                   \
  template <class T = void> struct name {                                                                      \
    __device__ __forceinline__ T operator()(T a, T b) const { return expression; }                             \
  };                                                                                                           \
  template <> struct name<void> {                                                                              \
    template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return expression; }          \
  };
WARPLENS_OPERATION(plus, a + b)
WARPLENS_OPERATION(less, a < b ? a : b)
WARPLENS_OPERATION(greater, a > b ? a : b)
WARPLENS_OPERATION(bit_and, a & b)
WARPLENS_OPERATION(bit_or, a | b)
WARPLENS_OPERATION(bit_xor, a ^ b)
#undef WARPLENS_OPERATION

template <unsigned Size, class Parent, class T, class Operation>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  for (unsigned offset = Size / 2; offset > 0; offset /= 2) value = operation(value, tile.shfl_xor(value, offset));
  return value;
}

// Not a power of two in general: fold onto lower ranks, then hand out rank 0's result.
template <class T, class Operation>
__device__ __forceinline__ T reduce(const coalesced_group& group, T value, Operation operation) {
  unsigned rank = group.thread_rank();
  for (unsigned width = group.size(); width > 1; width = (width + 1) / 2) {
    unsigned half = (width + 1) / 2;
    T other = group.shfl(value, rank + half < width ? rank + half : rank);
    if (rank + half < width) value = operation(value, other);
  }
  return group.shfl(value, 0u);
}

} // namespace cooperative_groups

#pragma clang attribute pop
