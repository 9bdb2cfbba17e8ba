// cuda_bf16.h for clang: __nv_bfloat16 (the upper half of a float) and __nv_bfloat162, for host and device.
//
// A scalar is its 16 bits; a pair is two scalars that copy as one 32-bit word, as nvcc copies them.
// Arithmetic is done in float and rounded to nearest even; fma is the instruction of that name on the device.
// Written from the CUDA Math API manual. Not here: the rounding modes of __float2bfloat16 other than nearest.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#define HD static __host__ __device__ __forceinline__

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __nv_bfloat16 {
  unsigned short __x;
  static constexpr unsigned short infinity = 0x7f80;

  __nv_bfloat16() = default;
  __host__ __device__ __forceinline__ __nv_bfloat16(float v) : __x(encode(v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(double v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(int v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned int v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(long long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned long long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(short v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(unsigned short v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x) {}
  __host__ __device__ __forceinline__ operator __nv_bfloat16_raw() const { return {__x}; }
  __host__ __device__ __forceinline__ operator float() const { return decode(__x); }
  __host__ __device__ __forceinline__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
  __host__ __device__ __forceinline__ explicit operator double() const { return decode(__x); }
  __host__ __device__ __forceinline__ explicit operator int() const { return (int)decode(__x); }
  __host__ __device__ __forceinline__ explicit operator unsigned int() const { return (unsigned int)decode(__x); }
  __host__ __device__ __forceinline__ explicit operator long long() const { return (long long)decode(__x); }

  static __host__ __device__ __forceinline__ __nv_bfloat16 of_bits(unsigned short bits) {
    __nv_bfloat16 h;
    h.__x = bits;
    return h;
  }
  __host__ __device__ __forceinline__ unsigned short bits() const { return __x; }
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

struct [[clang::trivial_abi]] __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __host__ __device__ __forceinline__ __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  __host__ __device__ __forceinline__ __nv_bfloat162(const __nv_bfloat162& o) { *this = o; }
  __host__ __device__ __forceinline__ __nv_bfloat162& operator=(const __nv_bfloat162& o) {
    typedef unsigned int __attribute__((may_alias)) Word;
    *(Word*)this = *(const Word*)&o;
    return *this;
  }
  static __host__ __device__ __forceinline__ __nv_bfloat162 of_bits(unsigned int bits) {
    return __nv_bfloat162(__nv_bfloat16::of_bits((unsigned short)bits), __nv_bfloat16::of_bits((unsigned short)(bits >> 16)));
  }
  __host__ __device__ __forceinline__ unsigned int bits() const { return x.bits() | (unsigned int)y.bits() << 16; }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short result;
  __asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a.bits()), "h"(b.bits()), "h"(c.bits()));
  return __nv_bfloat16::of_bits(result);
#else
  return __nv_bfloat16((float)((double)a.value() * (double)b.value() + (double)c.value()));
#endif
}
#define H __nv_bfloat16
#define H2 __nv_bfloat162
#define WARPLENS_HALF_PTX "bf16"
#include "warplens/half_functions.inc"
#undef H
#undef H2
#undef WARPLENS_HALF_PTX

// Conversions
HD __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
HD __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
HD __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16((float)v); }
HD float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
#define WARPLENS_INTEGER(name, T)                                                                              \
  HD __nv_bfloat16 __##name##2bfloat16_rn(T v) { return __nv_bfloat16((float)v); }                                                \
  HD T __bfloat162##name##_rz(__nv_bfloat16 h) { return (T)(float)h; }                                                    \
  HD T __bfloat162##name##_rn(__nv_bfloat16 h) { return (T)__builtin_rintf((float)h); }                                   \
  HD T __bfloat162##name##_rd(__nv_bfloat16 h) { return (T)__builtin_floorf((float)h); }                                  \
  HD T __bfloat162##name##_ru(__nv_bfloat16 h) { return (T)__builtin_ceilf((float)h); }
WARPLENS_INTEGER(int, int)
WARPLENS_INTEGER(uint, unsigned int)
WARPLENS_INTEGER(short, short)
WARPLENS_INTEGER(ushort, unsigned short)
WARPLENS_INTEGER(ll, long long)
WARPLENS_INTEGER(ull, unsigned long long)
#undef WARPLENS_INTEGER
HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.bits(); }
HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.bits(); }
HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return __nv_bfloat16::of_bits(v); }
HD __nv_bfloat16 __short_as_bfloat16(short v) { return __nv_bfloat16::of_bits((unsigned short)v); }

// Pairs
HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return __nv_bfloat162(v, v); }
HD __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
HD __nv_bfloat162 __floats2bfloat162_rn(float low, float high) { return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high)); }
HD __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y)); }
HD float2 __bfloat1622float2(__nv_bfloat162 v) { return float2((float)v.x, (float)v.y); }
HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
HD float __low2float(__nv_bfloat162 v) { return (float)v.x; }
HD float __high2float(__nv_bfloat162 v) { return (float)v.y; }
HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }

#undef HD
#pragma clang attribute pop
