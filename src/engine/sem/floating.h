// f32 and f64 arithmetic (PTX ISA, "Floating-Point Instructions"). T is float or double.
//
// Rounding: the functors compute in the rounding mode of the environment; kernels of .rz, .rm and .rp forms
// set that mode around their loop. Only fma is written twice, because its emulation without hardware needs
// round-to-nearest. .ftz replaces subnormal sources and results by zeros of the same sign; .sat clamps to [0,
// 1] with NaN → 0. NaN results: f32 gives 0x7fffffff; f64 keeps a NaN source, quieted: the second, else
// the third, else the first, as an H200 does (tests/hardware/instructions.md), or gives 0xfff8000000000000.
#pragma once
#include "sem/value.h"
#include <math.h>

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

template <class T> struct FloatTraits;
template <> struct FloatTraits<float> {
  using Bits = u32;
  static constexpr Bits sign = 0x80000000u, infinity = 0x7f800000u, smallest_normal = 0x00800000u;
  static constexpr int mantissa_bits = 23, bias = 127;
};
template <> struct FloatTraits<double> {
  using Bits = u64;
  static constexpr Bits sign = u64{1} << 63, infinity = u64{0x7ff} << 52, smallest_normal = u64{1} << 52;
  static constexpr int mantissa_bits = 52, bias = 1023;
};
template <class T> using FloatBits = typename FloatTraits<T>::Bits;
template <class T> inline FloatBits<T> to_bits(T x) { return bits_as<FloatBits<T>>(x); }
template <class T> inline T from_bits(FloatBits<T> bits) { return bits_as<T>(bits); }
template <class T> inline FloatBits<T> magnitude_bits(T x) { return to_bits(x) & ~FloatTraits<T>::sign; }
template <class T> inline FloatBits<T> sign_bit(T x) { return to_bits(x) & FloatTraits<T>::sign; }
template <class T> inline T absolute(T x) { return from_bits<T>(magnitude_bits(x)); }
template <class T> inline T with_sign_of(T x, T sign) {
  return from_bits<T>(magnitude_bits(x) | sign_bit(sign));
}
template <class T> inline bool is_nan(T x) { return x != x; }

inline float canonical_nan(float) { return from_bits<float>(0x7fffffffu); }
inline double canonical_nan(double) { return from_bits<double>(0xfff8000000000000ull); }

template <bool Ftz, class T> inline T flush(T x) {
  if constexpr (!Ftz)
    return x;
  else
    return magnitude_bits(x) < FloatTraits<T>::smallest_normal ? from_bits<T>(sign_bit(x)) : x;
}
template <bool Sat, class T> inline T saturate(T x) {
  if constexpr (!Sat)
    return x;
  else
    return x > T{0} ? (x < T{1} ? x : T{1}) : T{0}; // NaN compares false: 0
}
// A NaN result, in place of what the host computed.
inline float nan_of(float, float = 0, float = 0) { return canonical_nan(0.0f); }
inline double quiet(double x) { return from_bits<double>(to_bits(x) | (u64{1} << 51)); }
inline double nan_of(double a, double b = 0, double c = 0) {
  double last = is_nan(a) ? quiet(a) : canonical_nan(0.0);
  double other = is_nan(c) ? quiet(c) : last;
  return is_nan(b) ? quiet(b) : other;
}

// Wraps a plain operation in source flushing, NaN results, result flushing and saturation.
template <class Op, bool Ftz = false, bool Sat = false> struct Float {
  template <class T, class... Rest> static T apply(T a, Rest... rest) {
    T result = Op::apply(flush<Ftz>(a), flush<Ftz>(rest)...);
    result = is_nan(result) ? nan_of(a, rest...) : result;
    return saturate<Sat>(flush<Ftz>(result));
  }
};

struct FAdd {
  template <class T> static T apply(T a, T b) { return a + b; }
};
struct FSub {
  template <class T> static T apply(T a, T b) { return a - b; }
};
struct FMul {
  template <class T> static T apply(T a, T b) { return a * b; }
};
struct FDiv {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct FRcp {
  template <class T> static T apply(T a) { return T{1} / a; }
};
struct FSqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};

// x + y with the inexact result's last bit set, so that a second rounding to fewer bits is correct ("round to
// odd", Boldo and Melquiond). Needs round-to-nearest for the exact error of the sum (Knuth).
inline double add_to_odd(double x, double y) {
  double sum = x + y, back = sum - x;
  double error = (x - (sum - back)) + (y - back);
  u64 bits = to_bits(sum);
  bool inexact = (error > 0 || error < 0) && !(bits & 1); // false for NaN: infinities keep their value
  u64 towards_error = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return from_bits<double>(inexact ? towards_error : bits);
}

