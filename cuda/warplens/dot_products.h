// __dp4a, __dp2a: byte and halfword dot products with accumulation (PTX ISA, dp4a and dp2a).
#pragma once

#define WARPLENS_DOT(name, T, A, B, op)                                                                        \
  static __device__ __forceinline__ T name(A a, B b, T c) {                                                    \
    T result;                                                                                                  \
    __asm__(op " %0, %1, %2, %3;"                                                                              \
            : "=r"(result)                                                                                     \
            : "r"(__builtin_bit_cast(T, a)), "r"(__builtin_bit_cast(T, b)), "r"(c));                           \
    return result;                                                                                             \
  }
WARPLENS_DOT(__dp4a, int, int, int, "dp4a.s32.s32")
WARPLENS_DOT(__dp4a, unsigned int, unsigned int, unsigned int, "dp4a.u32.u32")
WARPLENS_DOT(__dp2a_lo, int, int, int, "dp2a.lo.s32.s32")
WARPLENS_DOT(__dp2a_lo, unsigned int, unsigned int, unsigned int, "dp2a.lo.u32.u32")
WARPLENS_DOT(__dp2a_hi, int, int, int, "dp2a.hi.s32.s32")
WARPLENS_DOT(__dp2a_hi, unsigned int, unsigned int, unsigned int, "dp2a.hi.u32.u32")
#undef WARPLENS_DOT
static __device__ __forceinline__ int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(*(const int*)&a, *(const int*)&b, c);
}
static __device__ __forceinline__ unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(*(const unsigned int*)&a, *(const unsigned int*)&b, c);
}
