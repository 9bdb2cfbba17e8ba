// Kernels of setp, set, selp, slct, testp. Comparison loops are instantiated once per relation and type and
// write masks. What else setp and set do works on the finished masks and is data (Variant), not a template:
// combining with a predicate, the second destination, the numbers that set makes of the masks.
#include "sem/compare.h"
#include "sem/bits.h"
#include "sem/half.h"
#include "sim/kernels/target/staged.h"

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
struct Related {
  alignas(64) u32 first[chunk]; // of packed sources: what their low halves give
  alignas(64) u32 second[chunk];
};
// Calls f(related, first, count) for up to 64 masks at a time of `a`'s comparison.
template <class F> void compare_in_chunks(const KernelArguments& a, KernelFunction compare, u32 bytes, F f) {
  u32 masks = (a.lanes + 31) / 32;
  for (u32 first = 0; first < masks; first += chunk) {
    Related related;
    u32 count = masks - first < chunk ? masks - first : chunk;
    KernelArguments part = a;
    part.destination[0] = related.first;
    part.destination[1] = related.second;
    for (u32 i = 0; i < 2; ++i)
      part.source[i] = static_cast<const u8*>(a.source[i]) + std::size_t{32 * first & a.blocks[i]} * bytes;
    part.lanes = a.lanes == 1 ? 1 : 32 * count;
    compare(part);
    f(related, first, count);
  }
}

// The functions below are not inlined: one copy each serves all relations and types.

// setp p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c.
[[gnu::noinline]] void combine_setp(const KernelArguments& a, KernelFunction compare, u32 bytes) {
  u32 valid = a.lanes == 1 ? 1 : ~0u;
  BoolOp op = a.variant.bool_op;
  bool second = a.variant.destinations == 2;
  compare_in_chunks(a, compare, bytes, [&](const Related& related, u32 first, u32 count) {
    for (u32 i = 0; i < count; ++i) {
      u32 mask = related.first[i],
          c = op == BoolOp::none ? 0 : static_cast<const u32*>(a.source[2])[first + i];
      if (second) static_cast<u32*>(a.destination[1])[first + i] = combine(op, ~mask, c) & valid;
      static_cast<u32*>(a.destination[0])[first + i] = combine(op, mask, c) & valid;
    }
  });
}
// The same of packed halves, where p is the low halves' and q the high halves' result.
[[gnu::noinline]] void combine_setp_halves(const KernelArguments& a, KernelFunction compare) {
  compare_in_chunks(a, compare, sizeof(u32), [&](const Related& related, u32 first, u32 count) {
    for (u32 i = 0; i < count; ++i) {
      u32 c = static_cast<const u32*>(a.source[2])[first + i];
      static_cast<u32*>(a.destination[0])[first + i] = combine(a.variant.bool_op, related.first[i], c);
      static_cast<u32*>(a.destination[1])[first + i] = combine(a.variant.bool_op, related.second[i], c);
    }
  });
}

// set: like setp, but into a register: all ones or 1.0 where true. The bits of true in the low element:
u32 truth(Type result) {
  switch (result) {
  case Type::f32: return 0x3f800000;
  case Type::f16:
  case Type::f16x2: return 0x3c00;
  case Type::bf16:
  case Type::bf16x2: return 0x3f80;
  default: return ~0u;
  }
}
template <class Lane> struct Expand {
  Lane bits;
  explicit Expand(const Variant& v) : bits(static_cast<Lane>(truth(v.type[0]))) {}
  Lane apply(bool p) const { return static_cast<Lane>(-u32{p} & bits); }
};
struct ExpandPairs { // of packed comparisons
  u32 low, high;
  explicit ExpandPairs(const Variant& v) : low(truth(v.type[0]) & 0xffff), high(low << 16) {}
  u32 apply(bool p, bool q) const { return (-u32{p} & low) | (-u32{q} & high); }
};

// The loop that makes results of masks.
struct Expansion {
  KernelFunction run;
  u32 bytes; // of one result
};
Expansion expansion(const Variant& v, bool packed) {
  if (packed) return {&run_loop<ExpandPairs, u32, Predicate, Predicate>, 4};
  bool narrow =
      v.type[0] == Type::u16 || v.type[0] == Type::s16 || v.type[0] == Type::f16 || v.type[0] == Type::bf16;
  return narrow ? Expansion{&run_loop<Expand<u16>, u16, Predicate>, 2}
                : Expansion{&run_loop<Expand<u32>, u32, Predicate>, 4};
}
[[gnu::noinline]] void expand_set(const KernelArguments& a, KernelFunction compare, u32 bytes, bool packed) {
  Expansion expand = expansion(a.variant, packed);
  compare_in_chunks(a, compare, bytes, [&](Related& related, u32 first, u32 count) {
    if (a.variant.bool_op != BoolOp::none)
      for (u32 i = 0; i < count; ++i) {
        u32 c = static_cast<const u32*>(a.source[2])[first + i];
        related.first[i] = combine(a.variant.bool_op, related.first[i], c);
        if (packed) related.second[i] = combine(a.variant.bool_op, related.second[i], c);
      }
    KernelArguments part{};
    part.destination[0] = static_cast<u8*>(a.destination[0]) + std::size_t{32} * first * expand.bytes;
    part.source[0] = related.first;
    part.source[1] = related.second;
    part.lanes = a.lanes == 1 ? 1 : 32 * count;
    part.variant = a.variant;
    expand.run(part);
  });
}

