// Kernels of f16, bf16 and their packed pairs.
#include "sem/half.h"
#include "sem/special.h"
#include "sim/kernels/target/finish_halves.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;
using sem::BF16, sem::F16;

// A functor on each element of a pair; unlike sem::Elementwise, for functors with data, too.
template <class Op> struct Pairs : Op {
  using Op::Op;
  template <class P, class... Rest> P apply(P a, Rest... rest) const {
    return {{Op::apply(a.element[0], rest.element[0]...), Op::apply(a.element[1], rest.element[1]...)}};
  }
};

// The kernel of an element functor: of N sources, with .sat or .relu after it where the form has them.
template <class Op, class H, class... S> const Kernel* of_sources(bool finish) {
  static constexpr Kernel finished =
      describe<H, S...>(&run_finished<&run_loop<Op, H, S...>, Storage<H>::bits / 16>);
  return finish ? &finished : kernel<Op, H, S...>();
}
template <class Op, class H, u32 N> const Kernel* of_arity(const Request& r) {
  bool finish = has(r, Modifier::sat) || has(r, Modifier::relu);
  if constexpr (N == 1)
    return of_sources<Op, H, H>(finish);
  else if constexpr (N == 2)
    return of_sources<Op, H, H, H>(finish);
  else
    return of_sources<Op, H, H, H, H>(finish);
}
// The kernel of Op<Ftz> for f16, bf16 or their pairs. bf16 shares f32's exponents: the forms have no .ftz.
template <template <bool> class Op, u32 N> const Kernel* of_type(const Request& r) {
  using sem::Packed;
  return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() -> const Kernel* {
    switch (r.type[0]) {
    case Type::f16: return of_arity<Op<Ftz>, F16, N>(r);
    case Type::bf16: return of_arity<Op<false>, BF16, N>(r);
    case Type::f16x2: return of_arity<Pairs<Op<Ftz>>, Packed<F16>, N>(r);
    case Type::bf16x2: return of_arity<Pairs<Op<false>>, Packed<BF16>, N>(r);
    default: return nullptr;
    }
  });
}

template <class Op> struct Arithmetic { template <bool Ftz> using With = sem::Half<Op, Ftz>; };
template <class Op, u32 N> const Kernel* arithmetic(const Request& r) {
  return of_type<Arithmetic<Op>::template With, N>(r);
}

template <bool IsMax> struct MinMax {
  template <bool Ftz> using Plain = sem::HalfMinMax<IsMax, Ftz>;
  template <bool Ftz> struct Of : sem::HalfMinMaxOf<IsMax, Ftz> {
    explicit Of(const Variant& v) : sem::HalfMinMaxOf<IsMax, Ftz>(v.nan, v.xorsign) {}
  };
};
template <bool IsMax> const Kernel* min_max(const Request& r) {
  if (has(r, Modifier::nan) || has(r, Modifier::xorsign)) return of_type<MinMax<IsMax>::template Of, 2>(r);
  return of_type<MinMax<IsMax>::template Plain, 2>(r);
}

} // namespace

const Kernel* find_half(const Request& r) {
  switch (r.opcode) {
  case Opcode::add: return arithmetic<sem::HalfAdd, 2>(r);
  case Opcode::sub: return arithmetic<sem::HalfSub, 2>(r);
  case Opcode::mul: return arithmetic<sem::HalfMul, 2>(r);
  case Opcode::fma: return arithmetic<sem::HalfFma, 3>(r);
  case Opcode::ex2: return arithmetic<sem::Ex2, 1>(r);
  case Opcode::tanh: return arithmetic<sem::Tanh, 1>(r);
  case Opcode::abs: return of_type<sem::HalfAbs, 1>(r);
  case Opcode::neg: return of_type<sem::HalfNeg, 1>(r);
  case Opcode::min: return min_max<false>(r);
  case Opcode::max: return min_max<true>(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
