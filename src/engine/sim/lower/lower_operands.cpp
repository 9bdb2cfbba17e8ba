// Operands as slots: registers, constants, addresses, special registers; widths made to fit.
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Operand;
using ir::StateSpace;

Op& Lowering::append(OpKind kind, u32 at) {
  Op& op = code_->ops.emplace_back(kind);
  op.instruction = at;
  return op;
}

Op& Lowering::emit(OpKind kind, const ir::Instruction& i) {
  Op& op = append(kind, current_);
  op.form = &module_.form(i);
  op.site = i.site;
  if (i.guard.valid()) {
    op.guard = i.guard.value;
    op.guard_negated = i.guard_negated;
  }
  return op;
}

SlotId Lowering::temporary(u32 bits) {
  bits_.push_back(static_cast<u8>(bits));
  return static_cast<SlotId>(bits_.size() - 1);
}

SlotId Lowering::constant(Constant::Kind kind, u64 value, u32 bits, ir::VariableId variable) {
  if (kind == Constant::Kind::value && bits < 64) value &= (u64{1} << bits) - 1;
  auto key = std::tuple(kind, value, bits, variable.value);
  auto found = constant_index_.find(key);
  if (found != constant_index_.end()) return found->second;
  SlotId slot = constant_flag + static_cast<SlotId>(constants_.size());
  constants_.push_back({{slot, kind, value, variable}, static_cast<u8>(bits)});
  constant_index_.emplace(key, slot);
  return slot;
}

u32 Lowering::bits_of(SlotId slot) const {
  return slot >= constant_flag ? constants_[slot - constant_flag].bits : bits_[slot];
}

SlotId Lowering::resized(const ir::Instruction& i, SlotId from, u32 bits, bool sign) {
  SlotId to = temporary(bits);
  Op& op = emit(OpKind::resize, i);
  op.guard = no_slot; // harmless in every lane, and the result is then defined in every lane
  op.destinations = op.sources = 1;
  op.slot[0] = to;
  op.slot[1] = from;
  op.sign = sign;
  return to;
}

SlotId Lowering::address_of(const Operand& o, u32 bits) {
  const ir::Variable& v = module_.variables[o.variable.value];
  u64 offset = o.kind == Operand::Kind::variable ? o.value : 0;
  switch (v.space) {
  case StateSpace::shared: return constant(Constant::Kind::shared, offset, bits, o.variable);
  case StateSpace::local:
    return constant(Constant::Kind::local, placement_.offset_of(o.variable, true) + offset, bits, o.variable);
  case StateSpace::param: return constant(Constant::Kind::value, parameter_offset(o.variable) + offset, bits);
  default: return constant(Constant::Kind::value, variable_address_[o.variable.value] + offset, bits);
  }
}

void Lowering::place_kernel_parameters() {
  u64 offset = 0;
  for (ir::VariableId id : function_.parameters) {
    if (!function_.entry) return;
    const ir::Variable& v = module_.variables[id.value];
    offset = std::max<u64>(align_up(offset, std::max<u32>(v.alignment, 1)), v.offset);
    kernel_parameters_.emplace(id, offset);
    offset += v.size;
  }
}

u64 Lowering::parameter_offset(ir::VariableId id) const {
  auto found = kernel_parameters_.find(id);
  return found != kernel_parameters_.end() ? found->second : placement_.offset_of(id, false);
}

// A source as a slot of `bits` bits; predicates that the text negates are negated here.
SlotId Lowering::source(const ir::Instruction& i, const Operand& o, u32 bits, bool sign) {
  switch (o.kind) {
  case Operand::Kind::none: return no_slot;
  case Operand::Kind::immediate: return constant(Constant::Kind::value, o.value, bits);
  case Operand::Kind::special: {
    SlotId slot = temporary(std::max<u32>(ir::bits(o.special), 32));
    read_special(i, o.special, slot).guard = no_slot;
    return bits_of(slot) == bits ? slot : resized(i, slot, bits, false);
  }
  case Operand::Kind::variable:
  case Operand::Kind::address: return address_of(o, bits);
  case Operand::Kind::function:
    return constant(Constant::Kind::value, function_address_base + o.function.value * function_address_step,
                    bits);
  case Operand::Kind::reg: break;
  case Operand::Kind::label: return no_slot;
  }
  SlotId slot = o.reg.value;
  if (o.negated) slot = negated(i, slot);
  if (bits_of(slot) == bits || bits == 1 || bits_of(slot) == 1) return slot;
  return resized(i, slot, bits, sign);
}

// A register of 128 bits is two slots; of any other operand the upper half is zero.
SlotId Lowering::upper_half(const Operand& o) {
  if (o.kind == Operand::Kind::none) return no_slot;
  if (o.kind != Operand::Kind::reg) return constant(Constant::Kind::value, 0, 64);
  auto [entry, is_new] = upper_halves_.try_emplace(o.reg.value);
  if (is_new) entry->second = temporary(64);
  return entry->second;
}

SlotId Lowering::negated(const ir::Instruction& i, SlotId predicate) {
  static const LaneForm inverted("not.pred", 1);
  return computed(i, inverted, 1, {predicate});
}

// In every lane, whether or not the instruction's guard holds there.
SlotId Lowering::computed(const ir::Instruction& i, const LaneForm& step, u32 bits,
                          std::initializer_list<SlotId> sources) {
  SlotId to = temporary(bits);
  Op& op = emit(OpKind::compute, i);
  op.guard = no_slot;
  op.form = &step.form;
  op.arithmetic() = {step.kernel.function, step.kernel.masked, nullptr, step.kernel.variant};
  op.destinations = 1;
  op.sources = static_cast<u8>(sources.size());
  op.slot[0] = to;
  std::copy(sources.begin(), sources.end(), op.slot.begin() + 1);
  return to;
}

Op& Lowering::read_special(const ir::Instruction& i, ir::Special special, SlotId to) {
  Op& op = emit(OpKind::special, i);
  op.destinations = 1;
  op.slot[0] = to;
  op.set_special(special);
  return op;
}

// The base of an address operand as a slot; the constant part goes to Op::offset.
SlotId Lowering::address(const Operand& o, i64& offset) {
  offset = static_cast<i64>(o.value);
  if (o.kind == Operand::Kind::address && o.reg.valid()) return o.reg.value;
  if (o.variable.valid()) {
    if (o.kind == Operand::Kind::variable) offset = 0;
    return address_of(o, 64);
  }
  offset = 0;
  return constant(Constant::Kind::value, o.value, 64);
}

} // namespace warplens::sim
