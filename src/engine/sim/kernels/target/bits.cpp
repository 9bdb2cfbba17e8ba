// Kernels of logic, shifts and bit fields. Logic on predicates works on whole masks.
#include "sem/bits.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Opcode;
using ir::Type;

template <class Op, class... S> void run_masks(const KernelArguments& a) {
  u32* to = static_cast<u32*>(a.destination[0]);
  auto apply = [&]<std::size_t... I>(u32 at, std::index_sequence<I...>) {
    return Op::apply(static_cast<const u32*>(static_cast<const S*>(a.source[I]))[at]...);
  };
  constexpr auto sources = std::index_sequence_for<S...>{};
  if (a.lanes == 1)
    to[0] = apply(0, sources) & 1;
  else
    for (u32 i = 0; i < a.lanes / 32; ++i) to[i] = apply(i, sources);
}
template <class Op> constexpr Kernel mask_unary = describe<Predicate, Predicate>(&run_masks<Op, u32>);
template <class Op>
constexpr Kernel mask_binary = describe<Predicate, Predicate, Predicate>(&run_masks<Op, u32, u32>);

template <class Op> const Kernel* unary(const Request& r) {
  if (r.type[0] == Type::pred) return &mask_unary<Op>;
  return with_bits(r.type[0], []<class T>() { return kernel<Op, T, T>(); });
}
template <class Op> const Kernel* logic(const Request& r) {
  if (r.type[0] == Type::pred) return &mask_binary<Op>;
  return with_bits(r.type[0], []<class T>() { return kernel<Op, T, T, T>(); });
}
// b32 or b64 in, u32 out.
template <class Op> const Kernel* count(const Request& r) {
  return r.type[0] == Type::b64 ? kernel<Op, u32, u64>() : kernel<Op, u32, u32>();
}

// lop3.BoolOp d|p: p says whether the result is not 0, combined with a predicate.
template <class Combine> struct Lop3Predicate {
  static sem::Two<u32, bool> apply(u32 a, u32 b, u32 c, u32 table, bool q) {
    u32 result = sem::Lop3::apply(a, b, c, table);
    return {result, Combine::apply(result != 0, q)};
  }
};
const Kernel* lop3(const Request& r) {
  using Out = Results<u32, Predicate>;
  if (has(r, Modifier::or_)) return kernel<Lop3Predicate<sem::Or>, Out, u32, u32, u32, u32, Predicate>();
  if (has(r, Modifier::and_)) return kernel<Lop3Predicate<sem::And>, Out, u32, u32, u32, u32, Predicate>();
  return kernel<sem::Lop3, u32, u32, u32, u32, u32>();
}

const Kernel* shift_right(const Request& r) {
  return with_integer(r.type[0], []<class T>() { return kernel<sem::Shr, T, T, u32>(); });
}
const Kernel* funnel_shift(const Request& r) {
  return with_flag(has(r, Modifier::l), [&]<bool Left>() {
    return with_flag(has(r, Modifier::wrap),
                     []<bool Wrapped>() { return kernel<sem::Shf<Left, Wrapped>, u32, u32, u32, u32>(); });
  });
}

const Kernel* find_leading(const Request& r) {
  return with_flag(has(r, Modifier::shiftamt), [&]<bool Amount>() {
    return with_integer(r.type[0], []<class T>() { return kernel<sem::Bfind<Amount>, u32, T>(); });
  });
}

template <sem::PrmtMode Mode> const Kernel* prmt_kernel() {
  return kernel<sem::Prmt<Mode>, u32, u32, u32, u32>();
}
const Kernel* prmt(const Request& r) {
  using sem::PrmtMode;
  if (has(r, Modifier::f4e)) return prmt_kernel<PrmtMode::f4e>();
  if (has(r, Modifier::b4e)) return prmt_kernel<PrmtMode::b4e>();
  if (has(r, Modifier::rc8)) return prmt_kernel<PrmtMode::rc8>();
  if (has(r, Modifier::ecl)) return prmt_kernel<PrmtMode::ecl>();
  if (has(r, Modifier::ecr)) return prmt_kernel<PrmtMode::ecr>();
  if (has(r, Modifier::rc16)) return prmt_kernel<PrmtMode::rc16>();
  return prmt_kernel<PrmtMode::index>();
}

template <bool Wrapped> const Kernel* mask_or_extend(const Request& r) {
  if (r.opcode == Opcode::bmsk) return kernel<sem::Bmsk<Wrapped>, u32, u32, u32>();
  if (r.type[0] == Type::s32) return kernel<sem::Szext<Wrapped>, i32, i32, u32>();
  return kernel<sem::Szext<Wrapped>, u32, u32, u32>();
}

} // namespace

const Kernel* find_bits(const Request& r) {
  bool is_64 = r.type[0] == Type::b64;
  switch (r.opcode) {
  case Opcode::and_: return logic<sem::And>(r);
  case Opcode::or_: return logic<sem::Or>(r);
  case Opcode::xor_: return logic<sem::Xor>(r);
  case Opcode::not_: return unary<sem::Not>(r);
  case Opcode::cnot: return with_bits(r.type[0], []<class T>() { return kernel<sem::Cnot, T, T>(); });
  case Opcode::lop3: return lop3(r);
  case Opcode::shl: return with_bits(r.type[0], []<class T>() { return kernel<sem::Shl, T, T, u32>(); });
  case Opcode::shr:
    if (const Kernel* k = shift_right(r)) return k;
    return with_bits(r.type[0], []<class T>() { return kernel<sem::Shr, T, T, u32>(); });
  case Opcode::shf: return funnel_shift(r);
  case Opcode::popc: return count<sem::Popc>(r);
  case Opcode::clz: return count<sem::Clz>(r);
  case Opcode::bfind: return find_leading(r);
  case Opcode::brev: return is_64 ? kernel<sem::Brev, u64, u64>() : kernel<sem::Brev, u32, u32>();
  case Opcode::bfe:
    return with_integer(r.type[0], []<class T>() { return kernel<sem::Bfe, T, T, u32, u32>(); });
  case Opcode::bfi:
    return is_64 ? kernel<sem::Bfi, u64, u64, u64, u32, u32>() : kernel<sem::Bfi, u32, u32, u32, u32, u32>();
  case Opcode::bmsk:
  case Opcode::szext:
    return with_flag(has(r, Modifier::wrap), [&]<bool Wrapped>() { return mask_or_extend<Wrapped>(r); });
  case Opcode::fns: return kernel<sem::Fns, u32, u32, u32, i32>();
  case Opcode::prmt: return prmt(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
