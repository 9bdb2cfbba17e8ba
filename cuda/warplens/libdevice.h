// Definitions of those libdevice functions (__nv_…) that are one or a few instructions.
//
// clang's own CUDA headers route every helper, even min(), through libdevice, a bitcode library of the toolkit.
// Without it each becomes a call to an external function. WarpLens's emulator knows those functions, but an
// opaque call inside an index expression hides from the optimiser what nvcc's compiler would see: addresses
// would no longer fold, loads would not merge, and the counts would be those of another program. So everything
// that maps to an instruction is defined here, inline; transcendental functions (sinf, pow, …) stay calls.
//
// Semantics: NVIDIA's "libdevice User's Guide"; instruction choice: PTX ISA, "Integer Arithmetic" and
// "Floating Point Instructions".
#pragma once

#define WARPLENS_NV extern "C" __device__ __forceinline__

// Reinterpreting bits
WARPLENS_NV int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
WARPLENS_NV unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
WARPLENS_NV float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
WARPLENS_NV float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
WARPLENS_NV unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
WARPLENS_NV double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
WARPLENS_NV int __nv_double2hiint(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 32); }
WARPLENS_NV int __nv_double2loint(double a) { return (int)__builtin_bit_cast(unsigned long long, a); }
WARPLENS_NV double __nv_hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

// Integers
WARPLENS_NV int __nv_abs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }
WARPLENS_NV long long __nv_llabs(long long a) { return a < 0 ? (long long)(0ull - (unsigned long long)a) : a; }
WARPLENS_NV int __nv_min(int a, int b) { return a < b ? a : b; }
WARPLENS_NV int __nv_max(int a, int b) { return a > b ? a : b; }
WARPLENS_NV unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPLENS_NV unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPLENS_NV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
WARPLENS_NV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
WARPLENS_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
WARPLENS_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
WARPLENS_NV int __nv_brev(int a) { return (int)__builtin_bitreverse32((unsigned)a); }
WARPLENS_NV long long __nv_brevll(long long a) {
  return (long long)__builtin_bitreverse64((unsigned long long)a);
}
WARPLENS_NV int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
WARPLENS_NV int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
WARPLENS_NV int __nv_clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
WARPLENS_NV int __nv_clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
WARPLENS_NV int __nv_ffs(int a) { return a ? __builtin_ctz((unsigned)a) + 1 : 0; }
WARPLENS_NV int __nv_ffsll(long long a) { return a ? __builtin_ctzll((unsigned long long)a) + 1 : 0; }
WARPLENS_NV int __nv_mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
WARPLENS_NV unsigned int __nv_umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)((unsigned long long)a * b >> 32);
}
WARPLENS_NV long long __nv_mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
WARPLENS_NV unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
// The low 24 bits of each factor, sign-extended; the low 32 bits of the product (PTX mul24.lo).
WARPLENS_NV int __nv_mul24(int a, int b) {
  return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
WARPLENS_NV unsigned int __nv_umul24(unsigned int a, unsigned int b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
WARPLENS_NV int __nv_sad(int a, int b, int c) {
  return (int)((unsigned)c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b));
}
WARPLENS_NV unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a < b ? b - a : a - b);
}
WARPLENS_NV int __nv_hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
WARPLENS_NV int __nv_rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
WARPLENS_NV int __nv_uhadd(unsigned int a, unsigned int b) { return (int)(((unsigned long long)a + b) >> 1); }
WARPLENS_NV unsigned int __nv_urhadd(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a + b + 1) >> 1);
}
WARPLENS_NV int __nv_byte_perm(int a, int b, int selector) {
  int result;
  __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector & 0x7777));
  return result;
}

// Floating point: one IEEE operation, or the instruction that nvcc chooses
#define WARPLENS_ROUNDED_BINARY(name, op, T, type, c)                                                          \
  WARPLENS_NV T __nv_##name(T a, T b) {                                                                        \
    T result;                                                                                                  \
    __asm__(op "." type " %0, %1, %2;" : "=" c(result) : c(a), c(b));                                          \
    return result;                                                                                             \
  }
#define WARPLENS_ROUNDED_UNARY(name, op, T, type, c)                                                           \
  WARPLENS_NV T __nv_##name(T a) {                                                                             \
    T result;                                                                                                  \
    __asm__(op "." type " %0, %1;" : "=" c(result) : c(a));                                                    \
    return result;                                                                                             \
  }
