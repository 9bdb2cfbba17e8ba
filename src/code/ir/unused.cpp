#include "ir/unused.h"
#include <algorithm>

namespace warplens::ir {

std::set<SiteId> unused_results(const Module& module, const Function& function) {
  std::vector<bool> read(function.registers.size());
  auto reads = [&](RegisterId r) {
    if (r.valid()) read[r.value] = true;
  };
  for (const Instruction& i : function.instructions) {
    reads(i.guard);
    for (const Operand& source : function.sources(i)) reads(source.reg);
    for (const Operand& to : function.destinations(i))
      if (to.kind != Operand::Kind::reg) reads(to.reg); // an address
  }
  std::set<SiteId> out;
  for (const Instruction& i : function.instructions) {
    if (!i.site.valid() || module.form(i).opcode != Opcode::atom) continue;
    std::span<const Operand> to = function.destinations(i);
    if (std::none_of(to.begin(), to.end(),
                     [&](const Operand& o) { return o.reg.valid() && read[o.reg.value]; }))
      out.insert(i.site);
  }
  return out;
}

std::set<SiteId> adds_of_one(const Module& module, const Function& function) {
  std::set<SiteId> out;
  for (const Instruction& i : function.instructions) {
    if (!i.site.valid()) continue;
    const Form& form = module.form(i);
    if ((form.opcode != Opcode::atom && form.opcode != Opcode::red) || form.atomic_op() != AtomicOp::add ||
        (form.type() != Type::u32 && form.type() != Type::s32))
      continue;
    std::span<const Operand> from = function.sources(i); // the address, and what is added
    if (from.size() >= 2 && from[1].kind == Operand::Kind::immediate && from[1].value == 1)
      out.insert(i.site);
  }
  return out;
}

} // namespace warplens::ir
