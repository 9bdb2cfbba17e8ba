// See origin.h.
#include "ir/origin.h"
#include "ir/added_operands.h"
#include "ir/operands.h"
#include "ir/values.h"
#include <algorithm>
#include <set>

namespace warplens::ir {
namespace {

using Kind = Origin::Kind;

Origin several() {
  Origin out;
  out.kind = Kind::several;
  return out;
}

// One value or the other: a loop, a selection, two definitions of one register.
Origin either(const Origin& a, const Origin& b) {
  if (a.kind == Kind::none || a == b) return b;
  if (b.kind == Kind::none) return a;
  if (a.kind == Kind::several || b.kind == Kind::several || a.variable != b.variable) return several();
  Origin out = a;
  if (a.offset != b.offset) out.offset = Origin::somewhere;
  out.indirect |= b.indirect;
  out.pointer |= b.pointer;
  out.in_place &= b.in_place;
  return out;
}

// The sum of two values: of an address and an offset, if they can be told apart.
Origin sum(const Origin& a, const Origin& b) {
  if (a.kind != Kind::none && b.kind != Kind::none && a.pointer != b.pointer) return a.pointer ? a : b;
  return either(a, b);
}

// Such a copy names what it writes first, and then what it reads.
bool copies_into_shared(const Form& form) {
  const BulkCopy bulk = bulk_copy(form);
  return copies_asynchronously(form) || bulk == BulkCopy::in || bulk == BulkCopy::tensor_in;
}

class OriginAnalysis {
public:
  OriginAnalysis(const Module& module, const Function& function)
      : module_(module), function_(function), values_(function, either) {
    for (const Instruction& instruction : function.instructions)
      if (module.form(instruction).opcode == Opcode::call) note_memory(instruction);
    values_.settle([&](const Instruction& instruction) { step(instruction); });
  }

  // Of the address that the instruction accesses; of a copy, of the one that it reads from.
  Origin of_address(const Instruction& instruction) const {
    return of_address(instruction, copies_into_shared(module_.form(instruction)) ? 1 : 0);
  }
  // Of the n-th that the instruction has.
  Origin of_address(const Instruction& instruction, u32 n) const {
    for (const Operand& operand : function_.sources(instruction))
      if (operand.kind == Operand::Kind::address && n-- == 0) return of(operand);
    return {};
  }

private:
  const Variable& variable(VariableId id) const { return module_.variables[id.value]; }

  bool is_parameter(VariableId id) const {
    const auto& all = function_.parameters;
    return std::find(all.begin(), all.end(), id) != all.end();
  }

  void note_memory(const Instruction& call) {
    const auto sources = function_.sources(call);
    if (sources.empty() || !sources[0].function.valid() ||
        module_.functions[sources[0].function.value].name != "malloc")
      return;
    for (const Operand& result : function_.destinations(call))
      if (result.variable.valid()) given_.insert(result.variable.value);
  }

  // Is it what a call of malloc() gives back?
  bool gives_memory(VariableId id) const { return given_.contains(id.value); }

  // The value of an operand; of an address, the value that it computes.
  Origin of(const Operand& operand) const {
    if (operand.reg.valid()) return values_.of(operand);
    if (!operand.variable.valid()) return {};
    Origin out;
    out.kind = Kind::one;
    out.variable = operand.variable;
    out.pointer = true;
    if (variable(operand.variable).space == StateSpace::param) {
      if (!is_parameter(operand.variable) && !gives_memory(operand.variable))
        return {}; // what a call takes or gives back
      out.in_place = true;
      out.offset = static_cast<u32>(operand.value);
    }
    return out;
  }

  // What a load of pointers finds: the value of a parameter, or what memory holds that the address leads to. Machine code loads a
  // pointer as two words.
  void load(const Instruction& instruction, const Form& form) {
    const u32 parts = bits(form.type()) == 32 && instruction.destinations > 1 ? 2 : 1;
    if (parts * bits(form.type()) != 64 || is_float(form.type()) || form.space() == StateSpace::local) return;
    Origin found = of_address(instruction);
    if (found.kind != Kind::one || variable(found.variable).space == StateSpace::local) return;
    found.pointer = false;
    u32 step = 0;
    if (found.in_place) {
      const Operand& address = function_.sources(instruction)[0];
      if (address.reg.valid() && found.offset != Origin::somewhere)
        found.offset += static_cast<u32>(address.value);
      found.in_place = false;
      step = found.offset == Origin::somewhere ? 0 : 8;
    } else {
      found.indirect = true;
    }
    u32 part = 0;
    for (const Operand& destination : function_.destinations(instruction)) {
      values_.define(instruction, destination, found);
      if (++part % parts == 0) found.offset += step;
    }
  }

