// Kernels of f32, f32x2 and f64 arithmetic in all rounding modes, and of the approximate functions.
#include "sem/floating.h"
#include "sem/integer.h"
#include "sem/special.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;
using Pair = sem::Packed<float>;

// Calls f.operator()<Op>() with the functor wrapped for .ftz and .sat.
template <class Op, class F> const Kernel* with_flushing(const Request& r, F f) {
  return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
    return with_flag(has(r, Modifier::sat),
                     [&]<bool Sat>() { return f.template operator()<sem::Float<Op, Ftz, Sat>>(); });
  });
}
template <class Op> const Kernel* binary(const Request& r) {
  switch (r.type[0]) {
  case Type::f64: return rounded_kernel<sem::Float<Op>, double, double, double>(r.rounding);
  case Type::f32:
    return with_flushing<Op>(r,
                             [&]<class F>() { return rounded_kernel<F, float, float, float>(r.rounding); });
  case Type::f32x2:
    return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
      return rounded_kernel<sem::Elementwise<sem::Float<Op, Ftz>>, Pair, Pair, Pair>(r.rounding);
    });
  default: return nullptr;
  }
}
template <class Op> const Kernel* ternary(const Request& r) {
  switch (r.type[0]) {
  case Type::f64: return rounded_kernel<sem::Float<Op>, double, double, double, double>(r.rounding);
  case Type::f32:
    return with_flushing<Op>(
        r, [&]<class F>() { return rounded_kernel<F, float, float, float, float>(r.rounding); });
  case Type::f32x2:
    return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
      return rounded_kernel<sem::Elementwise<sem::Float<Op, Ftz>>, Pair, Pair, Pair, Pair>(r.rounding);
    });
  default: return nullptr;
  }
}
template <class Op> const Kernel* unary(const Request& r) {
  if (r.type[0] == Type::f64) return rounded_kernel<sem::Float<Op>, double, double>(r.rounding);
  if (r.type[0] != Type::f32) return nullptr;
  return with_flag(has(r, Modifier::ftz),
                   [&]<bool Ftz>() { return rounded_kernel<sem::Float<Op, Ftz>, float, float>(r.rounding); });
}
// An approximate f32 function.
template <class Op> const Kernel* approximate(const Request& r) {
  if (r.type[0] != Type::f32) return nullptr;
  return with_flag(has(r, Modifier::ftz),
                   [&]<bool Ftz>() { return kernel<sem::Float<Op, Ftz>, float, float>(); });
}
template <class Op> const Kernel* reciprocal(const Request& r) {
  if (r.type[0] == Type::f64 && has(r, Modifier::approx) && has(r, Modifier::ftz))
    return kernel<sem::Coarse<Op>, double, double>();
  return unary<Op>(r);
}
const Kernel* divide(const Request& r) {
  if (r.type[0] == Type::f32 && has(r, Modifier::approx))
    return with_flag(has(r, Modifier::ftz), []<bool Ftz>() {
      return kernel<sem::Float<sem::DivApprox, Ftz>, float, float, float>();
    });
  return binary<sem::FDiv>(r);
}
// .full, which PTX does not have: the argument is in turns, as machine code gives it to the unit.
template <bool Cosine> const Kernel* of_angle(const Request& r) {
  return has(r, Modifier::full) ? approximate<sem::OfTurns<Cosine>>(r)
                                : approximate<sem::OfRadians<Cosine>>(r);
}
template <template <bool> class Op> const Kernel* sign_operation(const Request& r) {
  if (r.type[0] == Type::f64) return kernel<Op<false>, double, double>();
  if (r.type[0] != Type::f32) return nullptr;
  return with_flag(has(r, Modifier::ftz), []<bool Ftz>() { return kernel<Op<Ftz>, float, float>(); });
}

template <bool IsMax> const Kernel* min_max(const Request& r) {
  if (r.type[0] == Type::f64)
    return kernel<sem::MinMax<IsMax, false, false, false>, double, double, double>();
  if (r.type[0] != Type::f32) return nullptr;
  return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
    return with_flag(has(r, Modifier::nan), [&]<bool Nan>() {
      return with_flag(has(r, Modifier::abs), [&]<bool Xor>() {
        using Op = sem::MinMax<IsMax, Nan, Xor, Ftz>;
        return r.sources == 3 ? kernel<Op, float, float, float, float>() : kernel<Op, float, float, float>();
      });
    });
  });
}

} // namespace

const Kernel* find_floating(const Request& r) {
  switch (r.opcode) {
  case Opcode::add: return binary<sem::FAdd>(r);
  case Opcode::sub: return binary<sem::FSub>(r);
  case Opcode::mul: return binary<sem::FMul>(r);
  case Opcode::mad:
  case Opcode::fma: return is_nearest(r.rounding) ? ternary<sem::Fma>(r) : ternary<sem::FmaDirected>(r);
  case Opcode::div: return divide(r);
  case Opcode::rcp: return reciprocal<sem::FRcp>(r);
  case Opcode::rsqrt: return reciprocal<sem::Rsqrt>(r);
  case Opcode::sqrt: return unary<sem::FSqrt>(r);
  case Opcode::sin: return of_angle<false>(r);
  case Opcode::cos: return of_angle<true>(r);
  case Opcode::lg2: return approximate<sem::Lg2>(r);
  case Opcode::ex2: return approximate<sem::Ex2>(r);
  case Opcode::tanh: return approximate<sem::Tanh>(r);
  case Opcode::abs: return sign_operation<sem::FAbs>(r);
  case Opcode::neg: return sign_operation<sem::FNeg>(r);
  case Opcode::min: return min_max<false>(r);
  case Opcode::max: return min_max<true>(r);
  case Opcode::copysign:
    return r.type[0] == Type::f64 ? kernel<sem::Copysign, double, double, double>()
                                  : kernel<sem::Copysign, float, float, float>();
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
