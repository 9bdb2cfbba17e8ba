// cuda_fp16.h for clang: __half (IEEE binary16) and __half2, for host and device.
//
// A scalar is its 16 bits; a pair is two scalars that copy as one 32-bit word, as nvcc copies them.
// Arithmetic is clang's _Float16: add.f16 and its like on the device, conversions through float on the host.
// Written from the CUDA Math API manual. Not here: the rounding modes of __float2half other than nearest, and vector loads of half8.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#define HD static __host__ __device__ __forceinline__

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short __x;
  static constexpr unsigned short infinity = 0x7c00;

  __half() = default;
  __host__ __device__ __forceinline__ __half(float v) : __x(encode(v)) {}
  __host__ __device__ __forceinline__ __half(double v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(int v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(unsigned int v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(unsigned long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(long long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(unsigned long long v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(short v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(unsigned short v) : __x(encode((float)v)) {}
  __host__ __device__ __forceinline__ __half(__half_raw r) : __x(r.x) {}
  __host__ __device__ __forceinline__ operator __half_raw() const { return {__x}; }
  __host__ __device__ __forceinline__ operator float() const { return decode(__x); }
  __host__ __device__ __forceinline__ explicit operator bool() const { return (__x & 0x7fff) != 0; }
  __host__ __device__ __forceinline__ explicit operator double() const { return decode(__x); }
  __host__ __device__ __forceinline__ explicit operator int() const { return (int)decode(__x); }
  __host__ __device__ __forceinline__ explicit operator unsigned int() const { return (unsigned int)decode(__x); }
  __host__ __device__ __forceinline__ explicit operator long long() const { return (long long)decode(__x); }

  static __host__ __device__ __forceinline__ __half of_bits(unsigned short bits) {
    __half h;
    h.__x = bits;
    return h;
  }
  __host__ __device__ __forceinline__ unsigned short bits() const { return __x; }
  __host__ __device__ __forceinline__ _Float16 value() const { return __builtin_bit_cast(_Float16, __x); }
  static __host__ __device__ __forceinline__ __half of(_Float16 v) {
    return of_bits(__builtin_bit_cast(unsigned short, v));
  }

private:
  static __host__ __device__ __forceinline__ unsigned short encode(float v) {
    return __builtin_bit_cast(unsigned short, (_Float16)v);
  }
  static __host__ __device__ __forceinline__ float decode(unsigned short bits) {
    return (float)__builtin_bit_cast(_Float16, bits);
  }
};

struct [[clang::trivial_abi]] __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  __host__ __device__ __forceinline__ __half2(__half low, __half high) : x(low), y(high) {}
  __host__ __device__ __forceinline__ __half2(const __half2& o) { *this = o; }
  __host__ __device__ __forceinline__ __half2& operator=(const __half2& o) {
    typedef unsigned int __attribute__((may_alias)) Word;
    *(Word*)this = *(const Word*)&o;
    return *this;
  }
  static __host__ __device__ __forceinline__ __half2 of_bits(unsigned int bits) {
    return __half2(__half::of_bits((unsigned short)bits), __half::of_bits((unsigned short)(bits >> 16)));
  }
  __host__ __device__ __forceinline__ unsigned int bits() const { return x.bits() | (unsigned int)y.bits() << 16; }
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

HD __half __hfma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  return __half::of(__builtin_fmaf16(a.value(), b.value(), c.value()));
#else
  // The product of two halves is exact in double, and the sum rounds to at least 53 bits before it rounds to 11.
  return __half::of((_Float16)((double)a.value() * (double)b.value() + (double)c.value()));
#endif
}
#define H __half
#define H2 __half2
#define WARPLENS_HALF_PTX "f16"
#include "warplens/half_functions.inc"
#undef H
#undef H2
#undef WARPLENS_HALF_PTX

// Conversions
HD __half __float2half(float v) { return __half(v); }
HD __half __float2half_rn(float v) { return __half(v); }
HD __half __double2half(double v) { return __half((float)v); }
HD float __half2float(__half h) { return (float)h; }
#define WARPLENS_INTEGER(name, T)                                                                              \
  HD __half __##name##2half_rn(T v) { return __half((float)v); }                                                \
  HD T __half2##name##_rz(__half h) { return (T)(float)h; }                                                    \
  HD T __half2##name##_rn(__half h) { return (T)__builtin_rintf((float)h); }                                   \
  HD T __half2##name##_rd(__half h) { return (T)__builtin_floorf((float)h); }                                  \
  HD T __half2##name##_ru(__half h) { return (T)__builtin_ceilf((float)h); }
WARPLENS_INTEGER(int, int)
WARPLENS_INTEGER(uint, unsigned int)
WARPLENS_INTEGER(short, short)
WARPLENS_INTEGER(ushort, unsigned short)
WARPLENS_INTEGER(ll, long long)
WARPLENS_INTEGER(ull, unsigned long long)
#undef WARPLENS_INTEGER
HD unsigned short __half_as_ushort(__half h) { return h.bits(); }
HD short __half_as_short(__half h) { return (short)h.bits(); }
HD __half __ushort_as_half(unsigned short v) { return __half::of_bits(v); }
HD __half __short_as_half(short v) { return __half::of_bits((unsigned short)v); }

// Pairs
HD __half2 make_half2(__half low, __half high) { return __half2(low, high); }
HD __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
HD __half2 __half2half2(__half v) { return __half2(v, v); }
HD __half2 __float2half2_rn(float v) { return __half2(__half(v), __half(v)); }
HD __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
HD __half2 __float22half2_rn(float2 v) { return __half2(__half(v.x), __half(v.y)); }
HD float2 __half22float2(__half2 v) { return float2((float)v.x, (float)v.y); }
HD __half __low2half(__half2 v) { return v.x; }
HD __half __high2half(__half2 v) { return v.y; }
HD float __low2float(__half2 v) { return (float)v.x; }
HD float __high2float(__half2 v) { return (float)v.y; }
HD __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
HD __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HD __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

#undef HD
#pragma clang attribute pop
