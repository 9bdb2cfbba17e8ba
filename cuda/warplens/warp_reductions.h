// __reduce_add_sync … __reduce_xor_sync, from 8.0 on ("CUDA C++ Programming Guide", Warp Reduce Functions). clang has them, too, but
// up to 20 it hands mask and value to its builtins in the wrong order (llvm/llvm-project issue 131415), and sums are unsigned only.
//
// Include this instead of clang's header, which it includes under other names for those functions.
#pragma once

#define __reduce_add_sync warplens_unused_add
#define __reduce_min_sync warplens_unused_min
#define __reduce_max_sync warplens_unused_max
#define __reduce_and_sync warplens_unused_and
#define __reduce_or_sync warplens_unused_or
#define __reduce_xor_sync warplens_unused_xor
#include <__clang_cuda_intrinsics.h>
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

#if __CUDA_ARCH__ >= 800
#define WARPLENS_REDUCE(op, T, type)                                                                           \
  static __device__ __forceinline__ T __reduce_##op##_sync(unsigned int mask, T value) {                       \
    T result;                                                                                                  \
    __asm__ __volatile__("redux.sync." #op "." type " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));    \
    return result;                                                                                             \
  }
WARPLENS_REDUCE(add, int, "s32")
WARPLENS_REDUCE(add, unsigned int, "u32")
WARPLENS_REDUCE(min, int, "s32")
WARPLENS_REDUCE(min, unsigned int, "u32")
WARPLENS_REDUCE(max, int, "s32")
WARPLENS_REDUCE(max, unsigned int, "u32")
WARPLENS_REDUCE(and, unsigned int, "b32")
WARPLENS_REDUCE(or, unsigned int, "b32")
WARPLENS_REDUCE(xor, unsigned int, "b32")
#undef WARPLENS_REDUCE
#endif
