// Branches and calls.
#include "sim/lower/lowering.h"

namespace warplens::sim {

using ir::Opcode;
using ir::Operand;

void Lowering::control(const ir::Instruction& i) {
  const ir::Form& form = module_.form(i);
  u32 join = join_block_.valid() ? join_block_.value : no_target;
  switch (form.opcode) {
  case Opcode::bra: {
    if (!i.guard.valid() && !function_.meetings.empty() && join != no_target) {
      emit(OpKind::open_region, i).jump() = {.target = function_.sources(i)[0].block.value,
                                             .reconvergence = join};
      return;
    }
    Op& op = emit(i.guard.valid() ? OpKind::branch_if : OpKind::branch, i);
    op.jump() = {.target = function_.sources(i)[0].block.value, .reconvergence = join};
    return;
  }
  case Opcode::brx: {
    SlotId index = source(i, function_.sources(i)[0], 32);
    Op& op = emit(OpKind::branch_table, i);
    op.sources = 1;
    op.slot[0] = index;
    op.jump() = {.reconvergence = join, .table = static_cast<u32>(code_->tables.size())};
    std::vector<u32>& table = code_->tables.emplace_back();
    for (ir::BlockId b : function_.branch_targets(i)) table.push_back(b.value);
    return;
  }
  case Opcode::call: return call(i);
  case Opcode::yield:
    if (function_.meetings.empty()) return unsupported(i);
    break;
  default: break;
  }
  emit(lowered_as(form.opcode).value_or(OpKind::unsupported), i);
}

void Lowering::call(const ir::Instruction& i) {
  CallSite site;
  const Operand& callee = function_.sources(i)[0];
  for (const Operand& o : function_.destinations(i)) {
    if (o.kind != Operand::Kind::variable) return unsupported(i);
    site.result_variables.push_back(o.variable);
  }
  for (const Operand& o : function_.sources(i).subspan(1)) {
    if (o.kind != Operand::Kind::variable && o.kind != Operand::Kind::address) return unsupported(i);
    site.argument_variables.push_back(o.variable);
  }
  bool direct = callee.kind == Operand::Kind::function;
  if (direct)
    site.callee = callee.function;
  else if (callee.kind != Operand::Kind::reg)
    return unsupported(i);
  Op& op = emit(OpKind::call, i);
  op.set_call_index(static_cast<u32>(code_->calls.size()));
  op.sources = direct ? 0 : 1;
  if (!direct) op.slot[0] = callee.reg.value;
  if (held_ != no_slot) op.slot[op.sources++] = held_;
  code_->calls.push_back(std::move(site));
  if (!direct) append(OpKind::reconverge, current_); // lanes with different targets meet here
}

} // namespace warplens::sim
