#include "check/lane_semantics.h"
#include "sem/bits.h"
#include "sem/integer.h"

namespace warplens::check {
namespace {

using symbolic::Lanes;
using LaneSources = std::span<const Lanes>;

// Calls Op on the sources as numbers of type T; further sources are u32, as shift amounts and positions are.
template <class Op, class T> Lanes lanes_of(LaneSources s) {
  return each_lane([&](u32 lane) {
    T a = static_cast<T>(s[0][lane]);
    if constexpr (requires(T x) { Op::apply(x); })
      if (s.size() == 1) return static_cast<i64>(Op::apply(a));
    if constexpr (requires(T x) { Op::apply(x, x); })
      if (s.size() == 2) return static_cast<i64>(Op::apply(a, static_cast<T>(s[1][lane])));
    if constexpr (requires(T x) { Op::apply(x, x, x); })
      if (s.size() == 3)
        return static_cast<i64>(Op::apply(a, static_cast<T>(s[1][lane]), static_cast<T>(s[2][lane])));
    if constexpr (requires(T x, u32 n) { Op::apply(x, x, n, n); })
      if (s.size() == 4)
        return static_cast<i64>(Op::apply(a, static_cast<T>(s[1][lane]), static_cast<u32>(s[2][lane]),
                                          static_cast<u32>(s[3][lane])));
    return i64{0};
  });
}

template <class Op> std::optional<Lanes> by_type(const ir::Form& form, LaneSources s) {
  bool is_signed = ir::is_signed(form.type());
  switch (ir::bits(form.type())) {
  case 16: return is_signed ? lanes_of<Op, i16>(s) : lanes_of<Op, u16>(s);
  case 32: return is_signed ? lanes_of<Op, i32>(s) : lanes_of<Op, u32>(s);
  case 64: return is_signed ? lanes_of<Op, i64>(s) : lanes_of<Op, u64>(s);
  default: return {};
  }
}

template <class Op> std::optional<Lanes> wide(const ir::Form& form, LaneSources s) { // of 32 or 64 bits
  return ir::bits(form.type()) == 64 ? lanes_of<Op, u64>(s) : lanes_of<Op, u32>(s);
}

std::optional<Lanes> funnel_shifted(const ir::Form& form, LaneSources s) {
  bool left = form.has(ir::Modifier::l), wrapped = form.has(ir::Modifier::wrap);
  if (left) return wrapped ? lanes_of<sem::Shf<true, true>, u32>(s) : lanes_of<sem::Shf<true, false>, u32>(s);
  return wrapped ? lanes_of<sem::Shf<false, true>, u32>(s) : lanes_of<sem::Shf<false, false>, u32>(s);
}

} // namespace

std::optional<Lanes> computed(const ir::Form& form, LaneSources s) {
  bool high = form.has(ir::Modifier::hi), saturates = form.has(ir::Modifier::sat);
  if (ir::is_float(form.type()) || saturates) return {};
  switch (form.opcode) {
  case ir::Opcode::mul: return high ? by_type<sem::MulHi>(form, s) : std::nullopt;
  case ir::Opcode::mad: return high ? by_type<sem::MadHi>(form, s) : std::nullopt;
  case ir::Opcode::mul24: return high ? by_type<sem::Mul24Hi>(form, s) : by_type<sem::Mul24Lo>(form, s);
  case ir::Opcode::div: return by_type<sem::Div>(form, s);
  case ir::Opcode::rem: return by_type<sem::Rem>(form, s);
  case ir::Opcode::abs: return by_type<sem::Abs>(form, s);
  case ir::Opcode::sad: return by_type<sem::Sad>(form, s);
  case ir::Opcode::popc: return wide<sem::Popc>(form, s);
  case ir::Opcode::clz: return wide<sem::Clz>(form, s);
  case ir::Opcode::brev: return wide<sem::Brev>(form, s);
  case ir::Opcode::bfind:
    return form.has(ir::Modifier::shiftamt) ? by_type<sem::Bfind<true>>(form, s)
                                            : by_type<sem::Bfind<false>>(form, s);
  case ir::Opcode::cnot: return wide<sem::Cnot>(form, s);
  case ir::Opcode::shf: return funnel_shifted(form, s);
  case ir::Opcode::prmt:
    return form.text == "prmt.b32" ? std::optional(lanes_of<sem::Prmt<sem::PrmtMode::index>, u32>(s))
                                   : std::nullopt;
  case ir::Opcode::bfe:
    if (s.size() != 3) return {};
    if (ir::bits(form.type()) == 64) return {};
    return ir::is_signed(form.type()) ? each_lane([&](u32 l) {
      return sem::Bfe::apply(static_cast<i32>(s[0][l]), static_cast<u32>(s[1][l]), static_cast<u32>(s[2][l]));
    })
                                      : each_lane([&](u32 l) {
                                          return sem::Bfe::apply(static_cast<u32>(s[0][l]),
                                                                 static_cast<u32>(s[1][l]),
                                                                 static_cast<u32>(s[2][l]));
                                        });
  case ir::Opcode::bfi: return s.size() == 4 ? wide<sem::Bfi>(form, s) : std::nullopt;
  default: return {};
  }
}

} // namespace warplens::check
