// cuda_fp16.h for clang: __half (IEEE binary16) and __half2, for host and device.
//
// A scalar is its 16 bits; a pair is two scalars that copy as one 32-bit word, as nvcc copies them. Arithmetic is clang's
// _Float16: add.f16 and its like on the device, conversions through float on the host. Written from the CUDA Math API manual.
// Not here: the rounding modes of __float2half other than nearest, and vector loads of half8.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

// For half_members.inc and half_functions.inc
#define HD static __host__ __device__ __forceinline__
#define H __half
#define H2 __half2
#define WARPLENS_HALF_RAW __half_raw
#define WARPLENS_HALF_NAME(before, after) before##half##after
#define WARPLENS_HALF_PTX "f16"

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short __x;
  static constexpr unsigned short infinity = 0x7c00;

#include "warplens/half_members.inc"
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

HD __half __hfma(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  return __half::of(__builtin_fmaf16(a.value(), b.value(), c.value()));
#else
  // The product of two halves is exact in double, and the sum rounds to at least 53 bits before it rounds to 11.
  return __half::of((_Float16)((double)a.value() * (double)b.value() + (double)c.value()));
#endif
}

#include "warplens/half_functions.inc"
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

HD __half2 __half2half2(__half v) { return __half2(v, v); }

#undef HD
#undef H
#undef H2
#undef WARPLENS_HALF_RAW
#undef WARPLENS_HALF_NAME
#undef WARPLENS_HALF_PTX
#pragma clang attribute pop
