#include "launcher/slots.h"
#include "ir/origin.h"
#include "launcher/arguments.h"
#include <algorithm>

namespace warplens::launcher {

using ir::Opcode;
using ir::Operand;

Slots::Slots(const ir::Module& module, const ir::Function& kernel) : module_(module), kernel_(kernel) {
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const ir::Variable& v = module.variables[kernel.parameters[p].value];
    std::vector<Slot> found;
    if (is_array(v)) found = members(p);
    if (found.empty()) found.push_back({p, 0, v});
    all_.insert(all_.end(), found.begin(), found.end());
  }
}

// Empty: it is one.
std::vector<Slot> Slots::members(std::size_t parameter) const {
  const ir::VariableId id = kernel_.parameters[parameter];
  const ir::Variable& structure = module_.variables[id.value];
  std::vector<Slot> out;
  auto add = [&](u64 at, ir::Type type) {
    Slot one{parameter, at, structure};
    one.declared.type = type, one.declared.size = ir::bytes(type);
    out.push_back(std::move(one));
  };
  for (const ir::Instruction& i : kernel_.instructions)
    for (const Operand& source : kernel_.sources(i)) {
      if (source.variable != id) continue;
      if (module_.form(i).opcode != Opcode::ld || source.reg.valid()) return {};
      for (u32 n = 0; n < i.destinations; ++n)
        add(source.value + n * ir::bytes(module_.form(i).type()), module_.form(i).type());
    }
  for (const ir::SiteOrigin& site : ir::origins(module_, kernel_))
    if (site.origin.kind == ir::Origin::Kind::one && site.origin.variable == id)
      add(site.origin.offset, ir::Type::b64);
  // The widest at each place; parts of one are no members. Of machine code, halves of addresses are.
  std::ranges::stable_sort(out, [](const Slot& a, const Slot& b) {
    return a.at != b.at ? a.at < b.at : a.declared.size > b.declared.size;
  });
  std::vector<Slot> apart;
  for (Slot& one : out) {
    const u64 end = apart.empty() ? 0 : apart.back().at + apart.back().declared.size;
    if (one.at + one.declared.size <= end) continue;
    if (one.at < end || one.at % one.declared.size != 0 || one.at + one.declared.size > structure.size ||
        is_array(one.declared))
      return {};
    apart.push_back(std::move(one));
  }
  constexpr u64 most_bytes = 256;
  if (structure.size > most_bytes) apart.clear();
  return apart;
}

std::size_t Slots::find(ir::VariableId parameter, u64 offset) const {
  return static_cast<std::size_t>(std::ranges::find_if(all_,
                                                       [&](const Slot& s) {
                                                         return kernel_.parameters[s.parameter] ==
                                                                    parameter &&
                                                                offset - s.at < s.declared.size;
                                                       }) -
                                  all_.begin());
}

std::size_t Slots::loaded(const ir::Instruction& i, u32 n) const {
  const ir::Form& form = module_.form(i);
  if (form.opcode != Opcode::ld || form.space() != ir::StateSpace::param || kernel_.sources(i)[0].reg.valid())
    return size();
  const Operand& from = kernel_.sources(i)[0];
  return find(from.variable, from.value + n * ir::bytes(form.type()));
}

} // namespace warplens::launcher
