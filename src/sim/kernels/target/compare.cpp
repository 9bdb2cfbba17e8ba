// Kernels of setp, set, selp, slct, testp. Comparison loops are instantiated once per relation and type;
// combining with a predicate and the second destination work on the finished masks.
#include "sem/compare.h"
#include "sem/bits.h"
#include "sem/half.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::BoolOp;
using ir::Comparison;
using ir::Modifier;
using ir::Opcode;
using ir::Type;
using sem::Relation;

u32 combine(BoolOp op, u32 mask, u32 c) {
  switch (op) {
  case BoolOp::and_: return mask & c;
  case BoolOp::or_: return mask | c;
  case BoolOp::xor_: return mask ^ c;
  case BoolOp::none: break;
  }
  return mask;
}

constexpr u32 chunk = 64; // masks on the stack at a time
// Calls f(masks, part) for up to 64 masks at a time of `a`'s comparison, its predicate source combined.
template <class F> void compare_in_chunks(const KernelArguments& a, KernelFunction compare, u32 bytes, F f) {
  u32 masks = (a.lanes + 31) / 32;
  for (u32 first = 0; first < masks; first += chunk) {
    alignas(64) u32 related[chunk];
    u32 count = masks - first < chunk ? masks - first : chunk;
    KernelArguments part = a;
    part.destination[0] = related;
    for (u32 i = 0; i < 2; ++i)
      part.source[i] = static_cast<const u8*>(a.source[i]) + std::size_t{32 * first & a.blocks[i]} * bytes;
    part.lanes = a.lanes == 1 ? 1 : 32 * count;
    compare(part);
    f(related, first, count);
  }
}

// setp p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c. Not inlined: one copy serves all relations and
// types.
[[gnu::noinline]] void combine_setp(const KernelArguments& a, KernelFunction compare, u32 bytes, BoolOp op,
                                    bool second) {
  u32 valid = a.lanes == 1 ? 1 : ~0u;
  compare_in_chunks(a, compare, bytes, [&](const u32* related, u32 first, u32 count) {
    for (u32 i = 0; i < count; ++i) {
      u32 c = op == BoolOp::none ? 0 : static_cast<const u32*>(a.source[2])[first + i];
      if (second) static_cast<u32*>(a.destination[1])[first + i] = combine(op, ~related[i], c) & valid;
      static_cast<u32*>(a.destination[0])[first + i] = combine(op, related[i], c) & valid;
    }
  });
}

template <class Op, class T, BoolOp Bool, bool Second> void run_setp(const KernelArguments& a) {
  combine_setp(a, &run_loop<Op, Predicate, T, T>, sizeof(T), Bool, Second);
}
template <class Op, class T, BoolOp Bool, class D, bool Second, class... C>
inline constexpr Kernel setp_constant = describe<D, T, T, C...>(&run_setp<Op, T, Bool, Second>);

template <class Op, class T, BoolOp Bool> const Kernel* setp_variant(bool second) {
  using Two = Results<Predicate, Predicate>;
  if constexpr (Bool == BoolOp::none)
    return second ? &setp_constant<Op, T, Bool, Two, true> : kernel<Op, Predicate, T, T>();
  else if (second)
    return &setp_constant<Op, T, Bool, Two, true, Predicate>;
  else
    return &setp_constant<Op, T, Bool, Predicate, false, Predicate>;
}
template <class Op, class T> const Kernel* setp_kernel(const Request& r) {
  bool second = r.destinations == 2;
  switch (r.bool_op) {
  case BoolOp::none: return setp_variant<Op, T, BoolOp::none>(second);
  case BoolOp::and_: return setp_variant<Op, T, BoolOp::and_>(second);
  case BoolOp::or_: return setp_variant<Op, T, BoolOp::or_>(second);
  case BoolOp::xor_: return setp_variant<Op, T, BoolOp::xor_>(second);
  }
  return nullptr;
}

// Calls f.operator()<Relation>(). lo, ls, hi and hs are lt, le, gt and ge of unsigned types.
template <class F> const Kernel* with_relation(Comparison c, F f) {
  switch (c) {
  case Comparison::eq: return f.template operator()<Relation::eq>();
  case Comparison::ne: return f.template operator()<Relation::ne>();
  case Comparison::lt: return f.template operator()<Relation::lt>();
  case Comparison::ls_:
  case Comparison::le: return f.template operator()<Relation::le>();
  case Comparison::gt: return f.template operator()<Relation::gt>();
  case Comparison::hs_:
  case Comparison::ge: return f.template operator()<Relation::ge>();
  case Comparison::equ: return f.template operator()<Relation::equ>();
  case Comparison::neu: return f.template operator()<Relation::neu>();
  case Comparison::ltu: return f.template operator()<Relation::ltu>();
  case Comparison::leu: return f.template operator()<Relation::leu>();
  case Comparison::gtu: return f.template operator()<Relation::gtu>();
  case Comparison::geu: return f.template operator()<Relation::geu>();
  case Comparison::num: return f.template operator()<Relation::num>();
  case Comparison::nan: return f.template operator()<Relation::nan>();
  case Comparison::none: return nullptr;
  }
  return nullptr;
}
constexpr bool for_integers(Relation r) { return r <= Relation::ge; }

