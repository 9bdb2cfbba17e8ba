#include "sim/lower/spin_loops.h"

namespace warplens::sim {

using ir::Modifier;
using ir::Opcode;

bool Waiting::waits_alone(const ir::Instruction& i) const {
  const ir::Form& form = module_.form(i);
  if (form.opcode == Opcode::nanosleep || form.opcode == Opcode::atom) return true;
  return form.opcode == Opcode::ld && form.space() != ir::StateSpace::param &&
         (form.has(Modifier::volatile_) || form.has(Modifier::relaxed) || form.has(Modifier::acquire) ||
          form.has(Modifier::cv));
}

bool Waiting::may_wait(const ir::Function& function, const ir::Instruction& i) {
  if (module_.form(i).opcode != Opcode::call || i.sources == 0) return waits_alone(i);
  const ir::Operand& callee = function.sources(i)[0];
  return callee.kind != ir::Operand::Kind::function || // through a pointer: who knows
         reaches_waiting(callee.function);
}

const Waiting::Facts& Waiting::facts_of(ir::FunctionId id) {
  Facts& facts = facts_[id];
  if (facts.known) return facts;
  facts.known = true;
  const ir::Function& function = module_.functions[id.value];
  for (const ir::Instruction& i : function.instructions) {
    if (module_.form(i).opcode != Opcode::call || i.sources == 0) {
      facts.waits |= waits_alone(i);
    } else if (const ir::Operand& callee = function.sources(i)[0];
               callee.kind == ir::Operand::Kind::function) {
      facts.callees.push_back(callee.function);
    } else {
      facts.waits = true;
    }
  }
  return facts;
}

bool Waiting::reaches_waiting(ir::FunctionId root) {
  Facts& known = facts_[root];
  if (known.reaches != Facts::unknown) return known.reaches == Facts::yes;
  std::vector<bool> seen(module_.functions.size());
  std::vector<ir::FunctionId> open{root};
  seen[root.value] = true;
  known.reaches = Facts::no;
  while (!open.empty()) {
    const Facts& facts = facts_of(open.back());
    open.pop_back();
    if (facts.waits) {
      known.reaches = Facts::yes;
      break;
    }
    for (ir::FunctionId callee : facts.callees) {
      if (seen[callee.value]) continue;
      seen[callee.value] = true;
      open.push_back(callee);
    }
  }
  return known.reaches == Facts::yes;
}

} // namespace warplens::sim
