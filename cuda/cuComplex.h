// cuComplex.h for clang: complex numbers in float2 and double2, for host and device.
// Division and absolute value scale by the larger component, so that they overflow only where the result does.
#pragma once
#include "warplens_cuda.h"

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
#define WARPLENS_HD static __host__ __device__ __forceinline__

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

WARPLENS_HD cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return float2(real, imaginary); }
WARPLENS_HD cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) { return double2(real, imaginary); }
WARPLENS_HD cuComplex make_cuComplex(float real, float imaginary) { return float2(real, imaginary); }
WARPLENS_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return float2((float)a.x, (float)a.y); }
WARPLENS_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return double2(a.x, a.y); }

#define WARPLENS_COMPLEX(C, T, f, sqrt_, fabs_)                                                                \
  WARPLENS_HD T cuCreal##f(C a) { return a.x; }                                                                \
  WARPLENS_HD T cuCimag##f(C a) { return a.y; }                                                                \
  WARPLENS_HD C cuConj##f(C a) { return C(a.x, -a.y); }                                                        \
  WARPLENS_HD C cuCadd##f(C a, C b) { return C(a.x + b.x, a.y + b.y); }                                        \
  WARPLENS_HD C cuCsub##f(C a, C b) { return C(a.x - b.x, a.y - b.y); }                                        \
  WARPLENS_HD C cuCmul##f(C a, C b) { return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }                \
  WARPLENS_HD C cuCfma##f(C a, C b, C c) {                                                                     \
    return C(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                                        \
  }                                                                                                            \
  WARPLENS_HD C cuCdiv##f(C a, C b) {                                                                          \
    T scale = T(1) / (fabs_(b.x) + fabs_(b.y));                                                                \
    T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                  \
    T inverse = T(1) / (bx * bx + by * by);                                                                    \
    return C((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                                    \
  }                                                                                                            \
  WARPLENS_HD T cuCabs##f(C a) {                                                                               \
    T x = fabs_(a.x), y = fabs_(a.y), large = x > y ? x : y, small = x > y ? y : x;                            \
    if (large == T(0)) return x;                                                                              \
    T ratio = small / large;                                                                                   \
    return large * sqrt_(T(1) + ratio * ratio);                                                                \
  }
WARPLENS_COMPLEX(cuFloatComplex, float, f, sqrtf, fabsf)
WARPLENS_COMPLEX(cuDoubleComplex, double, , sqrt, fabs)
#undef WARPLENS_COMPLEX
#undef WARPLENS_HD
#pragma clang attribute pop
