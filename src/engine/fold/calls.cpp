// Calls: what the .param bytes of frames hold, and which calls can be followed at all.
#include "fold/shadow.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::fold {

// Where in the frame's parameters an op reads or writes: the same place in every lane.
u64 Shadow::argument_place(const Current& at) const {
  need_invariant(at, 0, "the place of an argument");
  const Value& base = at.step.values[at.op.source(0)];
  if (!base.uniform()) reject(at.step, "threads use different arguments of a call");
  return base.base + static_cast<u64>(at.op.offset);
}

void Shadow::load_argument(const Current& at) {
  const Op& op = at.op;
  u64 place = argument_place(at);
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    bool narrow = at.step.values[op.destination(e)].bits != op.element_bytes * 8u;
    Parts parts;
    if (const Track* track = arguments_.load(at.step.frame, place + e * op.element_bytes, op.element_bytes))
      track->each(at.lanes, [&](const Mask& mask, const Delta& delta) {
        bool lost = !delta.known() || (narrow && !delta.invariant());
        parts.push_back({mask, lost ? unknown(Cause::call, at.instruction) : delta});
      });
    else
      parts.push_back({at.lanes, unknown(Cause::call, at.instruction)});
    write(at, e, parts);
  }
}

void Shadow::store_argument(const Current& at) {
  const Op& op = at.op;
  u64 place = argument_place(at);
  for (u32 e = 0; e < op.elements; ++e) {
    SlotId from = op.source(1 + e);
    bool narrow = at.step.values[from].bits != op.element_bytes * 8u;
    Parts parts;
    at.registers[from].each(at.lanes, [&](const Mask& mask, const Delta& delta) {
      bool lost = narrow && delta.known() && !delta.invariant();
      parts.push_back({mask, lost ? unknown(Cause::call, at.instruction) : delta});
    });
    arguments_.store(at.step.frame, place + e * op.element_bytes, op.element_bytes, parts, at.all);
  }
}

void Shadow::call(const Current& at) {
  const Code& code = at.step.code;
  const sim::CallSite& site = code.calls[at.op.call_index()];
  const ir::Module& module = *code.module;
  if (!site.callee.valid()) reject(at.step, "it calls a function through a pointer");
  const ir::Function& callee = module.functions[site.callee.value];
  if (!callee.external) return;
  std::optional<sim::MathFunction> math = sim::find_math_function(callee.name);
  if (!math || math->stores != 0) reject(at.step, fmt::format("it calls '{}'", callee.name));
  for (ir::VariableId result : site.result_variables)
    arguments_.lose(at.step.frame, code.parameter_offset[result.value], module.variables[result.value].size);
}

// After a call: the frame that was entered has the caller's arguments.
void Shadow::pass_arguments(const sim::CallFrame& call, const Mask& lanes) {
  const ir::Function& callee = *call.code->function;
  const std::vector<ir::Variable>& variables = call.code->module->variables;
  const std::vector<ir::VariableId>& given = call.site->argument_variables;
  arguments_.forget(*call.frame);
  for (std::size_t i = 0; i < callee.parameters.size() && i < given.size(); ++i) {
    u32 from = given[i].value, to = callee.parameters[i].value;
    arguments_.copy(*call.caller, call.caller_code->parameter_offset[from], *call.frame,
                    call.code->parameter_offset[to], std::min(variables[from].size, variables[to].size),
                    lanes, true);
  }
}

// Before lanes return: their results go to the caller.
void Shadow::leave(const Current& at) {
  sim::CallFrame call = at.step.call();
  if (call.caller == nullptr) return;
  const ir::Function& callee = *call.code->function;
  const std::vector<ir::Variable>& variables = call.code->module->variables;
  const std::vector<ir::VariableId>& wanted = call.site->result_variables;
  for (std::size_t i = 0; i < callee.results.size() && i < wanted.size(); ++i) {
    u32 from = callee.results[i].value, to = wanted[i].value;
    arguments_.copy(*call.frame, call.code->parameter_offset[from], *call.caller,
                    call.caller_code->parameter_offset[to],
                    std::min(variables[from].size, variables[to].size), at.lanes, false);
  }
}

} // namespace warplens::fold