// Calls f.operator()<Op, T>() with the comparison functor and operand type of a comparison of `type`.
template <class F> const Kernel* with_comparison(const Request& r, Type type, F f) {
  return with_relation(r.comparison, [&]<Relation R>() -> const Kernel* {
    if (type == Type::f32 && has(r, Modifier::ftz))
      return f.template operator()<sem::CompareFloat<R, true>, float>();
    if (type == Type::f32) return f.template operator()<sem::Compare<R>, float>();
    if (type == Type::f64) return f.template operator()<sem::Compare<R>, double>();
    if (type == Type::f16)
      return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
        return f.template operator()<sem::CompareHalf<R, Ftz>, sem::F16>();
      });
    if (type == Type::bf16) return f.template operator()<sem::CompareHalf<R, false>, sem::BF16>();
    if constexpr (R == Relation::eq || R == Relation::ne)
      return with_bits(type, [&]<class T>() { return f.template operator()<sem::Compare<R>, T>(); });
    else if constexpr (for_integers(R))
      return with_integer(type, [&]<class T>() { return f.template operator()<sem::Compare<R>, T>(); });
    else
      return nullptr;
  });
}

// setp.f16x2 p|q: one predicate per half.
template <class Op> struct CompareHalves {
  template <class E> static sem::Two<bool, bool> apply(sem::Packed<E> a, sem::Packed<E> b) {
    return {Op::apply(a.element[0], b.element[0]), Op::apply(a.element[1], b.element[1])};
  }
};
template <class Op, class Combine> struct CompareHalvesWith {
  template <class E> static sem::Two<bool, bool> apply(sem::Packed<E> a, sem::Packed<E> b, bool c) {
    sem::Two<bool, bool> both = CompareHalves<Op>::apply(a, b);
    return {Combine::apply(both.first, c), Combine::apply(both.second, c)};
  }
};
template <class Op, class P> const Kernel* setp_halves(const Request& r) {
  using Out = Results<Predicate, Predicate>;
  switch (r.bool_op) {
  case BoolOp::none: return kernel<CompareHalves<Op>, Out, P, P>();
  case BoolOp::and_: return kernel<CompareHalvesWith<Op, sem::And>, Out, P, P, Predicate>();
  case BoolOp::or_: return kernel<CompareHalvesWith<Op, sem::Or>, Out, P, P, Predicate>();
  case BoolOp::xor_: return kernel<CompareHalvesWith<Op, sem::Xor>, Out, P, P, Predicate>();
  }
  return nullptr;
}
const Kernel* setp(const Request& r) {
  Type type = r.type[0];
  if (type == Type::f16x2 || type == Type::bf16x2)
    return with_relation(r.comparison, [&]<Relation R>() -> const Kernel* {
      if (type == Type::bf16x2) return setp_halves<sem::CompareHalf<R, false>, sem::Packed<sem::BF16>>(r);
      return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() {
        return setp_halves<sem::CompareHalf<R, Ftz>, sem::Packed<sem::F16>>(r);
      });
    });
  return with_comparison(r, type, [&]<class Op, class T>() { return setp_kernel<Op, T>(r); });
}

// set: like setp, but into a register: all ones or 1.0 where true. The comparison of the source type writes
// masks, a second loop expands them.
template <class D> struct Truth;
template <class D>
requires(sizeof(sem::IntegerTraits<D>) > 0) struct Truth<D> {
  static D apply(bool p) { return p ? static_cast<D>(~D{0}) : D{0}; }
};
template <> struct Truth<float> {
  static float apply(bool p) { return p ? 1.0f : 0.0f; }
};
template <> struct Truth<sem::F16> {
  static sem::F16 apply(bool p) { return {static_cast<u16>(p ? 0x3c00 : 0)}; }
};
template <> struct Truth<sem::BF16> {
  static sem::BF16 apply(bool p) { return {static_cast<u16>(p ? 0x3f80 : 0)}; }
};

[[gnu::noinline]] void expand_set(const KernelArguments& a, KernelFunction compare, KernelFunction expand,
                                  u32 bytes, u32 result_bytes, BoolOp op) {
  compare_in_chunks(a, compare, bytes, [&](u32* related, u32 first, u32 count) {
    if (op != BoolOp::none)
      for (u32 i = 0; i < count; ++i)
        related[i] = combine(op, related[i], static_cast<const u32*>(a.source[2])[first + i]);
    KernelArguments part{};
    part.destination[0] = static_cast<u8*>(a.destination[0]) + std::size_t{32} * first * result_bytes;
    part.source[0] = related;
    part.lanes = a.lanes == 1 ? 1 : 32 * count;
    expand(part);
  });
}
template <class Op, class D, class T, BoolOp Bool> void run_set(const KernelArguments& a) {
  expand_set(a, &run_loop<Op, Predicate, T, T>, &run_loop<Truth<D>, D, Predicate>, sizeof(T), sizeof(D),
             Bool);
}
template <class Op, class D, class T, BoolOp Bool, class... C>
inline constexpr Kernel set_constant = describe<D, T, T, C...>(&run_set<Op, D, T, Bool>);

