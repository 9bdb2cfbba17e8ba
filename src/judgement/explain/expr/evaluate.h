// The value of an expression for one thread, with C's rules for int, unsigned, long long and unsigned long
// long. What C leaves undefined is an error here; what it defines but nobody means (an unsigned value that
// wraps around) is remembered once.
#pragma once
#include "explain/expr/tree.h"
#include <optional>

namespace warplens::explain {

using Values = std::vector<Wide>; // of the variables, by VariableId

class Evaluator {
public:
  Evaluator(const Tree& tree, const Texts& texts) : tree_(tree), texts_(texts) {}
  Result<Wide> evaluate(NodeId root, const Values& values);
  // The first unsigned wrap-around seen so far.
  const std::optional<diag::Diagnostic>& wrapped() const { return wrapped_; }

private:
  using Value = Result<Wide>;
  Value node(NodeId id);
  Value binary(const Node& n);
  Value arithmetic(const Node& n, Wide a, Wide b);
  Value shift(const Node& n, Wide a, Wide b);
  Value fit(const Node& n, Wide value);
  diag::Diagnostic trouble(std::string kind, std::string message, const Node& n, std::string help) const;
  std::string thread() const;

  const Tree& tree_;
  const Texts& texts_;
  const Values* values_ = nullptr;
  std::optional<diag::Diagnostic> wrapped_;
};

// `value` as a value of that type, modulo 2^bits.
Wide converted(Wide value, Integer type);
std::string decimal(Wide value);

} // namespace warplens::explain
