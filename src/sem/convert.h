// Conversions (PTX ISA, "cvt" and "cvt.pack"): among integers, between integers and floats, and from any
// float to the small formats f16, bf16, tf32, e4m3 and e5m2.
//
// Float to integer rounds, then clamps to the destination's range. NaN gives 0, or 1 << (width − 1) where the
// source is f64 or the destination has 64 bits. Small formats are rounded by hand from a double
// (round_to_format), which serves every rounding mode; the common round-to-nearest f32 → f16/bf16 uses
// sem/half.h's faster way.
#pragma once
#include "sem/half.h"
#include "sem/integer.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

struct Resize { // integer to integer: truncates or extends
  template <class D, class S> static D apply(S x) { return static_cast<D>(x); }
};
struct ResizeSat { // clamps to the destination's range
  template <class D, class S> static D apply(S x) {
    S result = x;
    if constexpr (is_signed_integer<S> && !is_signed_integer<D>) result = result < 0 ? S{0} : result;
    if constexpr (is_signed_integer<S> && is_signed_integer<D> && width<D> < width<S>)
      result = result < lowest<D> ? S{lowest<D>} : result;
    if constexpr (static_cast<u64>(highest<D>) < static_cast<u64>(highest<S>))
      result = result > static_cast<S>(highest<D>) ? static_cast<S>(highest<D>) : result;
    return static_cast<D>(result);
  }
};

// x, integral and in range, as D. Unsigned values above the signed range are moved into it first: that is
// what vector instructions convert.
template <class D, class T> inline D exact_integer(T x) {
  if constexpr (sizeof(D) < 4)
    return static_cast<D>(static_cast<i32>(x));
  else if constexpr (is_signed_integer<D>)
    return static_cast<D>(x);
  else {
    constexpr D top = D{1} << (width<D> - 1);
    bool large = x >= static_cast<T>(top);
    return static_cast<D>(static_cast<Signed<D>>(large ? x - static_cast<T>(top) : x)) + (large ? top : D{0});
  }
}
template <Integral Mode, bool Ftz, class D> struct ToInteger {
  template <class T> static D apply(T a) {
    T x = integral<Mode>(flush<Ftz>(a));
    constexpr T above =
        static_cast<T>(static_cast<Unsigned<D>>(highest<D>) / 2 + 1) * T{2}; // highest + 1, exactly
    bool low = x < static_cast<T>(lowest<D>), high = x >= above, nan = is_nan(x);
    D inside = exact_integer<D>(low | high | nan ? T{0} : x);
    constexpr D of_nan =
        sizeof(T) == 8 || sizeof(D) == 8 ? static_cast<D>(Unsigned<D>{1} << (width<D> - 1)) : D{0};
    D clamped = low ? lowest<D> : high ? highest<D> : inside;
    return nan ? of_nan : clamped;
  }
  static D apply(F16 a) { return ToInteger<Mode, false, D>::apply(to_float(a)); }
  static D apply(BF16 a) { return ToInteger<Mode, false, D>::apply(to_float(a)); }
};

enum class Round : u8 { nearest, zero, down, up, nearest_away };

// A format of few bits: IEEE-like, or e4m3, which has no infinity and one NaN per sign.
template <int ExponentBits, int MantissaBits, u32 Largest, u32 Infinity, u32 Nan> struct Format {
  static constexpr int mantissa_bits = MantissaBits, bias = (1 << (ExponentBits - 1)) - 1,
                       bits = 1 + ExponentBits + MantissaBits;
  static constexpr u32 largest = Largest, infinity = Infinity, nan = Nan, sign = 1u << (bits - 1);
};
using FormatF16 = Format<5, 10, 0x7bff, 0x7c00, 0x7fff>;
using FormatBF16 = Format<8, 7, 0x7f7f, 0x7f80, 0x7fff>;
using FormatTF32 = Format<8, 10, 0x3fbff, 0x3fc00, 0x3ffff>;
using FormatE4M3 = Format<4, 3, 0x7e, 0x7f, 0x7f>;
using FormatE5M2 = Format<5, 2, 0x7b, 0x7c, 0x7f>;

