// An expression as a quasi-polynomial of the variables (symbolic/quasi_polynomial.h), with C's wrap-around
// where the intervals of the variables do not exclude it. Its value is that of evaluate.h wherever that has
// one.
#pragma once
#include "explain/expr/tree.h"
#include "symbolic/quasi_polynomial.h"

namespace warplens::explain {

class NormalForm {
public:
  // `ranges`: the values each variable can take, by VariableId. Factor i of the algebra is variable i.
  NormalForm(const Tree& tree, const std::vector<symbolic::Interval>& ranges);
  symbolic::QuasiPolynomial of(NodeId root);
  symbolic::Algebra& algebra() { return algebra_; }

private:
  // Sums and products of one type are exact modulo 2^bits without wrapping every step: only what is used as a
  // value is brought into range.
  symbolic::QuasiPolynomial loose(NodeId id);
  symbolic::QuasiPolynomial value(NodeId id, Integer type);
  symbolic::QuasiPolynomial operand(const Node& n, u32 i, Integer type);
  symbolic::QuasiPolynomial binary(const Node& n);
  symbolic::QuasiPolynomial comparison(Binary op, symbolic::QuasiPolynomial a, symbolic::QuasiPolynomial b);
  symbolic::QuasiPolynomial truth(NodeId id);
  symbolic::QuasiPolynomial wrap(const symbolic::QuasiPolynomial& e, u32 width, bool to_signed);

  const Tree& tree_;
  symbolic::Algebra algebra_;
};

} // namespace warplens::explain
