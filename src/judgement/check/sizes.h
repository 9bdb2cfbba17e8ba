// How large an integer of a function can be, in the sizes that a launch decides: a sum of products such as n*m - 1.
//
//   row*n + col, where row < m and col < n     m*n - 1
//   (first + i)*2, of all threads' i           2*first + 2*gridDim.x*blockDim.x - 2
//
// Bounds come from what a value is computed from and from the comparisons that lead to a block. Everything is taken for
// not negative. A value without a bound (a loop without a comparison, a call) has none here, so that nothing is said of it.
#pragma once
#include "check/analysis.h"
#include "check/expressions.h"
#include "ir/added_operands.h"

namespace warplens::check {

// What a launch decides, or memory holds.
struct Size {
  enum class Kind : u8 { parameter, loaded, block_size, thread, blocks, threads } kind{};
  u32 a = 0, b = 0; // a parameter's number and byte, a load's instruction, an axis
  auto operator<=>(const Size&) const = default;
};
using Product = std::vector<Size>; // sorted; empty: 1
using Bound = std::map<Product, double>;

class Sizes {
public:
  Sizes(const Flow&, const Launches&);

  // Bounds hold where the block is executed.
  void at(u32 block);
  std::optional<Bound> upper(u32 operand);      // of an operand of the function
  std::optional<Bound> computed(u32 ssa_value); // by what it is computed from, not by comparisons with itself
  std::optional<Size> exactly(u32 operand);     // the size that it is, no smaller number
  std::optional<i64> of_first_thread(u32 operand); // in thread 0 of block 0, where that needs no parameter

  const ir::Phi* phi(u32 ssa_value) const;
  u32 source(const ir::Instruction& i, u32 n) const { return i.first_operand + i.destinations + n; }
  const Flow& flow;

private:
  struct Fact { // value ≤ operand + more
    u32 value, operand;
    double more;
  };
  using Facts = std::vector<Fact>;
  Facts facts_at(u32 block) const;
  void add_edge(u32 from, u32 to, Facts&) const;
  void add(u32 predicate, bool holds, Facts&, u32 depth = 0) const;
  void add_less(u32 less, u32 than, double more, Facts&) const;
  void add_most(u32 value, u32 operand, double more, Facts&) const;
  std::optional<Bound> from(const Facts&, u32 value);
  std::optional<Bound> of_value(u32 value);
  std::optional<Bound> of_phi(u32 value);
  std::optional<Bound> of_instruction(const ir::Instruction&);
  std::optional<Bound> of_sum(const ir::Instruction&, std::span<const ir::Summand>);
  bool is_below_bits_of(const ir::Instruction&);
  std::optional<Bound> of_special(ir::Special) const;
  std::optional<Bound> of_parameter(const ir::Instruction&, u32 result) const;

  const Launches& launches_;
  std::vector<const ir::Phi*> phis_;
  Facts facts_;
  std::map<u32, std::optional<Bound>> known_;
  u32 steps_ = 0;
};

double most(const Size&); // that CUDA has
// The bound with every size as large as it can be, up to `value`.
double largest(const Bound&, double value);
// Of two numbers the larger, where it is clear which.
std::optional<Bound> larger(const std::optional<Bound>&, const std::optional<Bound>&);
Bound sum(const Bound&, const Bound&, double factor = 1);
Bound product(const Bound&, const Bound&);
Bound quotient(const Bound&, const Size&);

} // namespace warplens::check
