// Warp-level instructions and barriers.
#include "sim/lower/lowering.h"
#include <algorithm>

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;
using ir::Operand;

void Lowering::warp(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  switch (form.opcode) {
  case Opcode::mma: return multiply_matrices(i);
  case Opcode::wmma: return fragment(i);
  case Opcode::wgmma: return multiply_group(i);
  case Opcode::movmatrix: return move_matrix(i);
  default: break;
  }
  std::optional<OpKind> kind = lowered_as(form.opcode);
  if (!kind) return unsupported(i);
  std::vector<SlotId> slots;
  bool predicate_result = form.opcode == Opcode::vote && !form.has(Modifier::ballot);
  for (const Operand& o : function_.destinations(i)) {
    bool first = slots.empty(); // a result that nobody wants still has to go somewhere
    slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value
                    : first                      ? temporary(predicate_result ? 1 : 32)
                                                 : no_slot);
    u32 bits = first && !predicate_result ? 32 : 1;
    if (slots.back() != no_slot && bits_of(slots.back()) != bits) return unsupported(i);
  }
  bool negated_predicate = false;
  for (u32 s = 0; s < i.sources; ++s) {
    Operand o = function_.sources(i)[s];
    bool predicate = form.opcode == Opcode::vote && s == 0;
    if (predicate && o.negated) {
      negated_predicate = true;
      o.negated = false;
    }
    u32 bits = predicate ? 1 : form.opcode == Opcode::match && s == 0 ? ir::bits(form.type()) : 32;
    slots.push_back(source(i, o, bits));
    if (slots.back() == no_slot || bits_of(slots.back()) != bits) return unsupported(i);
  }
  if (slots.size() > 10) return unsupported(i);
  Op& op = emit(*kind, i);
  op.destinations = i.destinations;
  op.sources = i.sources;
  std::copy(slots.begin(), slots.end(), op.slot.begin());
  if (op.has(Payload::predicate)) op.set_predicate({.negated = negated_predicate});
}

void Lowering::barrier(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  if (form.opcode == Opcode::mbarrier) return mbarrier(i);
  if (form.has(Modifier::cluster)) {
    emit(OpKind::cluster_barrier, i);
    return;
  }
  bool reduction = form.has(Modifier::red);
  std::vector<SlotId> slots;
  for (const Operand& o : function_.destinations(i))
    slots.push_back(o.kind == Operand::Kind::reg ? o.reg.value : no_slot);
  Op::Predicate given{.after_count = i.sources >= (reduction ? 3 : 2)};
  for (u32 s = 0; s < i.sources; ++s) {
    Operand o = function_.sources(i)[s];
    bool predicate = reduction && s + 1 == i.sources;
    if (predicate && o.negated) {
      given.negated = true;
      o.negated = false;
    }
    slots.push_back(source(i, o, predicate ? 1 : 32));
  }
  Op& op = emit(form.has(Modifier::warp) ? OpKind::warp_barrier : OpKind::barrier, i);
  op.destinations = i.destinations;
  op.sources = i.sources;
  std::copy(slots.begin(), slots.end(), op.slot.begin());
  if (op.kind() != OpKind::barrier) return;
  op.set_predicate(given);
  if (slots.size() == i.destinations) { // bar.sync without an operand: barrier 0
    op.slot[i.destinations] = constant(Constant::Kind::value, 0, 32);
    op.sources = 1;
  }
}

} // namespace warplens::sim
