// A worklist, from what matters for counting back to what it is computed from. See relevance.h.
#include "fold/relevance.h"
#include <algorithm>

namespace warplens::fold {
namespace {

class Slice {
public:
  Slice(const ir::Module& module, const ir::Function& function)
      : module_(module), function_(function), relevant_(function.instructions.size()),
        wanted_(function.registers.size()), writers_(function.registers.size()) {}

  std::vector<bool> run() {
    for (u32 i = 0; i < function_.instructions.size(); ++i) {
      const ir::Instruction& instruction = function_.instructions[i];
      for (const ir::Operand& o : function_.destinations(instruction))
        if (o.kind == ir::Operand::Kind::reg) writers_[o.reg.value].push_back(i);
      seed(instruction);
    }
    while (!open_.empty()) {
      u32 reg = open_.back();
      open_.pop_back();
      for (u32 i : writers_[reg]) follow(i);
    }
    return std::move(relevant_);
  }

private:
  void want(ir::RegisterId reg) {
    if (!reg.valid() || wanted_[reg.value]) return;
    wanted_[reg.value] = true;
    open_.push_back(reg.value);
  }
  void want_sources(const ir::Instruction& i, std::size_t from) {
    std::span<const ir::Operand> sources = function_.sources(i);
    for (std::size_t s = from; s < sources.size(); ++s) want(sources[s].reg);
  }

  // What an instruction needs for its own sake.
  void seed(const ir::Instruction& i) {
    const ir::Form& form = module_.form(i);
    switch (form.family()) {
    case ir::Family::memory:
      want(i.guard);
      if (i.sources != 0) want(function_.sources(i)[0].reg);
      if (form.opcode == ir::Opcode::st && form.space() == ir::StateSpace::param)
        want_sources(i, 1);                                  // a call's
      if (form.opcode == ir::Opcode::cp) want_sources(i, 1); // where from, and how much
      break;
    case ir::Family::control:
      want(i.guard);
      if (form.opcode == ir::Opcode::brx || form.opcode == ir::Opcode::call) want_sources(i, 0);
      break;
    case ir::Family::barrier:
      want(i.guard);
      want_sources(i, 0);
      break;
    case ir::Family::texture:
      want(i.guard);
      want_sources(i, 0);
      break;
    case ir::Family::warp: // the value that is exchanged comes first
      want(i.guard);
      if (form.opcode == ir::Opcode::mma) break; // only values
      want_sources(i, form.opcode == ir::Opcode::elect ? 0 : 1);
      break;
    default: break;
    }
  }

  // What an instruction needs for its result.
  void follow(u32 index) {
    if (relevant_[index]) return;
    relevant_[index] = true;
    const ir::Instruction& i = function_.instructions[index];
    ir::Family family = module_.form(i).family();
    if (family == ir::Family::memory || family == ir::Family::control) return;
    want(i.guard);
    want_sources(i, 0);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  std::vector<bool> relevant_, wanted_;
  std::vector<std::vector<u32>> writers_; // [registers]: instructions
  std::vector<u32> open_;
};

} // namespace

std::vector<bool> relevant_instructions(const ir::Module& module, const ir::Function& function) {
  return Slice(module, function).run();
}

std::vector<bool> relevant_parameters(const ir::Module& module, const ir::Function& function) {
  std::vector<bool> relevant = relevant_instructions(module, function), out(function.parameters.size());
  auto mark = [&](const ir::Operand& operand) {
    auto found = std::find(function.parameters.begin(), function.parameters.end(), operand.variable);
    if (operand.variable.valid() && found != function.parameters.end())
      out[static_cast<std::size_t>(found - function.parameters.begin())] = true;
  };
  for (u32 i = 0; i < function.instructions.size(); ++i) {
    const ir::Instruction& instruction = function.instructions[i];
    const ir::Form& form = module.form(instruction);
    bool loads = form.family() == ir::Family::memory && form.opcode == ir::Opcode::ld &&
                 form.space() == ir::StateSpace::param && !function.sources(instruction)[0].reg.valid();
    if (loads && !relevant[i]) continue;
    for (const ir::Operand& operand : function.destinations(instruction)) mark(operand);
    for (const ir::Operand& operand : function.sources(instruction)) mark(operand);
  }
  return out;
}

} // namespace warplens::fold
