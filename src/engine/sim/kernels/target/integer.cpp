// Kernels of integer arithmetic.
#include "sem/integer.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;

template <class Op> const Kernel* unary(const Request& r) {
  return with_integer(r.type[0], []<class T>() { return kernel<Op, T, T>(); });
}
template <class Op> const Kernel* binary(const Request& r) {
  return with_integer(r.type[0], []<class T>() { return kernel<Op, T, T, T>(); });
}
template <class Op> const Kernel* packed(const Request& r) {
  using sem::Elementwise, sem::Packed;
  if (r.type[0] == Type::u16x2) return kernel<Elementwise<Op>, Packed<u16>, Packed<u16>, Packed<u16>>();
  return kernel<Elementwise<Op>, Packed<i16>, Packed<i16>, Packed<i16>>();
}
bool is_packed(const Request& r) { return r.type[0] == Type::u16x2 || r.type[0] == Type::s16x2; }

// The four kinds of a carry instruction: with and without a carry source, with and without a carry result.
template <template <bool> class Op> const Kernel* carry(const Request& r, bool in) {
  return with_bits(r.type[0], [&]<class T>() -> const Kernel* {
    using Out = Results<T, Predicate>;
    bool out = has(r, Modifier::cc);
    if constexpr (sizeof(T) == 2)
      return nullptr;
    else if (in)
      return out ? kernel<Op<true>, Out, T, T, Predicate>() : kernel<Op<false>, T, T, T, Predicate>();
    else
      return kernel<Op<true>, Out, T, T>();
  });
}
template <class Mul, class T> const Kernel* mad_carry(bool in, bool out) {
  using sem::MadCarry;
  using Out = Results<T, Predicate>;
  if (!in) return kernel<MadCarry<Mul, true>, Out, T, T, T>();
  return out ? kernel<MadCarry<Mul, true>, Out, T, T, T, Predicate>()
             : kernel<MadCarry<Mul, false>, T, T, T, T, Predicate>();
}
const Kernel* mad_carry(const Request& r, bool in) {
  bool out = has(r, Modifier::cc);
  return with_integer(r.type[0], [&]<class T>() -> const Kernel* {
    if constexpr (sizeof(T) == 2)
      return nullptr;
    else if (has(r, Modifier::hi))
      return mad_carry<sem::MulHi, T>(in, out);
    else
      return mad_carry<sem::MulLo, sem::Unsigned<T>>(in, out);
  });
}

const Kernel* add_sub(const Request& r, bool add) {
  if (has(r, Modifier::cc)) return add ? carry<sem::AddCarry>(r, false) : carry<sem::SubCarry>(r, false);
  if (has(r, Modifier::sat)) {
    if (r.type[0] != Type::s32) return nullptr;
    return add ? kernel<sem::AddSat, i32, i32, i32>() : kernel<sem::SubSat, i32, i32, i32>();
  }
  if (is_packed(r)) return add ? packed<sem::Add>(r) : packed<sem::Sub>(r);
  return add ? binary<sem::Add>(r) : binary<sem::Sub>(r);
}

const Kernel* multiply(const Request& r) {
  return with_integer(r.type[0], [&]<class T>() -> const Kernel* {
    if (has(r, Modifier::hi)) return kernel<sem::MulHi, T, T, T>();
    if (!has(r, Modifier::wide)) return kernel<sem::MulLo, T, T, T>();
    if constexpr (sizeof(T) == 8)
      return nullptr;
    else
      return kernel<sem::MulWide, sem::Wide<T>, T, T>();
  });
}
const Kernel* multiply_add(const Request& r) {
  if (has(r, Modifier::cc)) return mad_carry(r, false);
  return with_integer(r.type[0], [&]<class T>() -> const Kernel* {
    if constexpr (sizeof(T) == 4)
      if (has(r, Modifier::hi) && has(r, Modifier::sat)) return kernel<sem::MadHiSat, T, T, T, T>();
    if (has(r, Modifier::hi)) return kernel<sem::MadHi, T, T, T, T>();
    if (!has(r, Modifier::wide)) return kernel<sem::MadLo, T, T, T, T>();
    if constexpr (sizeof(T) == 8)
      return nullptr;
    else
      return kernel<sem::MadWide, sem::Wide<T>, T, T, sem::Wide<T>>();
  });
}
template <class T> const Kernel* mad24(const Request& r) {
  if (!has(r, Modifier::hi)) return kernel<sem::Mad24Lo, T, T, T, T>();
  return has(r, Modifier::sat) ? kernel<sem::Mad24HiSat, T, T, T, T>() : kernel<sem::Mad24Hi, T, T, T, T>();
}

template <class Op> const Kernel* min_max(const Request& r) {
  bool relu = has(r, Modifier::relu);
  if (r.type[0] == Type::s16x2 && relu) {
    using P = sem::Packed<i16>;
    return kernel<sem::Elementwise<sem::Relu<Op>>, P, P, P>();
  }
  if (is_packed(r)) return packed<Op>(r);
  if (relu) return r.type[0] == Type::s32 ? kernel<sem::Relu<Op>, i32, i32, i32>() : nullptr;
  return binary<Op>(r);
}

template <class A, class B> const Kernel* dot(const Request& r) {
  using Sum = std::conditional_t<sem::is_signed_integer<A> || sem::is_signed_integer<B>, i32, u32>;
  using Half = std::conditional_t<sem::is_signed_integer<A>, i16, u16>;
  if (r.opcode == Opcode::dp4a) return kernel<sem::Dp4a<A, B>, Sum, u32, u32, Sum>();
  return with_flag(has(r, Modifier::hi),
                   []<bool High>() { return kernel<sem::Dp2a<Half, B, High>, Sum, u32, u32, Sum>(); });
}
const Kernel* dot_product(const Request& r) {
  bool a = r.type[0] == Type::s32, b = r.type[1] == Type::s32;
  if (a) return b ? dot<i8, i8>(r) : dot<i8, u8>(r);
  return b ? dot<u8, i8>(r) : dot<u8, u8>(r);
}

} // namespace

const Kernel* find_integer(const Request& r) {
  bool is_signed = r.type[0] == Type::s32;
  switch (r.opcode) {
  case Opcode::add: return add_sub(r, true);
  case Opcode::sub: return add_sub(r, false);
  case Opcode::addc: return carry<sem::AddCarry>(r, true);
  case Opcode::subc: return carry<sem::SubCarry>(r, true);
  case Opcode::madc: return mad_carry(r, true);
  case Opcode::mul: return multiply(r);
  case Opcode::mad: return multiply_add(r);
  case Opcode::mul24:
    return with_integer(r.type[0], [&]<class T>() -> const Kernel* {
      if constexpr (sizeof(T) != 4)
        return nullptr;
      else
        return has(r, Modifier::hi) ? kernel<sem::Mul24Hi, T, T, T>() : kernel<sem::Mul24Lo, T, T, T>();
    });
  case Opcode::mad24: return is_signed ? mad24<i32>(r) : mad24<u32>(r);
  case Opcode::div: return binary<sem::Div>(r);
  case Opcode::rem: return binary<sem::Rem>(r);
  case Opcode::abs: return unary<sem::Abs>(r);
  case Opcode::neg: return unary<sem::Neg>(r);
  case Opcode::min: return min_max<sem::Min>(r);
  case Opcode::max: return min_max<sem::Max>(r);
  case Opcode::sad: return with_integer(r.type[0], []<class T>() { return kernel<sem::Sad, T, T, T, T>(); });
  case Opcode::dp4a:
  case Opcode::dp2a: return dot_product(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
