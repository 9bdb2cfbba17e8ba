// What is known of each value of a function: facts that instructions hand on from what they read to what they define. Facts only ever
// gain, so the passes over the instructions end.
//
// Values are those of single assignment: machine code keeps one after the other in a register. Where ways meet, and where a guard leaves
// lanes with what was there, a value has the facts of both.
#pragma once
#include "ir/ssa.h"
#include <utility>

namespace warplens::ir {

template <class Fact> class Values {
public:
  using Either = Fact (*)(const Fact&, const Fact&);
  // `either`: what is known of one value or the other; of Fact{} and another it is the other.
  Values(const Function& function, Either either)
      : function_(function), cfg_(analyse(function)), ssa_(single_assignment(function, cfg_)),
        either_(either), facts_(ssa_.values()) {}

  // The number of the register's value; no_value where the operand has none. Of an operand of the function.
  u32 number(const Operand& o) const { return ssa_.of_operand[place(o)]; }
  Fact of(const Operand& o) const { return of(number(o)); }
  Fact of_guard(const Instruction& i) const {
    return of(ssa_.of_guard[static_cast<std::size_t>(&i - function_.instructions.data())]);
  }

  // Calls step(instruction) for each that is reached until nothing is new; it says what it knows by define(). In reverse post-order,
  // so that what a loop adds to is known before what it adds.
  template <class F> void settle(F&& step) {
    do {
      gained_ = false;
      for (const BlockId id : cfg_.reverse_post_order) {
        for (const Phi& phi : ssa_.phis[id.value])
          for (u32 value : phi.incoming) gain(phi.value, of(value));
        const Block& block = function_.blocks[id.value];
        for (u32 n = 0; n < block.count; ++n) step(function_.instructions[block.first + n]);
      }
    } while (gained_);
  }
  void define(const Instruction& i, const Operand& destination, const Fact& fact) {
    gain(number(destination), fact);
    if (i.guard.valid()) gain(number(destination), of(ssa_.overwritten[place(destination)]));
  }

  // The values that each is made of: [values].
  std::vector<std::vector<u32>> inputs() const {
    std::vector<std::vector<u32>> out(ssa_.values());
    for (const std::vector<Phi>& block : ssa_.phis)
      for (const Phi& phi : block) out[phi.value] = phi.incoming;
    for (const Instruction& i : function_.instructions)
      for (const Operand& to : function_.destinations(i)) {
        if (number(to) == no_value) continue;
        for (const Operand& from : function_.sources(i)) out[number(to)].push_back(number(from));
        if (i.guard.valid()) out[number(to)].push_back(ssa_.overwritten[place(to)]);
      }
    return out;
  }
  // Is it computed anew whenever one of the others comes round a loop?
  template <class Set> bool changes_with_any(u32 value, const Set& others) const {
    for (const std::vector<Phi>& block : ssa_.phis)
      for (const Phi& phi : block)
        if (others.contains(phi.value) && ssa_.dominates(ssa_.block_of[phi.value], ssa_.block_of[value]))
          return true;
    return false;
  }
  Fact of(u32 value) const { return value == no_value ? Fact{} : facts_[value]; }

private:
  std::size_t place(const Operand& o) const {
    return static_cast<std::size_t>(&o - function_.operands.data());
  }
  void gain(u32 value, const Fact& fact) {
    if (value == no_value) return;
    Fact now = either_(facts_[value], fact);
    if (now == facts_[value]) return;
    facts_[value] = std::move(now);
    gained_ = true;
  }

  const Function& function_;
  Cfg cfg_;
  Ssa ssa_;
  Either either_;
  std::vector<Fact> facts_; // [values]
  bool gained_ = false;
};

} // namespace warplens::ir