// Fused multiply-add, round to nearest.
struct Fma {
#ifdef __FMA__
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
  static float apply(float a, float b, float c) { // the product of two floats is exact in double
    return static_cast<float>(
        add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
  }
#endif
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
// Fused multiply-add in the rounding mode of the environment.
struct FmaDirected {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

// The sign of NaN does not change: f32 gives the canonical one; f64, which a GPU adds to -0, the same, quieted.
template <bool Ftz> struct FAbs {
  template <class T> static T apply(T a) { return is_nan(a) ? nan_of(a) : flush<Ftz>(absolute(a)); }
};
template <bool Ftz> struct FNeg {
  template <class T> static T apply(T a) {
    return is_nan(a) ? nan_of(a) : flush<Ftz>(from_bits<T>(to_bits(a) ^ FloatTraits<T>::sign));
  }
};
struct Copysign { // the sign of a on the magnitude of b
  template <class T> static T apply(T a, T b) { return with_sign_of(b, a); }
};

// min and max: −0 < +0; a NaN source gives way to a number, unless .NaN; .xorsign.abs compares magnitudes and
// takes the product's sign.
template <bool IsMax, bool PropagateNan, bool XorSign, bool Ftz> struct MinMax {
  template <class T> static T apply(T a, T b) {
    a = flush<Ftz>(a), b = flush<Ftz>(b);
    FloatBits<T> sign = sign_bit(a) ^ sign_bit(b);
    if constexpr (XorSign) a = absolute(a), b = absolute(b);
    FloatBits<T> zeros =
        IsMax ? to_bits(a) & to_bits(b) : to_bits(a) | to_bits(b); // of equal values, ±0 differ
    T ordered = (IsMax ? a > b : a < b) ? a : b;
    T result = a == b ? from_bits<T>(zeros) : ordered;
    result = is_nan(a) ? (PropagateNan ? a : b) : result; // one selection each, which loops can vectorise
    result = is_nan(b) ? (PropagateNan ? b : a) : result;
    result = is_nan(result) ? canonical_nan(T{}) : result;
    if constexpr (XorSign) result = is_nan(result) ? result : from_bits<T>(to_bits(result) | sign);
    return result;
  }
  // Of three sources (.abs alone): magnitudes, the sign dropped.
  template <class T> static T apply(T a, T b, T c) {
    if constexpr (XorSign) a = absolute(a), b = absolute(b), c = absolute(c);
    return apply(apply(a, b), c);
  }
};

enum class FloatClass : u8 { finite, infinite, number, notanumber, normal, subnormal };
template <FloatClass Class> struct Testp {
  template <class T> static bool apply(T a) {
    using Traits = FloatTraits<T>;
    FloatBits<T> m = magnitude_bits(a);
    switch (Class) {
    case FloatClass::finite: return m < Traits::infinity;
    case FloatClass::infinite: return m == Traits::infinity;
    case FloatClass::number: return m <= Traits::infinity;
    case FloatClass::notanumber: return m > Traits::infinity;
    case FloatClass::normal:
      return (m >= Traits::smallest_normal || m == 0) && m < Traits::infinity; // ±0 count as normal
    case FloatClass::subnormal: return m < Traits::smallest_normal && m != 0;
    }
    return false;
  }
};

// Rounds to an integral value, halves to even; the others follow from it. SSE2 has no such instruction, and
// libm calls in a loop over lanes are slow: adding and subtracting 2^mantissa_bits rounds as well.
enum class Integral : u8 { nearest, zero, down, up };
template <class T> inline T nearest_integral(T x) {
#ifdef __SSE4_1__
  if constexpr (sizeof(T) == 4)
    return __builtin_rintf(x);
  else
    return __builtin_rint(x);
#else
  T limit = static_cast<T>(u64{1} << FloatTraits<T>::mantissa_bits);
  T rounded = (absolute(x) + limit) - limit;
  return with_sign_of(absolute(x) < limit ? rounded : x, x); // false for NaN and infinity: unchanged
#endif
}
template <Integral Mode, class T> inline T integral(T x) {
  T nearest = nearest_integral(x);
  if constexpr (Mode == Integral::nearest) return nearest;
  T down = nearest > x ? nearest - T{1} : nearest, up = nearest < x ? nearest + T{1} : nearest;
  T result = Mode == Integral::down ? down : Mode == Integral::up ? up : x < T{0} ? up : down;
  return with_sign_of(result, x); // −0.5 rounds up to −0
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
