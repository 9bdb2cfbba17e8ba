// Matrices that the lanes of a warp hold together.
#include "sim/kernels/matrices.h"
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Operand;
using ir::StateSpace;

// All lanes of a warp take part in what follows.
void Lowering::gather_warp(const ir::Instruction& i) {
  SlotId members = constant(Constant::Kind::value, full_mask, 32);
  Op& op = emit(OpKind::warp_barrier, i);
  op.sources = 1;
  op.slot[0] = members;
}

void Lowering::load_matrix(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  std::array<SlotId, 4> to;
  u32 count = 0;
  for (const Operand& o : function_.destinations(i)) {
    if (o.kind != Operand::Kind::reg || bits_of(o.reg.value) != 32) return unsupported(i);
    to[count++] = o.reg.value;
  }
  i64 offset = 0;
  SlotId where = address(function_.sources(i)[0], offset);
  if (form.space() == StateSpace::generic) {
    SlotId in_shared = temporary(bits_of(where));
    simple(i, OpKind::from_generic, in_shared, where, StateSpace::shared);
    where = in_shared;
  } else if (form.space() != StateSpace::shared) {
    return unsupported(i);
  }
  gather_warp(i);
  Op& op = emit(OpKind::load_matrix, i);
  op.destinations = static_cast<u8>(count);
  op.sources = 1;
  std::copy(to.begin(), to.begin() + count, op.slot.begin());
  op.slot[count] = where;
  op.offset = offset;
  op.space = StateSpace::shared;
  op.element_bytes = 16; // a row
}

// The operands are kept one after the other, which are more than an op has slots; then they are multiplied.
void Lowering::multiply_matrices(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (!can_multiply(form)) return unsupported(i);
  gather_warp(i);
  u32 row = 0;
  for (const ir::OperandGroup& group : ir::operand_groups(form, i.destinations, i.sources)) {
    if (group.rule.destination()) continue;
    u32 bits = ir::bits(group.type(form, 0));
    std::vector<SlotId> slots;
    for (u32 n = 0; n < group.count; ++n)
      slots.push_back(source(i, function_.sources(i)[group.first - i.destinations + n], bits));
    Op& op = emit(OpKind::keep_matrix, i);
    std::copy(slots.begin(), slots.end(), op.slot.begin());
    op.sources = static_cast<u8>(slots.size());
    op.offset = row; // the first of the rows that they are kept in
    row += group.count;
  }
  Op& op = emit(OpKind::multiply_matrices, i);
  for (const Operand& o : function_.destinations(i))
    op.slot[op.destinations++] = o.kind == Operand::Kind::reg ? o.reg.value : no_slot;
}

} // namespace warplens::sim
