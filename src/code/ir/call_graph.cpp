#include "ir/call_graph.h"

namespace warplens::ir {
namespace {

// Calls f(function) for every function whose address the module takes.
template <class F> void each_taken_address(const Module& module, F&& f) {
  for (const Function& function : module.functions)
    for (const Instruction& i : function.instructions) {
      bool names_callee = module.form(i).opcode == Opcode::call;
      for (const Operand& o : function.sources(i)) {
        if (o.kind == Operand::Kind::function && !names_callee) f(o.function);
        names_callee = false; // only the first source is the callee
      }
    }
  for (const Variable& variable : module.variables)
    for (const Relocation& r : variable.relocations)
      if (r.function.valid()) f(r.function);
}

} // namespace

Callees callees(const Module& module, const Function& function) {
  Callees out;
  for (const Instruction& i : function.instructions) {
    if (module.form(i).opcode != Opcode::call || i.sources == 0) continue;
    const Operand& callee = function.sources(i)[0];
    if (callee.kind == Operand::Kind::function)
      out.direct.push_back(callee.function);
    else
      out.indirect = true;
  }
  return out;
}

Reachable reachable(const Module& module, FunctionId root) {
  Reachable out{{root}};
  std::vector<bool> seen(module.functions.size());
  seen[root.value] = true;
  auto add = [&](FunctionId id) {
    if (id.value >= seen.size() || seen[id.value] || module.functions[id.value].external) return;
    seen[id.value] = true;
    out.functions.push_back(id);
  };
  for (std::size_t i = 0; i < out.functions.size(); ++i) {
    Callees called = callees(module, module.functions[out.functions[i].value]);
    for (FunctionId id : called.direct) add(id);
    if (!called.indirect || out.indirect) continue;
    out.indirect = true;
    each_taken_address(module, [&](FunctionId id) {
      if (id.value < seen.size() && !module.functions[id.value].entry) add(id);
    });
  }
  return out;
}

} // namespace warplens::ir
