// See loaded_index.h. Registers only ever gain, so the passes over the instructions end.
#include "ir/loaded_index.h"

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

} // namespace

std::set<SiteId> loaded_indices(const Module& module, const Function& function) {
  std::vector<Differs> registers(function.registers.size());
  auto of = [&](const Operand& o) {
    if (numbers_threads(o)) return Differs::by_number;
    return o.reg.valid() ? registers[o.reg.value] : Differs::no;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction& i : function.instructions) {
      Differs in{};
      for (const Operand& source : function.sources(i)) in = std::max(in, of(source));
      const Differs out = result(module.form(i), in);
      for (const Operand& to : function.destinations(i))
        if (to.kind == Operand::Kind::reg && to.reg.valid() && registers[to.reg.value] < out)
          registers[to.reg.value] = out, changed = true;
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