// x in format F, its bits right-aligned. `Finite` (.satfinite) replaces overflow and infinity by the largest
// number.
template <class F, Round Mode, bool Finite> inline u32 round_to_format(double x) {
  u64 magnitude = magnitude_bits(x);
  bool negative = sign_bit(x) != 0;
  u32 sign = negative ? F::sign : 0;
  if (is_nan(x)) return F::nan;
  if (magnitude == FloatTraits<double>::infinity) return sign | (Finite ? F::largest : F::infinity);
  int exponent = static_cast<int>(magnitude >> 52) - 1023, smallest = 1 - F::bias;
  u64 mantissa = (magnitude & 0x000fffffffffffffull) | (magnitude >> 52 ? u64{1} << 52 : 0);
  int below = exponent < smallest ? smallest - exponent : 0;
  int shift = 52 - F::mantissa_bits + below;
  shift = shift < 60 ? shift : 60; // everything is below half of the last bit
  u64 kept = mantissa >> shift, rest = mantissa & ((u64{1} << shift) - 1), half = u64{1} << (shift - 1);
  bool up = Mode == Round::nearest        ? rest > half || (rest == half && (kept & 1))
            : Mode == Round::nearest_away ? rest >= half
            : Mode == Round::up           ? rest != 0 && !negative
            : Mode == Round::down         ? rest != 0 && negative
                                          : false;
  u64 base =
      below ? 0 : static_cast<u64>(exponent - smallest) << F::mantissa_bits; // the implicit bit adds one
  u64 result = base + kept + up;
  bool away = Mode == Round::nearest || Mode == Round::nearest_away || (Mode == Round::up && !negative) ||
              (Mode == Round::down && negative);
  if (result > F::largest) result = away && !Finite ? F::infinity : F::largest;
  return sign | static_cast<u32>(result);
}

// Any source as a double that rounds like the source: exact, or (64-bit integers) with a sticky last bit.
inline double widen(F16 x) { return static_cast<double>(to_float(x)); }
inline double widen(BF16 x) { return static_cast<double>(to_float(x)); }
inline double widen(float x) { return static_cast<double>(x); }
inline double widen(double x) { return x; }
template <class T>
requires(sizeof(IntegerTraits<T>) > 0) inline double widen(T x) {
  if constexpr (sizeof(T) < 8)
    return static_cast<double>(x);
  else {
    u64 m = magnitude(x);
    u64 sticky = m >> 53 ? (m & ~u64{0xfff}) | (m & 0xfff ? u64{0x800} : 0) | (m & 0x800) : m;
    double result =
        static_cast<double>(static_cast<i64>(sticky >> 1)) * 2.0 + static_cast<double>(sticky & 1);
    return x < T{0} ? -result : result;
  }
}

template <class H> struct FormatOf;
template <> struct FormatOf<F16> { using Type = FormatF16; };
template <> struct FormatOf<BF16> { using Type = FormatBF16; };

template <class S> inline constexpr bool is_f32 = false;
template <> inline constexpr bool is_f32<float> = true;

// To f16 or bf16. relu: negative results and −0 become +0; a NaN stays. .ftz changes
// nothing between halves and f32: neither side is flushed (measured on an H100).
template <class H, Round Mode, bool Finite, bool Relu, bool Sat> struct ToHalf {
  template <class S> static H convert(S x) {
    if constexpr (Mode == Round::nearest && !Finite && is_f32<S>)
      return to_half<H>(x);
    else
      return {static_cast<u16>(round_to_format<typename FormatOf<H>::Type, Mode, Finite>(widen(x)))};
  }
  template <class S> static H apply(S x) {
    H result = convert(x);
    if constexpr (Relu) result = (result.bits & 0x8000) && !half_is_nan(result) ? H{0} : result;
    if constexpr (Sat) result = to_half<H>(saturate<true>(to_float(result)));
    return result;
  }
};

