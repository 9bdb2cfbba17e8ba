// See tidy.h.
#include "ir/tidy.h"
#include "ir/matrix.h"
#include "ir/ssa.h"
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace warplens::ir {

namespace {

class Sets { // that only ever join
public:
  explicit Sets(u32 count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
  u32 of(u32 n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void join(u32 a, u32 b) {
    if (a != no_value && b != no_value) parent_[of(a)] = of(b);
  }

private:
  std::vector<u32> parent_;
};

// A register for each set of values that flow together; the first keeps the register that they have.
void split_registers(const Module& module, Function& function) {
  const Ssa ssa = single_assignment(function, analyse(function));
  Sets sets(ssa.values());
  for (const std::vector<Phi>& phis : ssa.phis)
    for (const Phi& phi : phis)
      for (u32 incoming : phi.incoming) sets.join(phi.value, incoming);
  for (const Instruction& i : function.instructions) // which leave what was there, or add to it
    if (i.guard.valid() || multiplies_in_group(module.form(i)))
      for (u32 o = i.first_operand; o < i.first_operand + i.destinations; ++o)
        sets.join(ssa.of_operand[o], ssa.overwritten[o]);
  std::map<u32, RegisterId> registers; // by set
  std::vector<u32> parts(function.registers.size());
  auto rename = [&](RegisterId& r, u32 value) {
    if (value == no_value) return; // nothing was assigned
    auto [known, fresh] = registers.try_emplace(sets.of(value), r);
    if (fresh && parts[r.value]++ != 0) {
      known->second = RegisterId(static_cast<u32>(function.registers.size()));
      Register part = function.registers[r.value];
      part.name += fmt::format("_{}", parts[r.value]);
      function.registers.push_back(std::move(part));
    }
    r = known->second;
  };
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    Instruction& i = function.instructions[n];
    if (i.guard.valid()) rename(i.guard, ssa.of_guard[n]);
    for (u32 o = i.first_operand; o < i.first_operand + i.destinations + i.sources; ++o)
      if (function.operands[o].reg.valid()) rename(function.operands[o].reg, ssa.of_operand[o]);
  }
}

class Tidy {
public:
  Tidy(const Module& module, Function& function)
      : module_(module), function_(function), gone_(function.instructions.size()) {}

  void run() {
    count();
    for (const Block& block : function_.blocks) join_copies(block);
    drop_unread();
    compact();
  }

private:
  struct Use {
    u32 definitions = 0, reads = 0;
  };

  std::span<Operand> operands(const Instruction& i) {
    return {function_.operands.data() + i.first_operand, std::size_t{i.destinations} + i.sources};
  }
  static bool defines(const Operand& o, std::size_t n, const Instruction& i) {
    return n < i.destinations && o.kind == Operand::Kind::reg;
  }
  bool adds_to_destinations(const Instruction& i) const { return multiplies_in_group(module_.form(i)); }

  void count_one(const Instruction& i, u32 by) {
    if (i.guard.valid()) uses_[i.guard.value].reads += by;
    for (std::size_t n = 0; const Operand& o : operands(i)) {
      const bool is_defined = defines(o, n, i);
      if (o.reg.valid() && is_defined) uses_[o.reg.value].definitions += by;
      if (o.reg.valid() && (!is_defined || adds_to_destinations(i))) uses_[o.reg.value].reads += by;
      ++n;
    }
  }
  void count() {
    uses_.assign(function_.registers.size(), {});
    for (const Instruction& i : function_.instructions) count_one(i, 1);
  }
  void drop(u32 n) {
    gone_[n] = true;
    count_one(function_.instructions[n], ~0u); // one less
  }

  bool mentions(const Instruction& i, RegisterId r) {
    if (i.guard == r) return true;
    for (const Operand& o : operands(i))
      if (o.reg == r) return true;
    return false;
  }

  // r = …; …; d = r, where nothing else reads r, and nothing between mentions d: d = …
  void join_copies(const Block& block) {
    for (u32 n = block.first; n < block.first + block.count; ++n) {
      const Instruction& copy = function_.instructions[n];
      if (module_.form(copy).opcode != Opcode::mov || copy.guard.valid() || copy.destinations != 1 ||
          copy.sources != 1)
        continue;
      const Operand &to = operands(copy)[0], &from = operands(copy)[1];
      if (to.kind != Operand::Kind::reg || from.kind != Operand::Kind::reg || from.reg == to.reg) continue;
      if (uses_[from.reg.value].definitions != 1 || uses_[from.reg.value].reads != 1 ||
          bits(function_.registers[from.reg.value].type) != bits(function_.registers[to.reg.value].type))
        continue;
      for (u32 m = n; m-- > block.first;) {
        if (gone_[m]) continue;
        Instruction& i = function_.instructions[m];
        Operand* defined = nullptr;
        bool also = false; // it writes d, too
        for (std::size_t k = 0; k < i.destinations; ++k) {
          Operand& o = operands(i)[k];
          if (o.kind == Operand::Kind::reg && o.reg == from.reg) defined = &o;
          also |= o.kind == Operand::Kind::reg && o.reg == to.reg;
        }
        if (defined != nullptr) {
          if (i.guard.valid() || also || defined->part != Part::whole || adds_to_destinations(i)) break;
          const RegisterId target = to.reg, source = from.reg;
          drop(n);
          defined->reg = target;
          uses_[source.value] = {};
          ++uses_[target.value].definitions;
          break;
        }
        if (mentions(i, to.reg)) break;
      }
    }
  }

  bool removable(const Instruction& i) const {
    const Form& form = module_.form(i);
    for (const Operand& o : function_.sources(i)) // a kernel has the shared memory that it names
      if (o.variable.valid() && module_.variables[o.variable.value].space == StateSpace::shared) return false;
    const bool parameter = form.opcode == Opcode::ld && form.space() == StateSpace::param;
    return !i.site.valid() && i.destinations != 0 &&
           (form.family() == Family::compute || form.family() == Family::move || parameter);
  }

  // What reads nothing but itself is read by nobody, too: a counter's high word, where its sum is kept in one register.
  void drop_unread() {
    std::vector<std::vector<u32>> definitions(function_.registers.size()); // instructions, by register
    std::vector<bool> needed(function_.instructions.size());
    std::vector<u32> waiting;
    auto need = [&](u32 n) {
      if (!needed[n]) needed[n] = true, waiting.push_back(n);
    };
    for (u32 n = 0; n < function_.instructions.size(); ++n) {
      const Instruction& i = function_.instructions[n];
      if (gone_[n]) continue;
      bool kept = !removable(i);
      for (const Operand& o : function_.destinations(i)) {
        kept |= o.kind != Operand::Kind::reg || o.reg == function_.carry;
        if (o.kind == Operand::Kind::reg && o.reg.valid()) definitions[o.reg.value].push_back(n);
      }
      if (kept) need(n);
    }
    auto read = [&](RegisterId r) {
      if (!r.valid()) return;
      for (u32 n : definitions[r.value]) need(n);
      definitions[r.value].clear();
    };
    while (!waiting.empty()) {
      const Instruction& i = function_.instructions[waiting.back()];
      waiting.pop_back();
      read(i.guard);
      for (std::size_t n = 0; const Operand& o : operands(i)) {
        if (!defines(o, n, i) || adds_to_destinations(i)) read(o.reg);
        ++n;
      }
    }
    for (u32 n = 0; n < function_.instructions.size(); ++n) gone_[n] = gone_[n] || !needed[n];
  }

  // A block keeps its last instruction, which says where it ends.
  void compact() {
    std::vector<Instruction> kept;
    kept.reserve(function_.instructions.size());
    for (Block& block : function_.blocks) {
      const u32 first = static_cast<u32>(kept.size());
      for (u32 n = block.first; n < block.first + block.count; ++n)
        if (!gone_[n] || (n + 1 == block.first + block.count && kept.size() == first))
          kept.push_back(function_.instructions[n]);
      block.first = first;
      block.count = static_cast<u32>(kept.size()) - first;
    }
    function_.instructions = std::move(kept);
  }

  const Module& module_;
  Function& function_;
  std::vector<bool> gone_;
  std::vector<Use> uses_; // by register
};

} // namespace

void tidy(const Module& module, Function& function) {
  if (function.instructions.empty()) return;
  split_registers(module, function);
  Tidy(module, function).run();
}

} // namespace warplens::ir
