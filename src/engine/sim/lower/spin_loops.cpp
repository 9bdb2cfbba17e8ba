#include "sim/lower/spin_loops.h"
#include "ir/call_graph.h"
#include "ir/timing.h"
#include <algorithm>

namespace warplens::sim {

using ir::Opcode;

bool reads_what_others_write(const ir::Form& form) { return form.opcode == Opcode::atom || ir::polls(form); }

bool Waiting::waits_alone(const ir::Instruction& i) const {
  const ir::Form& form = module_.form(i);
  return form.opcode == Opcode::nanosleep || reads_what_others_write(form);
}

bool Waiting::may_wait(const ir::Function& function, const ir::Instruction& i) {
  if (module_.form(i).opcode != Opcode::call || i.sources == 0) return waits_alone(i);
  const ir::Operand& callee = function.sources(i)[0];
  return callee.kind != ir::Operand::Kind::function || // through a pointer: who knows
         reaches_waiting(callee.function);
}

bool Waiting::waits_itself(ir::FunctionId id) {
  auto [entry, is_new] = waits_itself_.try_emplace(id);
  if (is_new) {
    const std::vector<ir::Instruction>& all = module_.functions[id.value].instructions;
    entry->second = std::any_of(all.begin(), all.end(), [&](const auto& i) { return waits_alone(i); });
  }
  return entry->second;
}

bool Waiting::reaches_waiting(ir::FunctionId root) {
  auto [entry, is_new] = reaches_waiting_.try_emplace(root);
  if (is_new) {
    ir::Reachable called = ir::reachable(module_, root);
    entry->second = called.indirect || std::any_of(called.functions.begin(), called.functions.end(),
                                                   [&](ir::FunctionId id) { return waits_itself(id); });
  }
  return entry->second;
}

} // namespace warplens::sim
