#include "ir/added_operands.h"

namespace warplens::ir {

std::span<const Summand> summands(Opcode opcode) {
  static constexpr Summand one[] = {{0}}, sum[] = {{0}, {1}},
                           difference[] = {{0}, {1, Summand::none, false, true}}, shifted[] = {{0, 1, true}},
                           product[] = {{0, 1}}, product_and_more[] = {{0, 1}, {2}};
  switch (opcode) {
  case Opcode::mov:
  case Opcode::cvta: return one;
  case Opcode::add: return sum;
  case Opcode::sub: return difference;
  case Opcode::shl: return shifted;
  case Opcode::mul: return product;
  case Opcode::mad: return product_and_more;
  default: return {};
  }
}

std::optional<u64> times(const Summand& s, std::span<const Operand> sources) {
  if (s.factor == Summand::none) return 1;
  const Operand& by = sources[s.factor];
  if (by.kind != Operand::Kind::immediate || (s.is_power && by.value >= 32)) return {};
  return s.is_power ? u64{1} << by.value : by.value;
}

std::optional<u32> moved(Opcode opcode, std::span<const Operand> sources) {
  const std::span<const Summand> all = summands(opcode);
  if (all.empty() || sources.size() != all.size() || !all[0].is_whole()) return {};
  for (const Summand& s : all.subspan(1))
    if (sources[s.source].kind != Operand::Kind::immediate) return {};
  return all[0].source;
}

} // namespace warplens::ir
