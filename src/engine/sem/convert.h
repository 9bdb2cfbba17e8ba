// Conversions (PTX ISA, "cvt" and "cvt.pack"): among integers, between integers and floats, and from any
// float to the small formats f16, bf16, tf32, e4m3 and e5m2.
//
// Float to integer rounds, then clamps to the destination's range. NaN gives 0, or 1 << (width − 1) where the
// source is f64 or the destination has 64 bits. Small formats are rounded by hand from a double (ToFormat), which
// serves every rounding mode; the common round-to-nearest f32 → f16/bf16 uses sem/half.h's faster way.
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
// x, integral or not a number, clamped to D's range.
template <class D, class T> inline D clamped_integer(T x) {
  constexpr T above =
      static_cast<T>(static_cast<Unsigned<D>>(highest<D>) / 2 + 1) * T{2}; // highest + 1, exactly
  bool low = x < static_cast<T>(lowest<D>), high = x >= above, nan = is_nan(x);
  D inside = exact_integer<D>(low | high | nan ? T{0} : x);
  constexpr D of_nan =
      sizeof(T) == 8 || sizeof(D) == 8 ? static_cast<D>(Unsigned<D>{1} << (width<D> - 1)) : D{0};
  D clamped = low ? lowest<D> : high ? highest<D> : inside;
  return nan ? of_nan : clamped;
}
template <Integral Mode, class D> struct ToInteger { // .rni, .rzi: .ftz makes no difference
  template <class T> static D apply(T a) { return clamped_integer<D>(integral<Mode>(a)); }
};
// .rmi and .rpi, as data: down is up of the negative number.
template <class D> class ToIntegerDirected {
public:
  ToIntegerDirected(bool up, bool ftz) : up_(up), ftz_(ftz) {}
  template <class T> D apply(T a) const {
    using Traits = FloatTraits<T>;
    FloatBits<T> flip = up_ ? 0 : Traits::sign, least = ftz_ ? Traits::smallest_normal : 0;
    T flushed = magnitude_bits(a) < least ? from_bits<T>(sign_bit(a)) : a;
    T x = from_bits<T>(to_bits(flushed) ^ flip), nearest = nearest_integral(x);
    T up = nearest < x ? nearest + T{1} : nearest;
    return clamped_integer<D>(from_bits<T>(to_bits(up) ^ flip));
  }

private:
  bool up_, ftz_;
};

enum class Round : u8 { nearest, zero, down, up, nearest_away };