  // A factor is no pointer, and what lies between two pointers is none. Adding a number that is known moves within a parameter;
  // one that is not may lead anywhere in it.
  Origin added(std::span<const Summand> summands, std::span<const Operand> sources) const {
    Origin out;
    u32 by = 0;
    bool is_known = true;
    for (const Summand& s : summands) {
      const Operand& source = sources[s.source];
      const bool is_number = s.factor == Summand::none && source.kind == Operand::Kind::immediate;
      const Origin one = s.factor == Summand::none ? of(source) : Origin{};
      if (s.is_subtracted && one.kind != Kind::none && (!out.pointer || one.pointer)) return {};
      if (!s.is_subtracted) out = sum(out, one);
      if (is_number)
        by += static_cast<u32>(s.is_subtracted ? -source.value : source.value);
      else if (one.kind == Kind::none || s.is_subtracted)
        is_known = false;
    }
    if (out.in_place && out.offset != Origin::somewhere)
      out.offset = is_known ? out.offset + by : Origin::somewhere;
    return out;
  }

  Origin result(const Form& form, std::span<const Operand> sources) const {
    switch (form.opcode) {
    case Opcode::mov: {
      Origin out;
      for (const Operand& source : sources) {
        const Origin part = of(source);
        if (part.kind == Kind::none) return {}; // of a pointer both words are known
        out = either(out, part);
      }
      return out;
    }
    case Opcode::cvta: {
      Origin out = of(sources[0]);
      out.pointer = out.kind == Kind::one;
      return out;
    }
    case Opcode::cvt: { // an address of shared memory loses its upper half; a number is just a number
      Origin out = of(sources[0]);
      return out.pointer ? out : Origin{};
    }
    case Opcode::and_:
    case Opcode::or_: return added(summands(Opcode::add), sources);
    case Opcode::selp: return either(of(sources[0]), of(sources[1]));
    default: return added(summands(form.opcode), sources);
    }
  }

  void step(const Instruction& instruction) {
    const Form& form = module_.form(instruction);
    if (form.opcode == Opcode::ld || form.opcode == Opcode::ldu) return load(instruction, form);
    if (instruction.sources == 0 || instruction.destinations == 0) return;
    Origin origin = result(form, function_.sources(instruction));
    for (const Operand& destination : function_.destinations(instruction))
      values_.define(instruction, destination, origin);
  }

  const Module& module_;
  const Function& function_;
  Values<Origin> values_;
  std::set<u32> given_; // variables that take what malloc() gives
};

access::ArrayKind kind_of(StateSpace space) {
  switch (space) {
  case StateSpace::shared: return access::ArrayKind::shared;
  case StateSpace::constant: return access::ArrayKind::constant;
  case StateSpace::global: return access::ArrayKind::device;
  case StateSpace::local: return access::ArrayKind::local;
  case StateSpace::param: return access::ArrayKind::parameter;
  case StateSpace::generic:
  case StateSpace::reg: break;
  }
  return access::ArrayKind::unknown;
}

} // namespace

std::vector<SiteOrigin> origins(const Module& module, const Function& function) {
  std::vector<SiteOrigin> out;
  bool any = std::any_of(function.instructions.begin(), function.instructions.end(),
                         [](const Instruction& i) { return i.site.valid(); });
  if (!any) return out;
  const OriginAnalysis analysis(module, function);
  for (const Instruction& instruction : function.instructions)
    if (instruction.site.valid()) {
      out.push_back({instruction.site, analysis.of_address(instruction), {}});
      if (copies_into_shared(module.form(instruction)))
        out.back().copied_to = analysis.of_address(instruction, 0);
    }
  return out;
}

access::Array array_of(const Module& module, const Function& function, const Origin& origin) {
  access::Array out;
  if (origin.kind == Kind::several) out.kind = access::ArrayKind::several;
  if (origin.kind != Kind::one) return out;
  const Variable& variable = module.variables[origin.variable.value];
  out.kind = kind_of(variable.space);
  out.indirect = origin.indirect;
  if (out.kind != access::ArrayKind::parameter) {
    out.name = variable.name;
    return out;
  }
  auto found = std::find(function.parameters.begin(), function.parameters.end(), origin.variable);
  if (found == function.parameters.end())
    return {.kind = access::ArrayKind::heap, .name = "malloc()", .indirect = origin.indirect};
  out.parameter = static_cast<u32>(found - function.parameters.begin());
  out.parameters = static_cast<u32>(function.parameters.size());
  // Offsets tell members of a structure apart; a pointer that is the parameter has none.
  if (variable.size > 8 && origin.offset != Origin::somewhere) out.offset = origin.offset;
  return out;
}

} // namespace warplens::ir
