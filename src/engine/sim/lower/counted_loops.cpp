#include "sim/lower/counted_loops.h"
#include <algorithm>
#include <span>

namespace warplens::sim {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Operand;

class Finder {
public:
  Finder(const ir::Module& module, const ir::Function& function) : module_(module), function_(function) {}

  std::span<const Instruction> of(ir::BlockId b) const {
    const ir::Block& block = function_.blocks[b.value];
    return {function_.instructions.data() + block.first, block.count};
  }
  // The only instruction of the block that writes the register, whatever its guard; null where there are several.
  const Instruction* only_write(ir::BlockId b, ir::RegisterId r) const {
    const Instruction* found = nullptr;
    for (const Instruction& i : of(b))
      if (writes(i, r)) {
        if (found != nullptr) return nullptr;
        found = &i;
      }
    return found;
  }
  const Instruction* last_write(ir::BlockId b, ir::RegisterId r) const {
    const std::span<const Instruction> all = of(b);
    for (std::size_t n = all.size(); n-- > 0;)
      if (writes(all[n], r)) return &all[n];
    return nullptr;
  }
  bool is(const Instruction* i, Opcode opcode) const {
    return i != nullptr && !i->guard.valid() && module_.form(*i).opcode == opcode;
  }
  // The register that the instruction computes from and a constant; not valid where it has others.
  ir::RegisterId with_constant(const Instruction& i) const {
    const auto sources = function_.sources(i);
    if (sources.size() != 2) return {};
    const auto is_register = [](const Operand& o) {
      return o.kind == Operand::Kind::reg && o.part == ir::Part::whole;
    };
    const auto is_constant = [](const Operand& o) { return o.kind == Operand::Kind::immediate; };
    if (is_register(sources[0]) && is_constant(sources[1])) return sources[0].reg;
    if (is_register(sources[1]) && is_constant(sources[0])) return sources[1].reg;
    return {};
  }
  bool is_constant(const Instruction& i) const {
    const auto sources = function_.sources(i);
    return sources.size() == 1 && sources[0].kind == Operand::Kind::immediate;
  }

private:
  bool writes(const Instruction& i, ir::RegisterId r) const {
    return std::ranges::any_of(function_.destinations(i), [&](const Operand& o) { return o.reg == r; });
  }

  const ir::Module& module_;
  const ir::Function& function_;
};

} // namespace

bool is_counted_loop(const ir::Module& module, const ir::Function& function, const ir::Cfg& cfg,
                     ir::BlockId b) {
  const std::vector<ir::BlockId>& from = cfg.predecessors[b.value];
  const ir::Block& block = function.blocks[b.value];
  if (from.size() != 2 || block.count == 0 || std::ranges::count(from, b) != 1 ||
      block.successors.size() != 2 || std::ranges::count(block.successors, b) != 1)
    return false;
  const Finder find(module, function);
  const Instruction& branch = find.of(b).back();
  // Nothing that lanes wait at: others could join them there in another round.
  auto waits = [&](const Instruction& i) {
    const ir::Family family = module.form(i).family();
    return family != ir::Family::compute && family != ir::Family::move && family != ir::Family::memory;
  };
  if (std::ranges::any_of(find.of(b).first(block.count - 1), waits)) return false;
  if (module.form(branch).opcode != Opcode::bra || !branch.guard.valid()) return false;
  const Instruction* asks = find.only_write(b, branch.guard);
  if (!find.is(asks, Opcode::setp) || function.destinations(*asks).size() != 1) return false;
  const ir::RegisterId counter = find.with_constant(*asks);
  if (!counter.valid()) return false;
  const Instruction* step = find.only_write(b, counter);
  const Instruction* start = find.last_write(from[0] == b ? from[1] : from[0], counter);
  return find.is(step, Opcode::add) && find.with_constant(*step) == counter && find.is(start, Opcode::mov) &&
         find.is_constant(*start);
}

} // namespace warplens::sim
