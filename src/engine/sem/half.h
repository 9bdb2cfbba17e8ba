// f16 and bf16 arithmetic (PTX ISA, "Half Precision Floating-Point Instructions"), and the conversions
// between those formats and f32 that it stands on.
//
// Sums and products of two halves are computed in f32 and rounded once more: f32's 24 bits are more than
// twice the 11 (8) bits of a half plus two, so the second rounding cannot go wrong (Figueroa, "When is double
// rounding innocuous?"). A fused multiply-add needs more and goes through double, rounded to odd. NaN results
// are 0x7fff.
#pragma once
#include "sem/compare.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

inline float to_float(F16 h) {
  u32 shifted = (h.bits & 0x7fffu) << 13;
  float scaled =
      from_bits<float>(shifted) * from_bits<float>((127 + 112) << 23); // subnormal halves come out normal
  u32 special = (h.bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0;
  return from_bits<float>(to_bits(scaled) | special | (h.bits & 0x8000u) << 16);
}
inline float to_float(BF16 h) { return from_bits<float>(u32{h.bits} << 16); }

// Round to nearest even from f32.
inline F16 to_half(float x, F16) {
  u32 sign = sign_bit(x) >> 16, m = magnitude_bits(x);
  u32 odd = (m >> 13) & 1;
  u32 normal = (m - (112u << 23) + 0xfff + odd) >> 13;
  u32 tiny = to_bits(from_bits<float>(m < 0x38800000u ? m : 0) + 0.5f) -
             0x3f000000u; // lets the adder round at 2^-24
  u32 finite = m < 0x38800000u ? tiny : normal;
  u32 special = m > 0x7f800000u ? 0x7fffu : 0x7c00u | sign;
  return {static_cast<u16>(m >= 0x47800000u ? special : finite | sign)};
}
inline BF16 to_half(float x, BF16) {
  u32 bits = to_bits(x);
  u32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<u16>(is_nan(x) ? 0x7fff : rounded)};
}
template <class H> inline H to_half(float x) { return to_half(x, H{}); }

template <class H> inline H flush_half(H x) {
  return {
      static_cast<u16>((x.bits & 0x7fff) < 0x0400 ? x.bits & 0x8000 : x.bits)}; // .ftz exists for f16 alone
}
template <bool Ftz, class H> inline H flush_if(H x) {
  if constexpr (Ftz)
    return flush_half(x);
  else
    return x;
}
inline bool half_is_nan(F16 x) { return (x.bits & 0x7fff) > 0x7c00; }
inline bool half_is_nan(BF16 x) { return (x.bits & 0x7fff) > 0x7f80; }
template <class H> inline H half_nan() { return {0x7fff}; }

// The half nearest to a double, for results that f32 cannot hold exactly.
inline float odd_float(double x) { // to f32, rounded to odd
  float nearest = static_cast<float>(x);
  double back = static_cast<double>(nearest);
  u32 bits = to_bits(nearest);
  bool inexact =
      (back < x || back > x) && !(bits & 1) && magnitude_bits(nearest) < FloatTraits<float>::infinity;
  bool away = absolute(back) < absolute(x);
  return from_bits<float>(inexact ? (away ? bits + 1 : bits - 1) : bits);
}

struct HalfAdd {
  static float apply(float a, float b) { return a + b; }
};
struct HalfSub {
  static float apply(float a, float b) { return a - b; }
};
struct HalfMul {
  static float apply(float a, float b) { return a * b; }
};
struct HalfFma {
  static float apply(float a, float b, float c) {
    return odd_float(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
  }
};
// An operation on floats, applied to halves, with .ftz. (.sat and .relu come after it: saturate_half().)
template <class Op, bool Ftz = false> struct Half {
  template <class H, class... Rest> static H apply(H a, Rest... rest) {
    return flush_if<Ftz>(to_half<H>(Op::apply(to_float(flush_if<Ftz>(a)), to_float(flush_if<Ftz>(rest))...)));
  }
};
// .relu: negative results and −0 become +0. .sat: to [0, 1], NaN → 0. On the bits of an f16 or bf16 whose NaN is
// positive; `one` and `infinity` are that format's.
inline u16 relu_half(u16 bits) { return bits & 0x8000 ? 0 : bits; }
inline u16 saturate_half(u16 bits, u16 one, u16 infinity) {
  u16 at_most_one = bits > one ? one : bits;
  return bits > infinity ? 0 : at_most_one; // a NaN, or a sign
}

template <class H> inline H canonical_half(H x) { return half_is_nan(x) ? half_nan<H>() : x; }
template <bool Ftz> struct HalfAbs {
  template <class H> static H apply(H a) {
    return canonical_half(flush_if<Ftz>(H{static_cast<u16>(a.bits & 0x7fff)}));
  }
};
template <bool Ftz> struct HalfNeg {
  template <class H> static H apply(H a) {
    return canonical_half(flush_if<Ftz>(H{static_cast<u16>(a.bits ^ 0x8000)}));
  }
};
// min and max of halves are those of floats: the result is one of the sources, so rounding back is exact.
template <bool IsMax, bool Ftz> struct HalfMinMax {
  template <class H> static H apply(H a, H b) {
    return to_half<H>(
        MinMax<IsMax, false, false, false>::apply(to_float(flush_if<Ftz>(a)), to_float(flush_if<Ftz>(b))));
  }
};
// The same with .NaN and .xorsign.abs, which are rare and therefore data: masks, so that loops are vector loops.
template <bool IsMax, bool Ftz> class HalfMinMaxOf {
public:
  HalfMinMaxOf(bool propagate_nan, bool xor_sign)
      : nan_(propagate_nan ? 0xffff : 0), sign_(xor_sign ? 0x8000 : 0) {}
  template <class H> H apply(H a, H b) const {
    H x{static_cast<u16>(a.bits & ~sign_)}, y{static_cast<u16>(b.bits & ~sign_)};
    u16 result = HalfMinMax<IsMax, Ftz>::apply(x, y).bits;
    u16 nan = half_is_nan(a) | half_is_nan(b) ? nan_ : 0;
    result = (result & ~nan) | (0x7fff & nan); // which is the NaN
    u16 sign = (a.bits ^ b.bits) & sign_;
    return {static_cast<u16>(result == 0x7fff ? result : result | sign)};
  }

private:
  u16 nan_, sign_;
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
