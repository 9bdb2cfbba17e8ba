// The floating-point half of oracle/scalar.h: f32 and f64 in the host's own arithmetic under fesetround,
// halves in double with one final rounding. A double result that is itself inexact is first rounded to odd
// (its last bit set), which makes the second rounding exact for every format of at most 25 bits.
#include "oracle/scalar.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace warplens::oracle {
namespace {

using Sources = std::span<const u64>;
using Results = std::span<u64>;

class RoundingScope {
public:
  explicit RoundingScope(int mode) : old_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingScope() { std::fesetround(old_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

private:
  int old_;
};

int rounding_of(const Spelling& s) {
  return s.has("rz") ? FE_TOWARDZERO : s.has("rm") ? FE_DOWNWARD : s.has("rp") ? FE_UPWARD : FE_TONEAREST;
}

u64 canonical_nan(const TypeText& t) {
  return t.bits == 64 ? 0x7ff8000000000000u : t.bits == 32 ? 0x7fffffffu : 0x7fffu;
}

[[gnu::noinline]] float narrowed(long double x) {
  volatile long double source = x;
  return static_cast<float>(source);
}
[[gnu::noinline]] double narrowed_to_double(long double x) {
  volatile long double source = x;
  return static_cast<double>(source);
}

double decode_half(u64 bits) {
  int exponent = static_cast<int>(bits >> 10 & 31);
  double mantissa = static_cast<double>(bits & 1023), sign = bits >> 15 & 1 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

double decode(u64 bits, const TypeText& t) {
  if (t.bits == 64) return std::bit_cast<double>(bits);
  if (t.bits == 32) return std::bit_cast<float>(static_cast<u32>(bits));
  if (t.letter == 'g') return std::bit_cast<float>(static_cast<u32>(bits) << 16);
  return decode_half(truncated(bits, 16));
}

// Rounds to a 16-bit format of `precision` significant bits whose smallest normal number is 2^min_exponent.
double quantised(double x, int precision, int min_exponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = std::max(std::ilogb(x), min_exponent);
  int quantum = exponent - (precision - 1);
  volatile double scaled = std::ldexp(x, -quantum);
  return std::ldexp(std::nearbyint(scaled), quantum);
}

u64 encode_half(double x, int rounding) {
  RoundingScope scope(rounding);
  u64 sign = std::signbit(x) ? 0x8000 : 0;
  double r = std::fabs(quantised(x, 11, -14));
  if (r > 65504) {
    bool to_infinity = std::isinf(x) || rounding == FE_TONEAREST || (rounding == FE_UPWARD && !sign) ||
                       (rounding == FE_DOWNWARD && sign);
    return sign | (to_infinity ? 0x7c00u : 0x7bffu);
  }
  if (r == 0) return sign;
  if (r < std::ldexp(1.0, -14)) return sign | static_cast<u64>(std::ldexp(r, 24));
  int exponent = std::ilogb(r);
  return sign | static_cast<u64>(exponent + 15) << 10 |
         (static_cast<u64>(std::ldexp(r, 10 - exponent)) & 1023);
}

u64 encode_bfloat(double x, int rounding) {
  RoundingScope scope(rounding);
  double r = quantised(x, 8, -126);
  if (std::fabs(r) > 3.3895313892515355e38 && std::isfinite(x)) {
    bool to_infinity =
        rounding == FE_TONEAREST || (rounding == FE_UPWARD && x > 0) || (rounding == FE_DOWNWARD && x < 0);
    return (x < 0 ? 0x8000u : 0u) | (to_infinity ? 0x7f80u : 0x7f7fu);
  }
  return std::bit_cast<u32>(static_cast<float>(r)) >> 16; // r has 8 significant bits: the conversion is exact
}

u64 encode(double x, const TypeText& t, int rounding) {
  if (std::isnan(x)) return canonical_nan(t);
  if (t.bits == 64) return std::bit_cast<u64>(x);
  if (t.bits == 16) return t.letter == 'g' ? encode_bfloat(x, rounding) : encode_half(x, rounding);
  RoundingScope scope(rounding);
  return std::bit_cast<u32>(narrowed(x));
}

double flushed(double x) { return std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x; } // f32 subnormals

// Not inlined, and with volatile operands: the operation must happen under the caller's rounding mode.
template <class Float> [[gnu::noinline]] Float apply(const std::string& op, Float a, Float b, Float c) {
  volatile Float x = a, y = b, z = c;
  if (op == "add") return x + y;
  if (op == "sub") return x - y;
  if (op == "mul") return x * y;
  if (op == "div") return x / y;
  if (op == "rcp") return Float{1} / x;
  if (op == "sqrt") return std::sqrt(x);
  return std::fma(x, y, z);
}

// A double whose rounding to at most 25 bits equals that of the exact result.
double apply_to_odd(const std::string& op, double a, double b, double c) {
  RoundingScope scope(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  double r = apply<double>(op, a, b, c);
  if (!std::fetestexcept(FE_INEXACT) || !std::isfinite(r)) return r;
  return std::bit_cast<double>(std::bit_cast<u64>(r) | 1);
}

double saturated(double x) { return std::isnan(x) || x <= 0 ? 0.0 : std::min(x, 1.0); }

u64 arithmetic(const Spelling& s, const TypeText& t, u64 a, u64 b, u64 c) {
  std::string op = s.opcode == "mad" ? "fma" : s.opcode;
  double x = decode(a, t), y = decode(b, t), z = decode(c, t), r;
  bool ftz = s.has("ftz") && t.bits == 32;
  if (ftz) x = flushed(x), y = flushed(y), z = flushed(z);
  int rounding = rounding_of(s);
  if (t.bits == 16) {
    r = apply_to_odd(op, x, y, z);
  } else if (t.bits == 32) {
    RoundingScope scope(rounding);
    r = apply<float>(op, static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  } else {
    RoundingScope scope(rounding);
    r = apply<double>(op, x, y, z);
  }
  if (ftz) r = flushed(r);
  if (s.has("sat")) r = saturated(r);
  u64 bits = encode(r, t, rounding);
  if (s.has("relu") && (std::isnan(r) ? false : r < 0 || std::signbit(r))) bits = 0;
  return bits;
}

u64 extreme(const Spelling& s, const TypeText& t, u64 a, u64 b) {
  double x = decode(a, t), y = decode(b, t);
  if (s.has("ftz") && t.bits == 32) x = flushed(x), y = flushed(y);
  if (s.has("NaN") && (std::isnan(x) || std::isnan(y))) return canonical_nan(t);
  if (std::isnan(x)) return encode(y, t, FE_TONEAREST);
  if (std::isnan(y)) return encode(x, t, FE_TONEAREST);
  bool x_smaller = x < y || (x == y && std::signbit(x)); // -0 counts as smaller than +0
  bool take_x = s.opcode == "min" ? x_smaller : !x_smaller;
  return encode(take_x ? x : y, t, FE_TONEAREST);
}

u64 change_sign(const Spelling& s, const TypeText& t, u64 a, u64 b) {
  u64 sign = u64{1} << (t.bits - 1), r = a;
  if (s.has("ftz") && t.bits == 32) r = std::bit_cast<u32>(static_cast<float>(flushed(decode(a, t))));
  if (s.opcode == "abs") return r & ~sign;
  if (s.opcode == "neg") return r ^ sign;
  return (b & ~sign) | (a & sign); // copysign: the sign of a, the magnitude of b
}

u64 one_element(const Spelling& s, const TypeText& t, u64 a, u64 b, u64 c) {
  a = truncated(a, t.bits), b = truncated(b, t.bits), c = truncated(c, t.bits);
  if (s.opcode == "min" || s.opcode == "max") return extreme(s, t, a, b);
  if (s.opcode == "abs" || s.opcode == "neg" || s.opcode == "copysign") return change_sign(s, t, a, b);
  return arithmetic(s, t, a, b, c);
}

bool test_property(const Spelling& s, u64 bits) {
  double x = decode(bits, s.type());
  bool subnormal =
      x != 0 && std::fabs(x) < (s.type().bits == 32 ? 0x1p-126 : std::numeric_limits<double>::min());
  if (s.has("finite")) return std::isfinite(x);
  if (s.has("infinite")) return std::isinf(x);
  if (s.has("number")) return !std::isnan(x);
  if (s.has("notanumber")) return std::isnan(x);
  return s.has("subnormal") ? subnormal : std::isfinite(x) && !subnormal; // zeros count as normal
}

bool is_known(std::string_view opcode) {
  static const std::string_view known[] = {"add",  "sub", "mul", "fma", "mad", "div",     "rcp",
                                           "sqrt", "min", "max", "abs", "neg", "copysign"};
  return std::find(std::begin(known), std::end(known), opcode) != std::end(known);
}

// x rounded to an integer by .rni .rzi .rmi .rpi.
double integral(const Spelling& s, double x) {
  if (s.has("rni")) return std::nearbyint(x);
  return s.has("rzi") ? std::trunc(x) : s.has("rmi") ? std::floor(x) : s.has("rpi") ? std::ceil(x) : x;
}

u64 float_to_integer(const Spelling& s, const TypeText& to, const TypeText& from, double x) {
  bool wide = from.bits == 64 || to.bits == 64;
  if (std::isnan(x))
    return extended(wide && !s.has("sat") ? u64{1} << (to.bits - 1) : 0, to.bits, to.is_signed());
  double r = integral(s, x);
  double limit = std::ldexp(1.0, static_cast<int>(to.bits) - (to.is_signed() ? 1 : 0));
  if (r >= limit)
    return extended(~u64{0} >> (64 - to.bits + (to.is_signed() ? 1 : 0)), to.bits, to.is_signed());
  if (to.is_signed())
    return r < -limit ? extended(u64{1} << (to.bits - 1), to.bits, true)
                      : static_cast<u64>(static_cast<i64>(r));
  return r <= 0 ? 0 : static_cast<u64>(r);
}

u64 integer_to_float(const Spelling& s, const TypeText& to, const TypeText& from, u64 bits) {
  u64 wide = extended(bits, from.bits, from.is_signed());
  long double exact =
      from.is_signed() ? static_cast<long double>(static_cast<i64>(wide)) : static_cast<long double>(wide);
  int rounding = rounding_of(s);
  if (to.bits == 16) { // 64-bit integers: rounded to odd first
    double r;
    {
      RoundingScope scope(FE_TOWARDZERO);
      r = narrowed_to_double(exact);
    }
    if (static_cast<long double>(r) != exact) r = std::bit_cast<double>(std::bit_cast<u64>(r) | 1);
    return encode(r, to, rounding);
  }
  RoundingScope scope(rounding);
  if (to.bits == 64) return std::bit_cast<u64>(narrowed_to_double(exact));
  float single = narrowed(exact);
  return std::bit_cast<u32>(s.has("sat") ? static_cast<float>(saturated(single)) : single);
}

u64 integer_to_integer(const Spelling& s, const TypeText& to, const TypeText& from, u64 bits) {
  u64 wide = extended(bits, from.bits, from.is_signed());
  if (!s.has("sat")) return extended(wide, to.bits, to.is_signed());
  __int128 value = from.is_signed() ? __int128{static_cast<i64>(wide)} : __int128{wide};
  __int128 one = 1, low = to.is_signed() ? -(one << (to.bits - 1)) : 0;
  __int128 high = (one << (to.bits - (to.is_signed() ? 1 : 0))) - 1;
  return static_cast<u64>(std::clamp(value, low, high));
}

u64 float_to_float(const Spelling& s, const TypeText& to, const TypeText& from, double x) {
  double r = integral(s, x);
  if (s.has("sat")) r = saturated(r);
  u64 bits = encode(r, to, rounding_of(s));
  bool flush = s.has("ftz") && to.bits == 32 && from.bits != 16;
  return flush ? std::bit_cast<u32>(static_cast<float>(flushed(decode(bits, to)))) : bits;
}

} // namespace

u64 float_one(const TypeText& t) { return encode(1.0, t, FE_TONEAREST); }

bool compare_floats(std::string_view name, const TypeText& t, bool ftz, u64 a, u64 b) {
  double x = decode(a, t), y = decode(b, t);
  if (ftz && t.bits == 32) x = flushed(x), y = flushed(y);
  bool unordered = std::isnan(x) || std::isnan(y);
  if (name == "num") return !unordered;
  if (name == "nan") return unordered;
  bool or_unordered = name.size() == 3;
  std::string_view base = name.substr(0, 2);
  if (unordered) return or_unordered; // ne is ordered too: false on NaN
  if (base == "eq") return x == y;
  if (base == "ne") return x != y;
  if (base == "lt") return x < y;
  if (base == "le") return x <= y;
  return base == "gt" ? x > y : x >= y;
}

bool evaluate_float(const Spelling& s, Sources in, Results out) {
  const TypeText& t = s.type();
  if (s.opcode == "testp") {
    out[0] = test_property(s, in[0]);
    return true;
  }
  if (!is_known(s.opcode) || s.has("approx") || s.has("full")) return false;
  u64 a = in[0], b = in.size() > 1 ? in[1] : 0, c = in.size() > 2 ? in[2] : 0;
  if (!t.packed) {
    out[0] = one_element(s, t, a, b, c);
    return true;
  }
  u64 low = one_element(s, t, a, b, c);
  u64 high = one_element(s, t, a >> t.bits, b >> t.bits, c >> t.bits);
  out[0] = low | high << t.bits;
  return true;
}

bool evaluate_conversion(const Spelling& s, Sources in, Results out) {
  if (s.types.size() != 2) return false;
  const TypeText &to = s.type(0), &from = s.type(1);
  if (to.packed) { // cvt.rn.f16x2.f32 d, a, b: a goes to the upper half
    if (in.size() != 2 || from.text != "f32") return false;
    Spelling half = s;
    half.types[0].packed = false;
    u64 high = float_to_float(half, half.types[0], from, decode(in[0], from));
    u64 low = float_to_float(half, half.types[0], from, decode(in[1], from));
    out[0] = high << 16 | low;
    return true;
  }
  double x = from.is_float() ? decode(in[0], from) : 0;
  if (s.has("ftz") && from.text == "f32") x = flushed(x);
  if (from.is_float() && to.is_float())
    out[0] = float_to_float(s, to, from, x);
  else if (from.is_float())
    out[0] = float_to_integer(s, to, from, x);
  else
    out[0] = to.is_float() ? integer_to_float(s, to, from, in[0]) : integer_to_integer(s, to, from, in[0]);
  return true;
}

} // namespace warplens::oracle
