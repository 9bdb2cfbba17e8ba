// Kernels of f16, bf16 and their packed pairs.
#include "sem/half.h"
#include "sem/integer.h"
#include "sem/special.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;
using sem::BF16, sem::F16;

// The kernel of an element functor for f16, bf16 or their pairs, with N sources.
template <class Op, class H, u32 N> const Kernel* of_arity() {
  if constexpr (N == 1)
    return kernel<Op, H, H>();
  else if constexpr (N == 2)
    return kernel<Op, H, H, H>();
  else
    return kernel<Op, H, H, H, H>();
}
template <class Op, u32 N> const Kernel* of_type(Type type) {
  switch (type) {
  case Type::f16: return of_arity<Op, F16, N>();
  case Type::bf16: return of_arity<Op, BF16, N>();
  case Type::f16x2: return of_arity<sem::Elementwise<Op>, sem::Packed<F16>, N>();
  case Type::bf16x2: return of_arity<sem::Elementwise<Op>, sem::Packed<BF16>, N>();
  default: return nullptr;
  }
}
bool is_brain(const Request& r) { return r.type[0] == Type::bf16 || r.type[0] == Type::bf16x2; }

template <class Op, u32 N> const Kernel* arithmetic(const Request& r) {
  bool ftz = has(r, Modifier::ftz) && !is_brain(r); // bf16 shares f32's exponents: the forms have no .ftz
  if (has(r, Modifier::relu))
    return ftz ? of_type<sem::Half<Op, true, false, true>, N>(r.type[0])
               : of_type<sem::Half<Op, false, false, true>, N>(r.type[0]);
  if (has(r, Modifier::sat))
    return ftz ? of_type<sem::Half<Op, true, true>, N>(r.type[0])
               : of_type<sem::Half<Op, false, true>, N>(r.type[0]);
  return ftz ? of_type<sem::Half<Op, true>, N>(r.type[0]) : of_type<sem::Half<Op>, N>(r.type[0]);
}
template <template <bool> class Op> const Kernel* sign_operation(const Request& r) {
  return has(r, Modifier::ftz) && !is_brain(r) ? of_type<Op<true>, 1>(r.type[0])
                                               : of_type<Op<false>, 1>(r.type[0]);
}
template <bool IsMax> const Kernel* min_max(const Request& r) {
  return with_flag(has(r, Modifier::ftz) && !is_brain(r), [&]<bool Ftz>() {
    return with_flag(has(r, Modifier::nan), [&]<bool Nan>() {
      return with_flag(has(r, Modifier::xorsign), [&]<bool Xor>() {
        using Op = sem::HalfMinMax<IsMax, Nan, Xor, Ftz>;
        return of_type<Op, 2>(r.type[0]);
      });
    });
  });
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
  case Opcode::abs: return sign_operation<sem::HalfAbs>(r);
  case Opcode::neg: return sign_operation<sem::HalfNeg>(r);
  case Opcode::min: return min_max<false>(r);
  case Opcode::max: return min_max<true>(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
