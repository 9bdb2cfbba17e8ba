// clang's __clang_cuda_intrinsics.h includes this toolkit header by name: the typed __match_…_sync and __nanosleep,
// over clang's 32- and 64-bit forms.
#pragma once

#define WARPLENS_MATCH(T, width, bits)                                                                         \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, T value) {                \
    return __match##width##_any_sync(mask, __builtin_bit_cast(bits, value));                                   \
  }                                                                                                            \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, T value, int* all) {      \
    return __match##width##_all_sync(mask, __builtin_bit_cast(bits, value), all);                              \
  }
WARPLENS_MATCH(int, 32, unsigned int)
WARPLENS_MATCH(unsigned int, 32, unsigned int)
WARPLENS_MATCH(float, 32, unsigned int)
WARPLENS_MATCH(long, 64, unsigned long long)
WARPLENS_MATCH(unsigned long, 64, unsigned long long)
WARPLENS_MATCH(long long, 64, unsigned long long)
WARPLENS_MATCH(unsigned long long, 64, unsigned long long)
WARPLENS_MATCH(double, 64, unsigned long long)
#undef WARPLENS_MATCH

static __device__ __forceinline__ void __nanosleep(unsigned int nanoseconds) {
  __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
