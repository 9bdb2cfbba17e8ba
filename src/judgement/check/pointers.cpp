#include "check/pointers.h"
#include "ir/added_operands.h"

namespace warplens::check {
namespace {

using ir::Opcode;

class Search {
public:
  explicit Search(const Flow& flow)
      : flow_(flow), made_by_(flow.ssa.values(), none), phi_(flow.ssa.values(), nullptr) {
    const ir::Function& f = flow.function;
    for (u32 i = 0; i < f.instructions.size(); ++i)
      for (u32 n = 0; n < f.instructions[i].destinations; ++n)
        if (u32 v = flow.ssa.of_operand[f.instructions[i].first_operand + n]; v != ir::no_value)
          made_by_[v] = i;
    for (const std::vector<ir::Phi>& phis : flow.ssa.phis)
      for (const ir::Phi& phi : phis) phi_[phi.value] = &phi;
  }

  std::set<ParameterPlace> run() {
    const ir::Function& f = flow_.function;
    for (const ir::Instruction& i : f.instructions)
      for (u32 o = i.first_operand + i.destinations; o < i.first_operand + i.destinations + i.sources; ++o) {
        bool address = f.operands[o].kind == ir::Operand::Kind::address && f.operands[o].reg.valid();
        if (address || flow_.module.form(i).opcode == Opcode::cvta) from(o);
      }
    return std::move(pointers_);
  }

private:
  static constexpr u32 none = ~u32{0};

  // Looks at the sum that the operand's value is.
  void from(u32 operand) {
    if (flow_.ssa.of_operand[operand] == ir::no_value) return;
    std::vector<u32> work{flow_.ssa.of_operand[operand]};
    std::set<u32> seen;
    std::set<ParameterPlace> parameters;
    bool others = false; // that may be the pointer, too
    while (!work.empty()) {
      u32 v = work.back();
      work.pop_back();
      if (v == ir::no_value || !seen.insert(v).second) continue;
      if (phi_[v] != nullptr) work.insert(work.end(), phi_[v]->incoming.begin(), phi_[v]->incoming.end());
      if (made_by_[v] == none) continue;
      const ir::Instruction& i = flow_.function.instructions[made_by_[v]];
      if (std::optional<ParameterPlace> place = parameter(i, v))
        parameters.insert(*place);
      else
        others = summands(i, work) || others;
    }
    if (parameters.size() == 1 && !others) pointers_.insert(*parameters.begin());
  }

  std::optional<ParameterPlace> parameter(const ir::Instruction& i, u32 value) const {
    const ir::Form& form = flow_.module.form(i);
    const ir::Function& f = flow_.function;
    if (form.opcode != Opcode::ld || form.space() != ir::StateSpace::param || ir::bits(form.type()) != 64)
      return {};
    const ir::Operand& from = f.sources(i)[0];
    auto place = std::find(f.parameters.begin(), f.parameters.end(), from.variable);
    if (place == f.parameters.end() || from.reg.valid()) return {};
    u32 n = 0;
    while (flow_.ssa.of_operand[i.first_operand + n] != value) ++n;
    return ParameterPlace{static_cast<u32>(place - f.parameters.begin()),
                          static_cast<u32>(from.value) + 8 * n};
  }

  // Adds what the result is a sum of. Does it begin with something else that is an address: a variable, or what was loaded?
  bool summands(const ir::Instruction& i, std::vector<u32>& work) const {
    const ir::Form& form = flow_.module.form(i);
    u32 first = i.first_operand + i.destinations;
    auto add = [&](u32 n) { work.push_back(flow_.ssa.of_operand[first + n]); };
    if (form.opcode == Opcode::ld) return true;
    if (form.opcode == Opcode::selp) add(0), add(1);
    if (form.opcode == Opcode::mov && i.sources != 1) return false;
    if (form.opcode == Opcode::mov && flow_.function.operands[first].kind == ir::Operand::Kind::variable)
      return true;
    for (const ir::Summand& s : ir::summands(form.opcode))
      if (s.is_whole()) add(s.source);
    return false;
  }

  const Flow& flow_;
  std::vector<u32> made_by_; // [values]: instruction
  std::vector<const ir::Phi*> phi_;
  std::set<ParameterPlace> pointers_;
};

} // namespace

std::set<ParameterPlace> pointer_parameters(const Flow& flow) { return Search(flow).run(); }

} // namespace warplens::check
