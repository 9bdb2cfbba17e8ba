// See loaded_index.h. Values only ever gain, so the passes over the instructions end. They are those of single assignment: machine
// code keeps one value after the other in a register.
#include "ir/loaded_index.h"
#include "ir/ssa.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace warplens::ir {
namespace {

// How a value differs between the threads of a warp.
enum class Differs : u8 { no, by_number, by_data };

bool numbers_threads(const Operand& o) {
  return o.kind == Operand::Kind::special && (o.special == Special::tid_x || o.special == Special::tid_y ||
                                              o.special == Special::tid_z || o.special == Special::laneid);
}

// Of what instructions compute from values that differ so.
Differs result(const Form& form, Differs in) {
  switch (form.opcode) {
  case Opcode::ld:
  case Opcode::ldu: return form.space() == StateSpace::param || in == Differs::no ? in : Differs::by_data;
  case Opcode::atom: // a place in a queue is nobody's to sort
  case Opcode::set:
  case Opcode::setp: return in == Differs::no ? in : Differs::by_number;
  default: return in;
  }
}

std::size_t index_of(const Function& function, const Operand& o) {
  return static_cast<std::size_t>(&o - function.operands.data());
}

} // namespace

std::set<SiteId> loaded_indices(const Module& module, const Function& function) {
  const Ssa ssa = single_assignment(function, analyse(function));
  std::vector<Differs> values(ssa.values());
  auto of_value = [&](u32 value) { return value == no_value ? Differs::no : values[value]; };
  auto of = [&](const Operand& o) {
    return numbers_threads(o) ? Differs::by_number : of_value(ssa.of_operand[index_of(function, o)]);
  };
  bool changed = true;
  auto raise = [&](u32 value, Differs to) {
    if (value != no_value && values[value] < to) values[value] = to, changed = true;
  };
  while (std::exchange(changed, false)) {
    for (const std::vector<Phi>& block : ssa.phis)
      for (const Phi& phi : block)
        for (u32 value : phi.incoming) raise(phi.value, of_value(value));
    for (const Instruction& i : function.instructions) {
      Differs in{};
      for (const Operand& source : function.sources(i)) in = std::max(in, of(source));
      const Differs out = result(module.form(i), in);
      for (const Operand& to : function.destinations(i)) {
        const std::size_t at = index_of(function, to);
        const Differs kept = i.guard.valid() ? of_value(ssa.overwritten[at]) : Differs::no;
        raise(ssa.of_operand[at], std::max(out, kept));
      }
    }
  }
  std::set<SiteId> out;
  for (const Instruction& i : function.instructions)
    for (const Operand& source : function.sources(i))
      if (i.site.valid() && source.kind == Operand::Kind::address && of(source) == Differs::by_data)
        out.insert(i.site);
  return out;
}

} // namespace warplens::ir