template <class Op, class D, class T> const Kernel* set_kernel(const Request& r) {
  switch (r.bool_op) {
  case BoolOp::none: return &set_constant<Op, D, T, BoolOp::none>;
  case BoolOp::and_: return &set_constant<Op, D, T, BoolOp::and_, Predicate>;
  case BoolOp::or_: return &set_constant<Op, D, T, BoolOp::or_, Predicate>;
  case BoolOp::xor_: return &set_constant<Op, D, T, BoolOp::xor_, Predicate>;
  }
  return nullptr;
}
// set of two halves, into two halves or (u16x2 masks) a 32-bit register.
template <class Op, class D> struct SetHalves {
  template <class E> static sem::Packed<D> apply(sem::Packed<E> a, sem::Packed<E> b) {
    return {{Truth<D>::apply(Op::apply(a.element[0], b.element[0])),
             Truth<D>::apply(Op::apply(a.element[1], b.element[1]))}};
  }
};
template <class Op, class D, class Combine> struct SetHalvesWith {
  template <class E> static sem::Packed<D> apply(sem::Packed<E> a, sem::Packed<E> b, bool c) {
    return {{Truth<D>::apply(Combine::apply(Op::apply(a.element[0], b.element[0]), c)),
             Truth<D>::apply(Combine::apply(Op::apply(a.element[1], b.element[1]), c))}};
  }
};
template <class Op, class D, class E> const Kernel* set_halves(const Request& r) {
  using sem::Packed;
  using P = Packed<E>;
  switch (r.bool_op) {
  case BoolOp::none: return kernel<SetHalves<Op, D>, Packed<D>, P, P>();
  case BoolOp::and_: return kernel<SetHalvesWith<Op, D, sem::And>, Packed<D>, P, P, Predicate>();
  case BoolOp::or_: return kernel<SetHalvesWith<Op, D, sem::Or>, Packed<D>, P, P, Predicate>();
  case BoolOp::xor_: return kernel<SetHalvesWith<Op, D, sem::Xor>, Packed<D>, P, P, Predicate>();
  }
  return nullptr;
}
template <class E> const Kernel* set_packed(const Request& r) {
  return with_relation(r.comparison, [&]<Relation R>() -> const Kernel* {
    return with_flag(has(r, Modifier::ftz), [&]<bool Ftz>() -> const Kernel* {
      using Op = sem::CompareHalf<R, Ftz>;
      if (r.type[0] == Type::f16x2 || r.type[0] == Type::bf16x2) return set_halves<Op, E, E>(r);
      return set_halves<Op, u16, E>(r);
    });
  });
}
const Kernel* set(const Request& r) {
  if (r.type[1] == Type::f16x2) return set_packed<sem::F16>(r);
  if (r.type[1] == Type::bf16x2) return set_packed<sem::BF16>(r);
  return with_comparison(r, r.type[1], [&]<class Op, class T>() -> const Kernel* {
    switch (r.type[0]) {
    case Type::b32:
    case Type::u32:
    case Type::s32: return set_kernel<Op, u32, T>(r);
    case Type::f32: return set_kernel<Op, float, T>(r);
    case Type::u16:
    case Type::s16: return set_kernel<Op, u16, T>(r);
    case Type::f16: return set_kernel<Op, sem::F16, T>(r);
    case Type::bf16: return set_kernel<Op, sem::BF16, T>(r);
    default: return nullptr;
    }
  });
}

const Kernel* slct(const Request& r) {
  return with_bits(r.type[0], [&]<class T>() -> const Kernel* {
    if (r.type[1] == Type::s32) return kernel<sem::Slct<false>, T, T, T, i32>();
    return with_flag(has(r, Modifier::ftz),
                     []<bool Ftz>() { return kernel<sem::Slct<Ftz>, T, T, T, float>(); });
  });
}

template <class T> const Kernel* testp(const Request& r) {
  using sem::FloatClass, sem::Testp;
  if (has(r, Modifier::finite)) return kernel<Testp<FloatClass::finite>, Predicate, T>();
  if (has(r, Modifier::infinite)) return kernel<Testp<FloatClass::infinite>, Predicate, T>();
  if (has(r, Modifier::number)) return kernel<Testp<FloatClass::number>, Predicate, T>();
  if (has(r, Modifier::notanumber)) return kernel<Testp<FloatClass::notanumber>, Predicate, T>();
  if (has(r, Modifier::normal)) return kernel<Testp<FloatClass::normal>, Predicate, T>();
  return kernel<Testp<FloatClass::subnormal>, Predicate, T>();
}

} // namespace

const Kernel* find_compare(const Request& r) {
  switch (r.opcode) {
  case Opcode::setp: return setp(r);
  case Opcode::set: return set(r);
  case Opcode::selp:
    return with_bits(r.type[0], []<class T>() { return kernel<sem::Selp, T, T, T, Predicate>(); });
  case Opcode::slct: return slct(r);
  case Opcode::testp: return r.type[0] == Type::f64 ? testp<double>(r) : testp<float>(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
