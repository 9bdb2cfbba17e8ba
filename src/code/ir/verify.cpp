// The conventions of module.h, checked. Front ends run this before they hand a module over, so engines need
// not.
#include "ir/verify.h"
#include "ir/operands.h"
#include <fmt/format.h>

namespace warplens::ir {
namespace {

class Verifier {
public:
  explicit Verifier(const Module& module) : m_(module) {}

  std::vector<diag::Diagnostic> run() {
    needed_.reserve(m_.forms.size());
    for (const Form& form : m_.forms) needed_.push_back(needed_of(form));
    for (const Function& f : m_.functions) function(f);
    return std::move(problems_);
  }

private:
  void report(const Function& f, const Instruction& i, std::string what) {
    if (problems_.size() >= 20) return;
    problems_.push_back(
        diag::error("ir-invalid",
                    fmt::format("'{}' in function '{}': {}",
                                i.form.value < m_.forms.size() ? m_.form(i).text : "?", f.name, what),
                    {m_.name, i.ptx_line, 0, 0}));
  }

  void function(const Function& f) {
    if (!f.external && f.blocks.empty())
      problems_.push_back(diag::error("ir-invalid", fmt::format("function '{}' has no blocks", f.name),
                                      {m_.name, f.ptx_line, 0, 0}));
    for (const Instruction& i : f.instructions) instruction(f, i);
    for (const Block& b : f.blocks)
      for (BlockId s : b.successors)
        if (s.value >= f.blocks.size())
          problems_.push_back(diag::error("ir-invalid", fmt::format("a block of '{}' leads nowhere", f.name),
                                          {m_.name, f.ptx_line, 0, 0}));
  }

  void instruction(const Function& f, const Instruction& i) {
    if (i.form.value >= m_.forms.size()) return report(f, i, "it has no form");
    if (i.guard.valid() && i.guard.value >= f.registers.size())
      return report(f, i, "its guard is no register");
    if (u64{i.first_operand} + i.destinations + i.sources > f.operands.size())
      return report(f, i, "its operands are out of range");
    for (const Operand& o : f.destinations(i)) {
      if (o.kind == Operand::Kind::none || o.kind == Operand::Kind::variable) continue;
      if (o.kind != Operand::Kind::reg) return report(f, i, "a destination must be a register");
      if (o.reg.value >= f.registers.size()) return report(f, i, "a destination is out of range");
    }
    for (const Operand& o : f.sources(i)) operand(f, i, o);
    if (i.site.valid() && i.site.value >= m_.sites.size()) report(f, i, "its site is out of range");
    counts(f, i);
  }

  void operand(const Function& f, const Instruction& i, const Operand& o) {
    if (o.reg.valid() && o.reg.value >= f.registers.size()) report(f, i, "a register is out of range");
    if (o.variable.valid() && o.variable.value >= m_.variables.size())
      report(f, i, "a variable is out of range");
    if (o.function.valid() && o.function.value >= m_.functions.size())
      report(f, i, "a function is out of range");
    if (o.kind == Operand::Kind::label && o.block.value >= f.blocks.size())
      report(f, i, "a label is out of range");
  }

  struct Needed {
    u32 destinations = 0, sources = 0;
  };

  static Needed needed_of(const Form& form) {
    if (form.opcode == Opcode::call || form.family() == Family::unsupported) return {};
    Needed out{sets_carry(form) ? 1u : 0u, 0};
    for (OperandRule rule : operands(form))
      if (!rule.optional) (rule.destination() ? out.destinations : out.sources) += least_count(rule, form);
    return out;
  }

  // At least as many operands as the form's rules ask for; optional ones may come on top.
  void counts(const Function& f, const Instruction& i) {
    const auto [destinations, sources] = needed_[i.form.value];
    if (i.sources < sources)
      return report(f, i, fmt::format("it has {} sources and needs {}", i.sources, sources));
    if (i.destinations < destinations)
      return report(f, i, fmt::format("it has {} destinations and needs {}", i.destinations, destinations));
  }

  const Module& m_;
  std::vector<Needed> needed_; // [forms]
  std::vector<diag::Diagnostic> problems_;
};

} // namespace

std::vector<diag::Diagnostic> verify(const Module& module) { return Verifier(module).run(); }

} // namespace warplens::ir
