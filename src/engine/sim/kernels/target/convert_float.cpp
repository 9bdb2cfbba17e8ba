// Kernels of cvt where the destination is a float, packed or not.
#include "sem/convert.h"
#include "sim/kernels/target/convert.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Rounding;
using ir::Type;
using sem::Integral, sem::Packed, sem::Round;

template <class F> const Kernel* with_integral(Rounding rounding, F f) {
  switch (rounding) {
  case Rounding::integer_nearest: return f.template operator()<Integral::nearest>();
  case Rounding::integer_zero: return f.template operator()<Integral::zero>();
  case Rounding::integer_down: return f.template operator()<Integral::down>();
  case Rounding::integer_up: return f.template operator()<Integral::up>();
  default: return nullptr;
  }
}
bool is_integral(Rounding rounding) { return rounding >= Rounding::integer_nearest; }

// f32 or f64 from an integer, f32 or f64 of another width: the host's conversion, in the right rounding mode.
template <class Op, class D, class S> const Kernel* wide_kernel(const Request& r) {
  static constexpr Kernel saturated = describe<D, S>(&run_saturated<&run_rounded<Op, D, S>, D>);
  if (!has(r, Modifier::sat)) return rounded_kernel<Op, D, S>(r.rounding);
  return is_ieee(r.rounding) ? &saturated : nullptr;
}
template <class D, class S> const Kernel* float_to_float(const Request& r) {
  return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() -> const Kernel* {
    if constexpr (sizeof(D) == 4 && sizeof(S) == 4)
      if (has(r, Modifier::sat)) return kernel<sem::FloatToFloat<D, Ftz, true>, D, S>(); // __saturatef()
    return wide_kernel<sem::FloatToFloat<D, Ftz, false>, D, S>(r);
  });
}
template <class D> const Kernel* to_wide(const Request& r) {
  using FromHalf = std::conditional_t<sizeof(D) == 4, sem::HalfToFloat, sem::HalfToDouble>;
  switch (r.type[1]) {
  case Type::f64: return float_to_float<D, double>(r);
  case Type::f32: return float_to_float<D, float>(r);
  case Type::f16: return wide_kernel<FromHalf, D, F16>(r);
  case Type::bf16: return wide_kernel<FromHalf, D, BF16>(r);
  default:
    return with_any_integer(r.type[1], [&]<class STag, class S>() -> const Kernel* {
      return wide_kernel<sem::IntegerToFloat<D>, D, STag>(r);
    });
  }
}
template <class T> const Kernel* same_width(const Request& r) {
  return with_integral(r.rounding, [&]<Integral Mode>() {
    return with_flag(has(r, Modifier::ftz) && sizeof(T) == 4, [&]<bool Ftz>() -> const Kernel* {
      using Op = sem::ToIntegral<Mode, Ftz>;
      static constexpr Kernel saturated = describe<T, T>(&run_saturated<&run_loop<Op, T, T>, T>);
      return has(r, Modifier::sat) ? &saturated : kernel<Op, T, T>();
    });
  });
}

// The kernel of a loop that makes H, or pairs of H, followed by .sat and .relu where the form has them.
template <class Op, class H, class... S> const Kernel* half_kernel(const Request& r) {
  constexpr u32 per_lane = Storage<H>::bits / 16;
  static constexpr Kernel finished = describe<H, S...>(&run_finished<&run_loop<Op, H, S...>, per_lane>);
  return has(r, Modifier::sat) || has(r, Modifier::relu) ? &finished : kernel<Op, H, S...>();
}

