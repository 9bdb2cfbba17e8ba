// C's integer arithmetic as quasi-polynomials. Where the intervals of the variables show that a value fits
// its type, nothing is wrapped and index arithmetic stays a polynomial; elsewhere a `wrap` term keeps the
// result exact. Sums and products are taken modulo 2^bits only where they are used, so i*n - n*i + 1 is 1
// whatever i is.
#include "explain/expr/normal_form.h"
#include "explain/expr/parser.h"

namespace warplens::explain {

using symbolic::Algebra;
using symbolic::Op;
using symbolic::QuasiPolynomial;

NormalForm::NormalForm(const Tree& tree, const std::vector<symbolic::Interval>& ranges) : tree_(tree) {
  for (std::size_t i = 0; i < tree.variables.size(); ++i)
    algebra_.variable(tree.variables[i].name, ranges[i]);
}

QuasiPolynomial NormalForm::wrap(const QuasiPolynomial& e, u32 width, bool to_signed) {
  return algebra_.make(to_signed ? Op::wrap_signed : Op::wrap_unsigned, {e, Algebra::constant(width)});
}

QuasiPolynomial NormalForm::of(NodeId root) { return value(root, tree_[root].type); }

// The node's value in its own type, then converted to `type`.
QuasiPolynomial NormalForm::value(NodeId id, Integer type) {
  Integer own = tree_[id].type;
  QuasiPolynomial out = wrap(loose(id), bits(own), is_signed(own));
  return own == type ? out : wrap(out, bits(type), is_signed(type));
}

QuasiPolynomial NormalForm::operand(const Node& n, u32 i, Integer type) {
  const Node& child = tree_[n.operands[i]];
  return child.type == type ? loose(n.operands[i]) : value(n.operands[i], type);
}

QuasiPolynomial NormalForm::truth(NodeId id) {
  return algebra_.make(Op::not_equal, {value(id, tree_[id].type), Algebra::constant(0)});
}

QuasiPolynomial NormalForm::loose(NodeId id) {
  const Node& n = tree_[id];
  switch (n.kind) {
  case NodeKind::number:
    if (n.value == static_cast<i64>(n.value)) return Algebra::constant(static_cast<i64>(n.value));
    return Algebra::constant(static_cast<i64>(n.value - (Wide{1} << 64))); // the same modulo 2^64
  case NodeKind::variable: return Algebra::factor(symbolic::FactorId{n.variable.value});
  case NodeKind::negate: return algebra_.subtract({}, loose(n.operands[0]));
  case NodeKind::complement: return algebra_.subtract(Algebra::constant(-1), loose(n.operands[0]));
  case NodeKind::logical_not:
    return algebra_.make(Op::equal, {value(n.operands[0], tree_[n.operands[0]].type), Algebra::constant(0)});
  case NodeKind::cast: {
    QuasiPolynomial inner = value(n.operands[0], tree_[n.operands[0]].type);
    return n.narrow != 0 ? wrap(inner, n.narrow, !n.narrow_unsigned)
                         : wrap(inner, bits(n.type), is_signed(n.type));
  }
  case NodeKind::minimum:
    return algebra_.make(Op::minimum, {value(n.operands[0], n.type), value(n.operands[1], n.type)});
  case NodeKind::maximum:
    return algebra_.make(Op::maximum, {value(n.operands[0], n.type), value(n.operands[1], n.type)});
  case NodeKind::absolute: {
    QuasiPolynomial a = value(n.operands[0], n.type);
    return algebra_.make(Op::maximum, {a, algebra_.subtract({}, a)});
  }
  case NodeKind::conditional:
    return algebra_.make(Op::select,
                         {truth(n.operands[0]), value(n.operands[1], n.type), value(n.operands[2], n.type)});
  case NodeKind::binary: return binary(n);
  }
  return {};
}

QuasiPolynomial NormalForm::binary(const Node& n) {
  if (n.op == Binary::logical_and)
    return algebra_.make(Op::select, {truth(n.operands[0]), truth(n.operands[1]), {}});
  if (n.op == Binary::logical_or)
    return algebra_.make(Op::select, {truth(n.operands[0]), Algebra::constant(1), truth(n.operands[1])});
  Integer type = common(tree_[n.operands[0]].type, tree_[n.operands[1]].type);
  // Terms are numbered as they are met, and written in that order: from left to right, whatever a compiler does with arguments.
  if (n.op == Binary::add || n.op == Binary::subtract || n.op == Binary::multiply) {
    const QuasiPolynomial a = operand(n, 0, type), b = operand(n, 1, type);
    return n.op == Binary::add        ? algebra_.add(a, b)
           : n.op == Binary::subtract ? algebra_.subtract(a, b)
                                      : algebra_.multiply(a, b);
  }
  if (n.op == Binary::shift_left || n.op == Binary::shift_right) {
    Integer count = tree_[n.operands[1]].type;
    return algebra_.make(n.op == Binary::shift_left ? Op::shift_left : Op::shift_right,
                         {value(n.operands[0], n.type), value(n.operands[1], count)});
  }
  QuasiPolynomial a = value(n.operands[0], type), b = value(n.operands[1], type);
  switch (n.op) {
  case Binary::divide: return algebra_.make(Op::quotient, {a, b});
  case Binary::remainder: return algebra_.make(Op::remainder, {a, b});
  case Binary::bit_and: return algebra_.make(Op::bit_and, {a, b});
  case Binary::bit_xor: return algebra_.make(Op::bit_xor, {a, b});
  case Binary::bit_or: return algebra_.make(Op::bit_or, {a, b});
  default: return comparison(n.op, std::move(a), std::move(b));
  }
}

QuasiPolynomial NormalForm::comparison(Binary op, QuasiPolynomial a, QuasiPolynomial b) {
  if (op == Binary::greater || op == Binary::greater_equal) {
    std::swap(a, b);
    op = op == Binary::greater ? Binary::less : Binary::less_equal;
  }
  Op as = Op::not_equal;
  if (op == Binary::less) as = Op::less;
  if (op == Binary::less_equal) as = Op::less_equal;
  if (op == Binary::equal) as = Op::equal;
  return algebra_.make(as, {std::move(a), std::move(b)});
}

} // namespace warplens::explain