// How the operands of a setp or set lie in memory, its function given: with a predicate source or without.
template <class D, class T, KernelFunction Run> const Kernel* combined(const Request& r) {
  static constexpr Kernel plain = describe<D, T, T>(Run), with_predicate = describe<D, T, T, Predicate>(Run);
  return r.bool_op == BoolOp::none ? &plain : &with_predicate;
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

using Two = Results<Predicate, Predicate>;

// A comparison: `run` writes the masks of operands of type T. `kernel` is setp's plain form.
template <class Op, class U> struct Plain {
  using T = U;
  static constexpr KernelFunction run = &run_loop<Op, Predicate, T, T>;
  static const Kernel* kernel() { return sim::WARPLENS_TARGET_NAMESPACE::kernel<Op, Predicate, T, T>(); }
};
// Of halves: as floats.
template <bool Ftz> struct Widen {
  template <class H> static float apply(H x) { return sem::to_float(sem::flush_if<Ftz>(x)); }
  template <class H> static sem::Two<float, float> apply(sem::Packed<H> x) {
    return {apply(x.element[0]), apply(x.element[1])};
  }
};
template <Relation R, class H, bool Ftz> struct OfHalves {
  using T = H;
  static void run(const KernelArguments& a) {
    run_staged(a, {&run_loop<Widen<Ftz>, float, H>, &run_loop<sem::Compare<R>, Predicate, float, float>, 2,
                   sizeof(H), 1, 1});
  }
  static constexpr Kernel described = describe<Predicate, T, T>(run);
  static const Kernel* kernel() { return &described; }
};
template <Relation R, class H, bool Ftz> struct OfPairs { // one predicate per half
  using T = sem::Packed<H>;
  static void run(const KernelArguments& a) {
    run_staged(a, {&run_loop<Widen<Ftz>, Results<float, float>, T>,
                   &run_loop<sem::Compare<R>, Predicate, float, float>, 2, sizeof(T), 2, 1});
  }
  static constexpr Kernel described = describe<Two, T, T>(run);
  static const Kernel* kernel() { return &described; }
};

// Calls f.operator()<C>() with the comparison of `type`.
template <class F> const Kernel* with_comparison(const Request& r, Type type, F f) {
  bool ftz = has(r, Modifier::ftz);
  return with_relation(r.comparison, [&]<Relation R>() -> const Kernel* {
    if (type == Type::f32 && ftz) return f.template operator()<Plain<sem::CompareFloat<R, true>, float>>();
    if (type == Type::f32) return f.template operator()<Plain<sem::Compare<R>, float>>();
    if (type == Type::f64) return f.template operator()<Plain<sem::Compare<R>, double>>();
    if (type == Type::f16 && ftz) return f.template operator()<OfHalves<R, sem::F16, true>>();
    if (type == Type::f16) return f.template operator()<OfHalves<R, sem::F16, false>>();
    if (type == Type::bf16) return f.template operator()<OfHalves<R, sem::BF16, false>>();
    if constexpr (R == Relation::eq || R == Relation::ne)
      return with_bits(type, [&]<class T>() { return f.template operator()<Plain<sem::Compare<R>, T>>(); });
    else if constexpr (for_integers(R))
      return with_integer(type,
                          [&]<class T>() { return f.template operator()<Plain<sem::Compare<R>, T>>(); });
    else
      return nullptr;
  });
}
template <class F> const Kernel* with_packed_comparison(const Request& r, Type type, F f) {
  return with_relation(r.comparison, [&]<Relation R>() -> const Kernel* {
    if (type == Type::bf16x2) return f.template operator()<OfPairs<R, sem::BF16, false>>();
    if (has(r, Modifier::ftz)) return f.template operator()<OfPairs<R, sem::F16, true>>();
    return f.template operator()<OfPairs<R, sem::F16, false>>();
  });
}
bool is_packed(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

template <class C> void run_setp(const KernelArguments& a) { combine_setp(a, C::run, sizeof(typename C::T)); }
template <class C> void run_setp_halves(const KernelArguments& a) { combine_setp_halves(a, C::run); }
const Kernel* setp(const Request& r) {
  bool packed = is_packed(r.type[0]), plain = r.bool_op == BoolOp::none && r.destinations == (packed ? 2 : 1);
  if (packed)
    return with_packed_comparison(r, r.type[0], [&]<class C>() {
      return plain ? C::kernel() : combined<Two, typename C::T, &run_setp_halves<C>>(r);
    });
  return with_comparison(r, r.type[0], [&]<class C>() {
    using T = typename C::T;
    if (plain) return C::kernel();
    return r.destinations == 2 ? combined<Two, T, &run_setp<C>>(r) : combined<Predicate, T, &run_setp<C>>(r);
  });
}

template <class C, bool Packed> void run_set(const KernelArguments& a) {
  expand_set(a, C::run, sizeof(typename C::T), Packed);
}
const Kernel* set(const Request& r) {
  if (is_packed(r.type[1]))
    return with_packed_comparison(
        r, r.type[1], [&]<class C>() { return combined<u32, typename C::T, &run_set<C, true>>(r); });
  return with_comparison(r, r.type[1], [&]<class C>() -> const Kernel* {
    using T = typename C::T;
    switch (r.type[0]) {
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32: return combined<u32, T, &run_set<C, false>>(r);
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16: return combined<u16, T, &run_set<C, false>>(r);
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