// Small formats, rounded as the form says.
Round round_of(Rounding rounding) {
  switch (rounding) {
  case Rounding::zero: return Round::zero;
  case Rounding::down: return Round::down;
  case Rounding::up: return Round::up;
  case Rounding::nearest_away: return Round::nearest_away;
  default: return Round::nearest;
  }
}
const sem::Format& format_of(Type type) {
  switch (type) {
  case Type::bf16:
  case Type::bf16x2: return sem::format_bf16;
  case Type::tf32: return sem::format_tf32;
  case Type::e4m3x2: return sem::format_e4m3;
  case Type::e5m2x2: return sem::format_e5m2;
  default: return sem::format_f16;
  }
}
struct Narrow {
  sem::ToFormat format;
  explicit Narrow(const Variant& v) : format(format_of(v.type[0]), round_of(v.rounding), v.satfinite) {}
};
struct NarrowOne : Narrow { // to f16 or bf16: both are stored as 16 bits
  using Narrow::Narrow;
  template <class S> F16 apply(S x) const { return {static_cast<u16>(format.apply(sem::widen(x)))}; }
};
struct NarrowTwo : Narrow {
  using Narrow::Narrow;
  Packed<F16> apply(float a, float b) const {
    return {
        {{static_cast<u16>(format.apply(sem::widen(b)))}, {static_cast<u16>(format.apply(sem::widen(a)))}}};
  }
};
struct NarrowTF32 : Narrow {
  bool relu, away;
  explicit NarrowTF32(const Variant& v)
      : Narrow(v), relu(v.relu), away(v.rounding == Rounding::nearest_away) {}
  u32 apply(float x) const {
    u32 bits = format.apply(sem::widen(x)), nan = away ? sem::to_bits(x) & 0xffffe000u : 0x7fffe000u;
    u32 positive = relu && (bits & sem::format_tf32.sign()) ? 0 : bits;
    return sem::is_nan(x) ? nan : positive << 13;
  }
};
struct NarrowBytes : Narrow { // two 8-bit floats, always .satfinite
  u32 relu;                   // the sign that is not to be
  explicit NarrowBytes(const Variant& v) : Narrow(v), relu(v.relu ? 0x80 : 0) {}
  u32 one(float x) const {
    u32 bits = format.apply(sem::widen(x));
    return bits & ~(0 - ((bits & relu) >> 7));
  }
  u16 apply(float a, float b) const { return static_cast<u16>(one(a) << 8 | one(b)); }
  u16 apply(Packed<F16> a) const { return apply(sem::to_float(a.element[1]), sem::to_float(a.element[0])); }
};
bool is_rounding(Rounding rounding) { return is_ieee(rounding) || rounding == Rounding::nearest_away; }

// f16 or bf16 from anything.
template <class H> const Kernel* to_half(const Request& r) {
  if (r.type[0] == r.type[1] && is_integral(r.rounding))
    return with_integral(r.rounding,
                         [&]<Integral Mode>() { return half_kernel<sem::HalfIntegral<Mode>, H, H>(r); });
  if (!is_rounding(r.rounding)) return nullptr;
  switch (r.type[1]) {
  case Type::f32:
    if (is_nearest(r.rounding) && !has(r, Modifier::satfinite))
      return half_kernel<sem::NearestHalf<H>, H, float>(r);
    return half_kernel<NarrowOne, F16, float>(r);
  case Type::f64: return half_kernel<NarrowOne, F16, double>(r);
  case Type::f16: return half_kernel<NarrowOne, F16, F16>(r);
  case Type::bf16: return half_kernel<NarrowOne, F16, BF16>(r);
  default:
    return with_any_integer(r.type[1],
                            [&]<class STag, class S>() { return half_kernel<NarrowOne, F16, STag>(r); });
  }
}

// Two f32 to one packed register.
template <class H> const Kernel* to_pair(const Request& r) {
  if (r.sources != 2 || r.type[1] != Type::f32 || !is_rounding(r.rounding)) return nullptr;
  if (is_nearest(r.rounding) && !has(r, Modifier::satfinite))
    return half_kernel<sem::NearestPair<H>, Packed<H>, float, float>(r);
  return half_kernel<NarrowTwo, Packed<F16>, float, float>(r);
}
template <bool E5M2> const Kernel* from_bytes(const Request& r) {
  return with_flag(has(r, Modifier::relu),
                   []<bool Relu>() { return kernel<sem::FromByteFloats<E5M2, Relu>, Packed<F16>, u16>(); });
}
const Kernel* to_bytes(const Request& r) {
  if (r.type[1] == Type::f32 && r.sources == 2) return kernel<NarrowBytes, u16, float, float>();
  return r.type[1] == Type::f16x2 ? kernel<NarrowBytes, u16, Packed<F16>>() : nullptr;
}

} // namespace

const Kernel* find_convert_float(const Request& r) {
  switch (r.type[0]) {
  case Type::f32:
    return r.type[1] == Type::f32 && is_integral(r.rounding) ? same_width<float>(r) : to_wide<float>(r);
  case Type::f64:
    return r.type[1] == Type::f64 && is_integral(r.rounding) ? same_width<double>(r) : to_wide<double>(r);
  case Type::f16: return to_half<F16>(r);
  case Type::bf16: return to_half<BF16>(r);
  case Type::f16x2:
    if (r.type[1] == Type::e4m3x2) return from_bytes<false>(r);
    if (r.type[1] == Type::e5m2x2) return from_bytes<true>(r);
    return to_pair<F16>(r);
  case Type::bf16x2: return to_pair<BF16>(r);
  case Type::e4m3x2:
  case Type::e5m2x2: return to_bytes(r);
  case Type::tf32: return is_rounding(r.rounding) ? kernel<NarrowTF32, u32, float>() : nullptr;
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
