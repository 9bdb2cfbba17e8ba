// cuda_bf16.h for clang: __nv_bfloat16 (the upper half of a float) and __nv_bfloat162, for host and device.
//
// A scalar is its 16 bits; a pair is two scalars that copy as one 32-bit word, as nvcc copies them.
// Arithmetic is done in float and rounded to nearest even; fma is the instruction of that name on the device.
// Written from the CUDA Math API manual. Not here: the rounding modes of __float2bfloat16 other than nearest.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// For half_members.inc and half_functions.inc
#define HD static __host__ __device__ __forceinline__
#define H __nv_bfloat16
#define H2 __nv_bfloat162
#define WARPLENS_HALF_RAW __nv_bfloat16_raw
#define WARPLENS_HALF_NAME(before, after) before##bfloat16##after
#define WARPLENS_HALF_PTX "bf16"

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short __x;
  static constexpr unsigned short infinity = 0x7f80;

#include "warplens/half_members.inc"
  __host__ __device__ __forceinline__ float value() const { return decode(__x); }
  static __host__ __device__ __forceinline__ __nv_bfloat16 of(float v) { return of_bits(encode(v)); }

private:
  // Round to nearest even: add half of the last place that stays, a little less when that place is even.
  static __host__ __device__ __forceinline__ unsigned short encode(float v) {
    unsigned int bits = __builtin_bit_cast(unsigned int, v);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff; // the canonical NaN
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  static __host__ __device__ __forceinline__ float decode(unsigned short bits) {
    return __builtin_bit_cast(float, (unsigned int)bits << 16);
  }
};

HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short result;
  __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.bits()), "h"(b.bits()), "h"(c.bits()));
  return __nv_bfloat16::of_bits(result);
#else
  return __nv_bfloat16((float)((double)a.value() * (double)b.value() + (double)c.value()));
#endif
}

#include "warplens/half_functions.inc"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }

#undef HD
#undef H
#undef H2
#undef WARPLENS_HALF_RAW
#undef WARPLENS_HALF_NAME
#undef WARPLENS_HALF_PTX
#pragma clang attribute pop