#define WARPLENS_ROUNDED_FMA(name, mode, T, type, c)                                                           \
  WARPLENS_NV T __nv_##name(T x, T y, T z) {                                                                   \
    T result;                                                                                                  \
    __asm__("fma." mode "." type " %0, %1, %2, %3;" : "=" c(result) : c(x), c(y), c(z));                       \
    return result;                                                                                             \
  }
#define WARPLENS_ROUNDED(suffix, mode)                                                                         \
  WARPLENS_ROUNDED_BINARY(fadd_##suffix, "add." mode, float, "f32", "f")                                       \
  WARPLENS_ROUNDED_BINARY(fsub_##suffix, "sub." mode, float, "f32", "f")                                       \
  WARPLENS_ROUNDED_BINARY(fmul_##suffix, "mul." mode, float, "f32", "f")                                       \
  WARPLENS_ROUNDED_BINARY(fdiv_##suffix, "div." mode, float, "f32", "f")                                       \
  WARPLENS_ROUNDED_BINARY(dadd_##suffix, "add." mode, double, "f64", "d")                                      \
  WARPLENS_ROUNDED_BINARY(dsub_##suffix, "sub." mode, double, "f64", "d")                                      \
  WARPLENS_ROUNDED_BINARY(dmul_##suffix, "mul." mode, double, "f64", "d")                                      \
  WARPLENS_ROUNDED_BINARY(ddiv_##suffix, "div." mode, double, "f64", "d")                                      \
  WARPLENS_ROUNDED_UNARY(frcp_##suffix, "rcp." mode, float, "f32", "f")                                        \
  WARPLENS_ROUNDED_UNARY(drcp_##suffix, "rcp." mode, double, "f64", "d")                                       \
  WARPLENS_ROUNDED_UNARY(fsqrt_##suffix, "sqrt." mode, float, "f32", "f")                                      \
  WARPLENS_ROUNDED_UNARY(dsqrt_##suffix, "sqrt." mode, double, "f64", "d")                                     \
  WARPLENS_ROUNDED_FMA(fmaf_##suffix, mode, float, "f32", "f")                                                 \
  WARPLENS_ROUNDED_FMA(fmaf_ieee_##suffix, mode, float, "f32", "f")                                            \
  WARPLENS_ROUNDED_FMA(fma_##suffix, mode, double, "f64", "d")
WARPLENS_ROUNDED(rn, "rn")
WARPLENS_ROUNDED(rz, "rz")
WARPLENS_ROUNDED(rd, "rm")
WARPLENS_ROUNDED(ru, "rp")

WARPLENS_NV float __nv_fabsf(float a) { return __builtin_fabsf(a); }
WARPLENS_NV double __nv_fabs(double a) { return __builtin_fabs(a); }
WARPLENS_NV float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPLENS_NV double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
WARPLENS_NV float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPLENS_NV double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
WARPLENS_NV float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPLENS_NV double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WARPLENS_NV float __nv_floorf(float a) { return __builtin_floorf(a); }
WARPLENS_NV double __nv_floor(double a) { return __builtin_floor(a); }
WARPLENS_NV float __nv_ceilf(float a) { return __builtin_ceilf(a); }
WARPLENS_NV double __nv_ceil(double a) { return __builtin_ceil(a); }
WARPLENS_NV float __nv_truncf(float a) { return __builtin_truncf(a); }
WARPLENS_NV double __nv_trunc(double a) { return __builtin_trunc(a); }
WARPLENS_NV float __nv_sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WARPLENS_NV double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WARPLENS_NV float __nv_rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
WARPLENS_NV float __nv_frsqrt_rn(float a) { return 1.0f / __nvvm_sqrt_rn_f(a); }
WARPLENS_NV float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }
WARPLENS_NV float __nv_copysignf(float a, float b) {
  return __builtin_bit_cast(float, (__nv_float_as_int(a) & 0x7fffffff) | (__nv_float_as_uint(b) & 0x80000000u));
}
WARPLENS_NV double __nv_copysign(double a, double b) {
  const unsigned long long sign = 1ull << 63;
  return __builtin_bit_cast(double, (__nv_double_as_longlong(a) & ~sign) | (__nv_double_as_longlong(b) & sign));
}
WARPLENS_NV int __nv_signbitf(float a) { return (int)(__nv_float_as_uint(a) >> 31); }
WARPLENS_NV int __nv_signbitd(double a) { return (int)(__nv_double_as_longlong(a) >> 63); }
WARPLENS_NV int __nv_isnanf(float a) { return a != a; }
WARPLENS_NV int __nv_isnand(double a) { return a != a; }
WARPLENS_NV int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
WARPLENS_NV int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
WARPLENS_NV int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
WARPLENS_NV int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }

// The fast intrinsics (__sinf, __expf, …) are approximations in hardware
WARPLENS_NV float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
WARPLENS_NV float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
WARPLENS_NV void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(a);
  *cosine = __nvvm_cos_approx_f(a);
}
WARPLENS_NV float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
WARPLENS_NV float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
WARPLENS_NV float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0x1.62e43p-1f; }    // ln 2
WARPLENS_NV float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f; } // log10 2
WARPLENS_NV float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 0x1.715476p0f); }    // log2 e
WARPLENS_NV float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 0x1.a934fp1f); }   // log2 10
WARPLENS_NV float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
WARPLENS_NV float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

// Conversions with a rounding mode: cvt from one type to another
#define WARPLENS_CONVERT(name, To, From, op, to, from)                                                         \
  WARPLENS_NV To __nv_##name(From a) {                                                                         \
    To result;                                                                                                 \
    __asm__("cvt." op " %0, %1;" : "=" to(result) : from(a));                                                  \
    return result;                                                                                             \
  }
#define WARPLENS_CONVERT_MODES(name, To, From, types, to, from)                                                \
  WARPLENS_CONVERT(name##_rn, To, From, "rn." types, to, from)                                                 \
  WARPLENS_CONVERT(name##_rz, To, From, "rz." types, to, from)                                                 \
  WARPLENS_CONVERT(name##_rd, To, From, "rm." types, to, from)                                                 \
  WARPLENS_CONVERT(name##_ru, To, From, "rp." types, to, from)
// To an integer the mode rounds to an integral value (.rni …), and C++'s own cast truncates.
#define WARPLENS_CONVERT_TO_INTEGER(name, To, From, types, to, from)                                           \
  WARPLENS_CONVERT(name##_rn, To, From, "rni." types, to, from)                                                \
  WARPLENS_CONVERT(name##_rz, To, From, "rzi." types, to, from)                                                \
  WARPLENS_CONVERT(name##_rd, To, From, "rmi." types, to, from)                                                \
  WARPLENS_CONVERT(name##_ru, To, From, "rpi." types, to, from)
WARPLENS_CONVERT_TO_INTEGER(float2int, int, float, "s32.f32", "r", "f")
WARPLENS_CONVERT_TO_INTEGER(float2uint, unsigned int, float, "u32.f32", "r", "f")
WARPLENS_CONVERT_TO_INTEGER(float2ll, long long, float, "s64.f32", "l", "f")
WARPLENS_CONVERT_TO_INTEGER(float2ull, unsigned long long, float, "u64.f32", "l", "f")
WARPLENS_CONVERT_TO_INTEGER(double2int, int, double, "s32.f64", "r", "d")
WARPLENS_CONVERT_TO_INTEGER(double2uint, unsigned int, double, "u32.f64", "r", "d")
WARPLENS_CONVERT_TO_INTEGER(double2ll, long long, double, "s64.f64", "l", "d")
WARPLENS_CONVERT_TO_INTEGER(double2ull, unsigned long long, double, "u64.f64", "l", "d")
WARPLENS_CONVERT_MODES(double2float, float, double, "f32.f64", "f", "d")
WARPLENS_CONVERT_MODES(int2float, float, int, "f32.s32", "f", "r")
WARPLENS_CONVERT_MODES(uint2float, float, unsigned int, "f32.u32", "f", "r")
WARPLENS_CONVERT_MODES(ll2float, float, long long, "f32.s64", "f", "l")
WARPLENS_CONVERT_MODES(ull2float, float, unsigned long long, "f32.u64", "f", "l")
WARPLENS_CONVERT_MODES(ll2double, double, long long, "f64.s64", "d", "l")
WARPLENS_CONVERT_MODES(ull2double, double, unsigned long long, "f64.u64", "d", "l")
WARPLENS_NV double __nv_int2double_rn(int a) { return (double)a; }
WARPLENS_NV double __nv_uint2double_rn(unsigned int a) { return (double)a; }
WARPLENS_CONVERT(float2half_rn, unsigned short, float, "rn.f16.f32", "h", "f")
WARPLENS_CONVERT(half2float, float, unsigned short, "f32.f16", "f", "h")

#undef WARPLENS_ROUNDED_BINARY
#undef WARPLENS_ROUNDED_UNARY
#undef WARPLENS_ROUNDED_FMA
#undef WARPLENS_ROUNDED
#undef WARPLENS_CONVERT
#undef WARPLENS_CONVERT_MODES
#undef WARPLENS_CONVERT_TO_INTEGER
#undef WARPLENS_NV