// From halves, and (HalfIntegral) within one format.
template <bool Sat> struct HalfToFloat {
  static float apply(F16 x) { return saturate<Sat>(is_nan(to_float(x)) ? canonical_nan(0.0f) : to_float(x)); }
  static float apply(BF16 x) { return saturate<Sat>(to_float(x)); } // bf16 is f32's upper half, NaNs too
};
template <bool Sat> struct HalfToDouble { // a NaN's payload survives
  template <class H> static double apply(H x) { return saturate<Sat>(static_cast<double>(to_float(x))); }
};
template <Integral Mode, bool Sat> struct HalfIntegral {
  template <class H> static H apply(H x) { return to_half<H>(saturate<Sat>(integral<Mode>(to_float(x)))); }
};
// Float to float of another or the same width; flushes the f32 side.
template <class D, bool Ftz, bool Sat> struct FloatToFloat {
  template <class S> static D apply(S a) {
    S x = a;
    if constexpr (sizeof(S) == 4) x = flush<Ftz>(x);
    D result = static_cast<D>(x);
    if constexpr (sizeof(D) == 4) result = flush<Ftz>(result);
    // A widened or merely copied NaN keeps its payload, unless .ftz makes f32 arithmetic of it.
    constexpr bool copies = sizeof(S) == sizeof(D) && !Ftz, widens = sizeof(S) < sizeof(D);
    D nan = copies ? static_cast<D>(a) : widens && !Ftz ? result : static_cast<D>(canonical_nan(float{}));
    return saturate<Sat>(is_nan(a) ? nan : result);
  }
};
template <Integral Mode, bool Ftz, bool Sat> struct ToIntegral {
  template <class T> static T apply(T a) {
    T result = integral<Mode>(flush<Ftz>(a));
    return saturate<Sat>(is_nan(a) ? nan_of(a) : result);
  }
};
template <class D, bool Sat> struct IntegerToFloat {
  template <class S> static D apply(S x) { return saturate<Sat>(static_cast<D>(x)); }
};

// cvt.f16x2.f32 d, a, b: a to the upper half, b to the lower.
template <class One> struct PairOf {
  static auto apply(float a, float b) {
    return Packed<decltype(One::apply(a))>{{One::apply(b), One::apply(a)}};
  }
};
template <Round Mode, bool Finite, bool Relu> struct ToTF32 {
  static u32 apply(float x) {
    u32 bits = round_to_format<FormatTF32, Mode, Finite>(widen(x));
    if (Relu && (bits & FormatTF32::sign)) bits = 0;
    u32 nan = Mode == Round::nearest_away ? to_bits(x) & 0xffffe000u : 0x7fffe000u;
    return is_nan(x) ? nan : bits << 13;
  }
};
// Two 8-bit floats from two f32 or from f16x2; always .satfinite.
template <class F, bool Relu> struct ToByteFloats {
  static u32 one(float x) {
    return round_to_format<F, Round::nearest, true>(widen(Relu && !is_nan(x) && sign_bit(x) ? 0.0f : x));
  }
  static u16 apply(float a, float b) { return static_cast<u16>(one(a) << 8 | one(b)); }
  static u16 apply(Packed<F16> a) { return apply(to_float(a.element[1]), to_float(a.element[0])); }
};
// An 8-bit float is the top of an f16 (e5m2), or one with three exponents' difference in bias (e4m3).
template <class F> inline F16 byte_to_half(u32 x) {
  u32 sign = (x & 0x80) << 8, m = x & 0x7f;
  if constexpr (F::mantissa_bits == 2) return {static_cast<u16>(m > 0x7c ? 0x7fff : x << 8)};
  if (m == 0x7f) return {0x7fff};
  float scaled = to_float(F16{static_cast<u16>(m << 7)}) * 256.0f;
  return {static_cast<u16>(sign | to_half<F16>(scaled).bits)};
}
template <class F, bool Relu> struct FromByteFloats {
  static F16 one(u32 x) {
    return Relu && (x & 0x80) && (x & 0x7f) <= F::infinity - (F::mantissa_bits == 3) ? F16{0}
                                                                                     : byte_to_half<F>(x);
  }
  static Packed<F16> apply(u16 x) { return {{one(x & 0xff), one(x >> 8)}}; }
};

// cvt.pack.sat.D.S d, a, b{, c}: a and b clamped and packed, a above b, above them c's low bits.
template <class D> struct PackSat {
  template <class S> static u32 apply(S a, S b) {
    u32 high = static_cast<Unsigned<D>>(ResizeSat::apply<D>(a)),
        low = static_cast<Unsigned<D>>(ResizeSat::apply<D>(b));
    return high << width<D> | low;
  }
  template <class S> static u32 apply(S a, S b, u32 c) { return c << (2 * width<D>) | apply(a, b); }
};
// The same for 4-bit elements.
template <bool Signed> struct PackSatNibbles {
  template <class S> static u32 nibble(S x) {
    i64 low = Signed ? -8 : 0, high = Signed ? 7 : 15, wide = static_cast<i64>(x);
    return static_cast<u32>(wide < low ? low : wide > high ? high : wide) & 15;
  }
  template <class S> static u32 apply(S a, S b, u32 c) { return c << 8 | nibble(a) << 4 | nibble(b); }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
