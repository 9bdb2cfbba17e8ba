// The approximate functions of PTX (.approx and .full): rcp, div, sqrt, rsqrt, sin, cos, lg2, ex2, tanh.
//
// A GPU computes them with table look-ups and errors of one to a few units in the last place that NVIDIA
// documents as bounds, not as values. Here they are computed accurately (through double), so results agree
// with hardware up to the documented error, not bit for bit. Special cases (±0, infinities, NaN, subnormals)
// are those of the ISA's tables. Polynomials and no library calls where a loop should vectorise; without
// fused operations, so that all targets agree.
#pragma once
#include "sem/floating.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

// div.approx is a·(1/b); where 1/b would be subnormal the hardware's product is 0, or NaN for infinite a.
struct DivApprox {
  static float apply(float a, float b) {
    bool huge =
        magnitude_bits(b) > 0x7e800000u && magnitude_bits(b) < FloatTraits<float>::infinity; // above 2^126
    float zero = from_bits<float>(sign_bit(a) ^ sign_bit(b));
    float special = magnitude_bits(a) == FloatTraits<float>::infinity ? canonical_nan(0.0f)
                    : is_nan(a)                                       ? a
                                                                      : zero;
    return huge ? special : a / b;
  }
};
struct Rsqrt {
  static float apply(float a) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))); }
  static double apply(double a) { return 1.0 / __builtin_sqrt(a); }
};

// rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: only the upper 32 bits of source and result take part.
inline double upper_half(double x) { return from_bits<double>(to_bits(x) & 0xffffffff00000000ull); }
template <class Op> struct Coarse {
  static double apply(double a) {
    double result = upper_half(flush<true>(Op::apply(flush<true>(upper_half(a)))));
    return is_nan(result) ? from_bits<double>(0x7fffffff00000000ull) : result;
  }
};

// 2^x: the integral part goes to the exponent, the rest (|f| ≤ 1/2) through the series of exp(f ln 2).
struct Ex2 {
  static float apply(float a) {
    double x = static_cast<double>(a < -160.0f ? -160.0f : a > 160.0f ? 160.0f : a);
    constexpr double shift = 6755399441055744.0; // 1.5·2^52
    double shifted = x + shift, f = (x - (shifted - shift)) * 0.69314718055994530942;
    double series =
        1.0 +
        f * (1.0 +
             f * (1.0 / 2 +
                  f * (1.0 / 6 + f * (1.0 / 24 +
                                      f * (1.0 / 120 +
                                           f * (1.0 / 720 + f * (1.0 / 5040 + f * (1.0 / 40320 +
                                                                                   f * (1.0 / 362880)))))))));
    double scale =
        from_bits<double>((to_bits(shifted) + 1023) << 52); // the low bits of `shifted` are the integer
    return is_nan(a) ? a : static_cast<float>(series * scale);
  }
};
// log2 x: exponent plus log2 of the mantissa in [√½, √2), by the series of 2·artanh((m-1)/(m+1)).
struct Lg2 {
  static float apply(float a) {
    double x = static_cast<double>(a);
    u64 bits = to_bits(x) + (u64{0x3ff0000000000000} - u64{0x3fe6a09e667f3bcd});
    double exponent =
        from_bits<double>(0x4330000000000000ull | bits >> 52) - 4503599627371519.0; // − 2^52 − 1023
    double m = from_bits<double>((bits & 0x000fffffffffffffull) + u64{0x3fe6a09e667f3bcd});
    double s = (m - 1.0) / (m + 1.0), t = s * s;
    double series =
        2.0 * s *
        (1.0 + t * (1.0 / 3 +
                    t * (1.0 / 5 +
                         t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * (1.0 / 13 + t * (1.0 / 15))))))));
    float result = static_cast<float>(exponent + series * 1.44269504088896340736);
    result = to_bits(a) == FloatTraits<float>::infinity ? a : result;
    result = a == 0.0f ? from_bits<float>(0xff800000u) : result;
    return a < 0.0f || is_nan(a) ? canonical_nan(0.0f) : result;
  }
};
// sin and cos: the unit takes turns, of which it sees 25 bits behind the point (measured on an H200, tests/hardware/instructions.md);
// PTX's are behind a multiplication by 1/(2 pi), rounded towards zero, that ptxas writes. Between two table entries it is up to 3.3e-7 off.
inline double sine_of_turns(double turns) { // in [0, 1)
  double t = turns - 0.5;
  t = t > 0.25 ? 0.5 - t : t < -0.25 ? -0.5 - t : t;
  double s = t * -6.28318530717958647692, q = s * s;
  return s * (1.0 +
              q * (-1.0 / 6 +
                   q * (1.0 / 120 + q * (-1.0 / 5040 + q * (1.0 / 362880 + q * (-1.0 / 39916800 +
                                                                                q * (1.0 / 6227020800)))))));
}
template <bool Cosine> struct OfTurns {
  static float apply(float a) {
    constexpr double steps = 33554432.0; // 2^25
    double x = static_cast<double>(absolute(a));
    x = x < 8388608.0 ? x : 0.0; // whole turns; also of infinity and NaN
    double whole = integral<Integral::down>(x), part = integral<Integral::down>((x - whole) * steps) / steps;
    double turns = Cosine ? part + (part < 0.75 ? 0.25 : -0.75) : part;
    float result = static_cast<float>(sine_of_turns(turns)) + 0.0f; // not -0
    if constexpr (!Cosine) result = from_bits<float>(to_bits(result) ^ sign_bit(a));
    return magnitude_bits(a) >= FloatTraits<float>::infinity ? canonical_nan(0.0f) : result;
  }
};
template <bool Cosine> struct OfRadians {
  static float apply(float a) {
    double turns = static_cast<double>(a) * static_cast<double>(from_bits<float>(0x3e22f983u));
    u64 kept = to_bits(turns) &
               ~((u64{1} << 29) - 1); // towards zero; what is below f32's range is no step of a turn
    return OfTurns<Cosine>::apply(static_cast<float>(from_bits<double>(kept)));
  }
};
struct Tanh {
  static float apply(float a) { return tanhf(a); }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
