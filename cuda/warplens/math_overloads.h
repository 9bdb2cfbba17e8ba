// Overloads of min, max and a few math functions that CUDA's headers add to the global namespace for host and
// device ("CUDA C++ Programming Guide", Mathematical Functions). clang's headers bring min and max of int alone,
// for the device alone; the mixed pairs keep `min(n, blockDim.x)` from being ambiguous. Also the host versions
// of functions that C's <math.h> does not have.
#pragma once

#define WARPLENS_HD static __host__ __device__ __forceinline__
#define WARPLENS_MINMAX(R, A, B)                                                                               \
  WARPLENS_HD R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                            \
  WARPLENS_HD R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
WARPLENS_MINMAX(unsigned int, unsigned int, unsigned int)
WARPLENS_MINMAX(unsigned int, int, unsigned int)
WARPLENS_MINMAX(unsigned int, unsigned int, int)
WARPLENS_MINMAX(long, long, long)
WARPLENS_MINMAX(unsigned long, unsigned long, unsigned long)
WARPLENS_MINMAX(unsigned long, long, unsigned long)
WARPLENS_MINMAX(unsigned long, unsigned long, long)
WARPLENS_MINMAX(long long, long long, long long)
WARPLENS_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WARPLENS_MINMAX(unsigned long long, long long, unsigned long long)
WARPLENS_MINMAX(unsigned long long, unsigned long long, long long)
#undef WARPLENS_MINMAX
static __host__ __forceinline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __forceinline__ int max(int a, int b) { return a > b ? a : b; }
// With one NaN the other operand is the result, as in fminf.
#define WARPLENS_MINMAX_FLOAT(R, A, B, suffix)                                                                 \
  WARPLENS_HD R min(A a, B b) { return __builtin_fmin##suffix(a, b); }                                         \
  WARPLENS_HD R max(A a, B b) { return __builtin_fmax##suffix(a, b); }
WARPLENS_MINMAX_FLOAT(float, float, float, f)
WARPLENS_MINMAX_FLOAT(double, double, double, )
WARPLENS_MINMAX_FLOAT(double, float, double, )
WARPLENS_MINMAX_FLOAT(double, double, float, )
#undef WARPLENS_MINMAX_FLOAT

// Host versions of what <math.h> lacks
static __host__ __inline__ float rsqrtf(float a) { return 1.0f / ::sqrtf(a); }
static __host__ __inline__ double rsqrt(double a) { return 1.0 / ::sqrt(a); }
static __host__ __inline__ float rcbrtf(float a) { return 1.0f / ::cbrtf(a); }
static __host__ __inline__ double rcbrt(double a) { return 1.0 / ::cbrt(a); }
static __host__ __inline__ float sinpif(float a) { return (float)::sin(3.14159265358979323846 * a); }
static __host__ __inline__ double sinpi(double a) { return ::sin(3.14159265358979323846 * a); }
static __host__ __inline__ float cospif(float a) { return (float)::cos(3.14159265358979323846 * a); }
static __host__ __inline__ double cospi(double a) { return ::cos(3.14159265358979323846 * a); }
static __host__ __inline__ float fdividef(float a, float b) { return a / b; }
static __host__ __inline__ double fdivide(double a, double b) { return a / b; }
static __host__ __inline__ float normcdff(float a) { return 0.5f * ::erfcf(-a * 0x1.6a09e6p-1f); }
static __host__ __inline__ double normcdf(double a) { return 0.5 * ::erfc(-a * 0x1.6a09e667f3bcdp-1); }

// float overloads by argument type
static __device__ __forceinline__ float rsqrt(float a) { return rsqrtf(a); }
static __device__ __forceinline__ float rcbrt(float a) { return rcbrtf(a); }
static __device__ __forceinline__ float sinpi(float a) { return sinpif(a); }
static __device__ __forceinline__ float cospi(float a) { return cospif(a); }
static __device__ __forceinline__ float normcdf(float a) { return normcdff(a); }
static __device__ __forceinline__ float normcdfinv(float a) { return normcdfinvf(a); }
static __device__ __forceinline__ float erfcinv(float a) { return erfcinvf(a); }
static __device__ __forceinline__ float erfinv(float a) { return erfinvf(a); }
static __device__ __forceinline__ float erfcx(float a) { return erfcxf(a); }
static __device__ __forceinline__ float exp10(float a) { return exp10f(a); }
static __device__ __forceinline__ void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
static __device__ __forceinline__ void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }
static __device__ __forceinline__ float saturate(float a) { return __saturatef(a); }
// Those that clang declares (__clang_cuda_math_forward_declares.h) and leaves to the toolkit's headers.
#define WARPLENS_FLOAT(R, name)                                                                                \
  static __device__ __forceinline__ R name(float a) { return name##f(a); }
WARPLENS_FLOAT(float, acosh)
WARPLENS_FLOAT(float, asinh)
WARPLENS_FLOAT(float, atanh)
WARPLENS_FLOAT(float, cbrt)
WARPLENS_FLOAT(float, erf)
WARPLENS_FLOAT(float, erfc)
WARPLENS_FLOAT(float, exp2)
WARPLENS_FLOAT(float, expm1)
WARPLENS_FLOAT(int, ilogb)
WARPLENS_FLOAT(float, lgamma)
WARPLENS_FLOAT(long long, llrint)
WARPLENS_FLOAT(long long, llround)
WARPLENS_FLOAT(float, log1p)
WARPLENS_FLOAT(float, log2)
WARPLENS_FLOAT(float, logb)
WARPLENS_FLOAT(long, lrint)
WARPLENS_FLOAT(long, lround)
WARPLENS_FLOAT(float, nearbyint)
WARPLENS_FLOAT(float, rint)
WARPLENS_FLOAT(float, round)
WARPLENS_FLOAT(float, tgamma)
WARPLENS_FLOAT(float, trunc)
#undef WARPLENS_FLOAT
#define WARPLENS_TWO_FLOATS(name)                                                                              \
  static __device__ __forceinline__ float name(float a, float b) { return name##f(a, b); }
WARPLENS_TWO_FLOATS(copysign)
WARPLENS_TWO_FLOATS(fdim)
WARPLENS_TWO_FLOATS(fmax)
WARPLENS_TWO_FLOATS(fmin)
WARPLENS_TWO_FLOATS(hypot)
WARPLENS_TWO_FLOATS(nextafter)
WARPLENS_TWO_FLOATS(remainder)
#undef WARPLENS_TWO_FLOATS
static __device__ __forceinline__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ __forceinline__ float remquo(float a, float b, int* quotient) { return remquof(a, b, quotient); }
static __device__ __forceinline__ float scalbn(float a, int n) { return scalbnf(a, n); }
#undef WARPLENS_HD
