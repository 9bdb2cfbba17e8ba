// Loads, stores and atomics.
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;
using ir::StateSpace;
using ir::Type;

bool Lowering::is_thread_parameter(const ir::Form& form, const Operand& address) const {
  if (form.space() != StateSpace::param) return false;
  if (form.has(Modifier::param_entry)) return false;
  if (address.variable.valid()) return !is_kernel_parameter(address.variable);
  return !function_.entry;
}

OpKind Lowering::memory_kind(const ir::Form& form, bool thread_parameter) {
  switch (form.opcode) {
  case Opcode::st: return thread_parameter ? OpKind::store_thread_param : OpKind::store;
  case Opcode::ld:
  case Opcode::ldu: break;
  default: return OpKind::atomic;
  }
  if (thread_parameter) return OpKind::load_thread_param;
  return form.space() == StateSpace::param ? OpKind::load_param : OpKind::load;
}

void Lowering::memory(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (form.opcode == Opcode::cp) return copy(i);
  if (form.opcode == Opcode::ldmatrix) return load_matrix(i);
  if (form.opcode == Opcode::stmatrix) return store_matrix(i);
  if (form.opcode == Opcode::tensormap) return tensor_map(i);
  // 128 bits are two elements of 64.
  const bool wide = form.type() == Type::b128;
  const Type type = wide ? Type::b64 : form.type();
  if (ir::bytes(type) == 0 || (wide && form.vector > 1)) return unsupported(i);
  u32 value_bits = std::max<u32>(ir::bits(type), 16), policy = form.has(Modifier::l2_cache_hint) ? 1 : 0;
  i64 offset = 0;
  const Operand& where = function_.sources(i)[0];
  StateSpace space = form.space();
  SlotId base = address_in(i, where, space, offset);
  std::vector<SlotId> slots;
  for (const Operand& o : function_.destinations(i)) {
    slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
    if (wide) slots.push_back(upper_half(o));
  }
  const std::size_t destinations = slots.size();
  slots.push_back(base);
  u32 behind = policy + form.has(Modifier::async); // the mbarrier of st.async
  for (u32 s = 1; s + behind < i.sources + 0u; ++s) {
    const Operand& o = function_.sources(i)[s];
    u32 bits = o.kind == Operand::Kind::reg ? std::max<u32>(bits_of(o.reg.value), value_bits) : value_bits;
    slots.push_back(source(i, o, bits));
    if (wide) slots.push_back(upper_half(o));
  }
  if (slots.size() > 10) return unsupported(i);
  for (SlotId slot : slots)
    if (slot != no_slot && bits_of(slot) == 1) return unsupported(i); // a predicate where a value belongs
  OpKind kind = memory_kind(form, is_thread_parameter(form, where));
  if (kind == OpKind::atomic && form.atomic_op() == ir::AtomicOp::none) return unsupported(i);
  if (kind == OpKind::atomic && wide) kind = OpKind::atomic_wide;
  Op& op = emit(kind, i);
  std::copy(slots.begin(), slots.end(), op.slot.begin());
  op.destinations = static_cast<u8>(destinations);
  op.sources = static_cast<u8>(slots.size() - destinations);
  op.offset = offset;
  op.space = space;
  op.element_bytes = static_cast<u8>(ir::bytes(type));
  op.elements = wide ? 2 : std::max<u8>(form.vector, 1);
  op.sign = ir::is_signed(type);
  if (form.has(Modifier::async)) complete_async(i);
}

} // namespace warplens::sim