// A format of few bits: IEEE-like, or e4m3, which has no infinity and one NaN per sign.
struct Format {
  int exponent_bits, mantissa_bits;
  u32 largest, infinity, nan;
  constexpr int smallest() const { return 2 - (1 << (exponent_bits - 1)); } // exponent of a normal number
  constexpr u32 sign() const { return 1u << (exponent_bits + mantissa_bits); }
};
inline constexpr Format format_f16{5, 10, 0x7bff, 0x7c00, 0x7fff};
inline constexpr Format format_bf16{8, 7, 0x7f7f, 0x7f80, 0x7fff};
inline constexpr Format format_tf32{8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
inline constexpr Format format_e4m3{4, 3, 0x7e, 0x7f, 0x7f};
inline constexpr Format format_e5m2{5, 2, 0x7b, 0x7c, 0x7f};

// Rounds to a format. All in 64 bits, with masks for choices, so that loops are vector loops whatever is asked for.
// `finite` (.satfinite) replaces overflow and infinity by the largest number.
class ToFormat {
public:
  ToFormat(const Format& format, Round mode, bool finite)
      : smallest_(format.smallest()), bits_(format.mantissa_bits), largest_(format.largest),
        infinity_(finite ? format.largest : format.infinity), nan_(format.nan), sign_(format.sign()) {
    bool nearest = mode == Round::nearest || mode == Round::nearest_away;
    nearest_ = nearest ? -1 : 0;
    ties_away_ = mode == Round::nearest_away;
    up_ = mode == Round::up ? -1 : 0;
    down_ = mode == Round::down ? -1 : 0;
    overflow_ = nearest || up_ ? infinity_ : largest_;
    underflow_ = nearest || down_ ? infinity_ : largest_;
  }
  // The bits of x in the format, right-aligned.
  u32 apply(double x) const {
    constexpr i64 infinity = static_cast<i64>(FloatTraits<double>::infinity);
    i64 magnitude = static_cast<i64>(magnitude_bits(x));
    i64 negative = -static_cast<i64>(to_bits(x) >> 63);
    i64 field = shifted(magnitude, 52), exponent = field - 1023;
    i64 implicit = select(field > 0, i64{1} << 52, 0);
    i64 mantissa = (magnitude & 0x000fffffffffffff) | implicit;
    i64 below = select(exponent < smallest_, smallest_ - exponent, 0);
    i64 shift = 51 - bits_ + below;
    shift = select(shift < 60, shift, 60); // everything is below half of the last bit
    i64 cut = shifted(mantissa, shift), kept = shifted(cut, 1), half = cut & 1,
        rest = (cut << shift) != mantissa;
    i64 directed = (up_ & ~negative) | (down_ & negative);
    i64 up = (half & (rest | kept | ties_away_) & nearest_) | ((half | rest) & directed);
    i64 base = select(below > 0, 0, (exponent - smallest_) << bits_); // the implicit bit adds one
    i64 result = base + kept + (up & 1);
    i64 overflow = (overflow_ & ~negative) | (underflow_ & negative);
    result = select(result > largest_, overflow, result);
    result = select(magnitude == infinity, infinity_, result) | (sign_ & negative);
    return static_cast<u32>(select(magnitude > infinity, nan_, result));
  }

private:
  // Right; of a number that is not negative: AVX2 has no signed shift of 64 bits.
  static i64 shifted(i64 x, i64 by) { return static_cast<i64>(static_cast<u64>(x) >> by); }
  static i64 select(bool c, i64 a, i64 b) {
    i64 mask = -static_cast<i64>(c);
    return (a & mask) | (b & ~mask);
  }
  i64 smallest_, bits_, largest_, infinity_, nan_, sign_;
  i64 nearest_, ties_away_, up_, down_; // of the mode: masks, and one bit
  i64 overflow_, underflow_;            // what is too large becomes, by sign
};

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

// To f16 or bf16 from f32, to the nearest. (.ftz changes nothing between halves and f32: neither side is
// flushed, measured on an H100.)
template <class H> struct NearestHalf {
  static H apply(float x) { return to_half<H>(x); }
};

// From halves, and (HalfIntegral) within one format.
struct HalfToFloat {
  static float apply(F16 x) { return is_nan(to_float(x)) ? canonical_nan(0.0f) : to_float(x); }
  static float apply(BF16 x) { return to_float(x); } // bf16 is f32's upper half, NaNs too
};
struct HalfToDouble { // a NaN's payload survives
  template <class H> static double apply(H x) { return static_cast<double>(to_float(x)); }
};
template <Integral Mode> struct HalfIntegral {
  template <class H> static H apply(H x) { return to_half<H>(integral<Mode>(to_float(x))); }
};
struct Saturate {
  template <class T> static T apply(T x) { return saturate<true>(x); }
};
// Float to float of another or the same width; flushes the f32 side.
template <class D, bool Ftz, bool Sat> struct FloatToFloat {
  template <class S> static D apply(S a) {
    S x = a;
    if constexpr (sizeof(S) == 4) x = flush<Ftz>(x);
    D result = static_cast<D>(x);
    if constexpr (sizeof(D) == 4) result = flush<Ftz>(result);
    // A NaN keeps what fits of its payload, unless .ftz makes f32 arithmetic of it.
    constexpr bool copies = sizeof(S) == sizeof(D);
    D nan = Ftz ? static_cast<D>(canonical_nan(float{})) : copies ? static_cast<D>(a) : result;
    return saturate<Sat>(is_nan(a) ? nan : result);
  }
};
template <Integral Mode, bool Ftz> struct ToIntegral {
  template <class T> static T apply(T a) {
    T result = integral<Mode>(flush<Ftz>(a));
    return is_nan(a) ? nan_of(a) : result;
  }
};
// In the rounding mode of the environment. Of a u64, compilers that have no instruction for it add two halves which cancel when
// it is 0, and that is -0 rounding down; these halves are exact and do not cancel, so that only their sum is rounded.
template <class D> struct IntegerToFloat {
  template <class S> static D apply(S x) {
    if constexpr (std::is_same_v<D, double> && std::is_same_v<S, u64>)
      return static_cast<double>(static_cast<u32>(x >> 32)) * 0x1p32 +
             static_cast<double>(static_cast<u32>(x));
    else
      return static_cast<D>(x);
  }
};

// cvt.f16x2.f32 d, a, b: a to the upper half, b to the lower.
template <class H> struct NearestPair {
  static Packed<H> apply(float a, float b) { return {{to_half<H>(b), to_half<H>(a)}}; }
};

// An 8-bit float is the top of an f16 (e5m2), or one with three exponents' difference in bias (e4m3).
template <bool E5M2> inline F16 byte_to_half(u32 x) {
  u32 sign = (x & 0x80) << 8, m = x & 0x7f;
  if constexpr (E5M2) return {static_cast<u16>(m > 0x7c ? 0x7fff : x << 8)};
  if (m == 0x7f) return {0x7fff};
  float scaled = to_float(F16{static_cast<u16>(m << 7)}) * 256.0f;
  return {static_cast<u16>(sign | to_half<F16>(scaled).bits)};
}
template <bool E5M2, bool Relu> struct FromByteFloats {
  static F16 one(u32 x) {
    constexpr u32 largest = E5M2 ? 0x7c : 0x7e; // infinity, too
    return Relu && (x & 0x80) && (x & 0x7f) <= largest ? F16{0} : byte_to_half<E5M2>(x);
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
