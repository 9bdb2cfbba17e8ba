// Kernels of cvt where the destination is a float, packed or not.
#include "sem/convert.h"
#include "sim/kernels/target/convert.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Rounding;
using ir::Type;
using sem::BF16, sem::F16, sem::Integral, sem::Round;

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
template <class F> const Kernel* with_round(Rounding rounding, F f) {
  switch (rounding) {
  case Rounding::none:
  case Rounding::nearest_even: return f.template operator()<Round::nearest>();
  case Rounding::zero: return f.template operator()<Round::zero>();
  case Rounding::down: return f.template operator()<Round::down>();
  case Rounding::up: return f.template operator()<Round::up>();
  case Rounding::nearest_away: return f.template operator()<Round::nearest_away>();
  default: return nullptr;
  }
}

// f32 or f64 from an integer, f32 or f64 of another width: the host's conversion, in the right rounding mode.
template <class D> const Kernel* to_wide(const Request& r) {
  bool ftz = has(r, Modifier::ftz), sat = has(r, Modifier::sat);
  return with_flag(sat, [&]<bool Sat>() -> const Kernel* {
    switch (r.type[1]) {
    case Type::f64:
      return ftz ? rounded_kernel<sem::FloatToFloat<D, true, Sat>, D, double>(r.rounding)
                 : rounded_kernel<sem::FloatToFloat<D, false, Sat>, D, double>(r.rounding);
    case Type::f32:
      return ftz ? kernel<sem::FloatToFloat<D, true, Sat>, D, float>()
                 : kernel<sem::FloatToFloat<D, false, Sat>, D, float>();
    case Type::f16:
    case Type::bf16: {
      bool brain = r.type[1] == Type::bf16;
      using Op = std::conditional_t<sizeof(D) == 4, sem::HalfToFloat<Sat>, sem::HalfToDouble<Sat>>;
      return brain ? kernel<Op, D, BF16>() : kernel<Op, D, F16>();
    }
    default:
      return with_any_integer(r.type[1], [&]<class STag, class S>() -> const Kernel* {
        return rounded_kernel<sem::IntegerToFloat<D, Sat>, D, STag>(r.rounding);
      });
    }
  });
}
template <class T> const Kernel* same_width(const Request& r) {
  return with_integral(r.rounding, [&]<Integral Mode>() {
    return with_flag(has(r, Modifier::sat), [&]<bool Sat>() {
      return with_flag(has(r, Modifier::ftz) && sizeof(T) == 4,
                       []<bool Ftz>() { return kernel<sem::ToIntegral<Mode, Ftz, Sat>, T, T>(); });
    });
  });
}

// f16 or bf16 from anything.
template <class H> const Kernel* to_half(const Request& r) {
  bool finite = has(r, Modifier::satfinite), relu = has(r, Modifier::relu), sat = has(r, Modifier::sat);
  bool same = (r.type[1] == Type::f16 || r.type[1] == Type::bf16) && r.type[0] == r.type[1];
  if (same && is_integral(r.rounding))
    return with_integral(r.rounding, [&]<Integral Mode>() {
      return with_flag(sat, []<bool Sat>() { return kernel<sem::HalfIntegral<Mode, Sat>, H, H>(); });
    });
  return with_round(r.rounding, [&]<Round Mode>() -> const Kernel* {
    if (r.type[1] == Type::f32)
      return with_flag(finite, [&]<bool Finite>() {
        return with_flag(relu, [&]<bool Relu>() -> const Kernel* {
          if constexpr (!Finite && !Relu)
            if (sat) return kernel<sem::ToHalf<H, Mode, false, false, true>, H, float>();
          return kernel<sem::ToHalf<H, Mode, Finite, Relu, false>, H, float>();
        });
      });
    return with_flag(sat, [&]<bool Sat>() -> const Kernel* {
      using Op = sem::ToHalf<H, Mode, false, false, Sat>;
      switch (r.type[1]) {
      case Type::f64: return kernel<Op, H, double>();
      case Type::f16: return kernel<Op, H, F16>();
      case Type::bf16: return kernel<Op, H, BF16>();
      default:
        return with_any_integer(r.type[1], [&]<class STag, class S>() { return kernel<Op, H, STag>(); });
      }
    });
  });
}

// Two f32 to one packed register.
template <class H> const Kernel* to_pair(const Request& r) {
  if (r.sources != 2 || r.type[1] != Type::f32) return nullptr;
  return with_round(r.rounding, [&]<Round Mode>() {
    return with_flag(has(r, Modifier::satfinite), [&]<bool Finite>() {
      return with_flag(has(r, Modifier::relu), [&]<bool Relu>() {
        return kernel<sem::PairOf<sem::ToHalf<H, Mode, Finite, Relu, false>>, sem::Packed<H>, float, float>();
      });
    });
  });
}
template <class F> const Kernel* from_bytes(const Request& r) {
  return with_flag(has(r, Modifier::relu),
                   []<bool Relu>() { return kernel<sem::FromByteFloats<F, Relu>, sem::Packed<F16>, u16>(); });
}
template <class F> const Kernel* to_bytes(const Request& r) {
  return with_flag(has(r, Modifier::relu), [&]<bool Relu>() -> const Kernel* {
    using Op = sem::ToByteFloats<F, Relu>;
    if (r.type[1] == Type::f32 && r.sources == 2) return kernel<Op, u16, float, float>();
    return r.type[1] == Type::f16x2 ? kernel<Op, u16, sem::Packed<F16>>() : nullptr;
  });
}
const Kernel* to_tf32(const Request& r) {
  return with_round(r.rounding, [&]<Round Mode>() {
    return with_flag(has(r, Modifier::satfinite), [&]<bool Finite>() {
      return with_flag(has(r, Modifier::relu),
                       []<bool Relu>() { return kernel<sem::ToTF32<Mode, Finite, Relu>, u32, float>(); });
    });
  });
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
    if (r.type[1] == Type::e4m3x2) return from_bytes<sem::FormatE4M3>(r);
    if (r.type[1] == Type::e5m2x2) return from_bytes<sem::FormatE5M2>(r);
    return to_pair<F16>(r);
  case Type::bf16x2: return to_pair<BF16>(r);
  case Type::e4m3x2: return to_bytes<sem::FormatE4M3>(r);
  case Type::e5m2x2: return to_bytes<sem::FormatE5M2>(r);
  case Type::tf32: return to_tf32(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
