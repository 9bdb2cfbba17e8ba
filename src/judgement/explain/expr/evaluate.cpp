// Evaluation by walking the tree, in 128-bit integers, so that every intermediate value of a 64-bit type is
// exact and compared with what the type can hold afterwards: undefined behaviour and wrap-around are seen,
// not suffered.
// && and ||, and ?: evaluate only the side that C would.
#include "explain/expr/evaluate.h"
#include "explain/expr/parser.h"
#include "symbolic/quasi_polynomial.h"
#include <fmt/format.h>

namespace warplens::explain {
namespace {

std::string_view name(Integer type) {
  switch (type) {
  case Integer::i32: return "int";
  case Integer::u32: return "unsigned";
  case Integer::i64: return "long long";
  case Integer::u64: return "unsigned long long";
  }
  return "";
}

Wide reduced(Wide value, u32 width, bool to_signed) {
  return symbolic::value_of(to_signed ? symbolic::Op::wrap_signed : symbolic::Op::wrap_unsigned,
                            std::array<Wide, 2>{value, width});
}

} // namespace

Wide converted(Wide value, Integer type) { return reduced(value, bits(type), is_signed(type)); }

std::string decimal(Wide value) {
  if (value == 0) return "0";
  bool negative = value < 0;
  std::string out;
  for (; value != 0; value /= 10)
    out.insert(out.begin(), static_cast<char>('0' + static_cast<int>(negative ? -(value % 10) : value % 10)));
  return negative ? "-" + out : out;
}

std::string Evaluator::thread() const {
  return fmt::format("thread ({}, {}, {})", decimal((*values_)[0]), decimal((*values_)[1]),
                     decimal((*values_)[2]));
}

diag::Diagnostic Evaluator::trouble(std::string kind, std::string message, const Node& n,
                                    std::string help) const {
  diag::Diagnostic out = texts_.error(std::move(kind), std::move(message), n.place, std::move(help));
  out.notes.push_back("it happens in " + thread());
  return out;
}

Result<Wide> Evaluator::evaluate(NodeId root, const Values& values) {
  values_ = &values;
  return node(root);
}

// A value that its type cannot hold: an error for a signed type, one warning for an unsigned one.
Evaluator::Value Evaluator::fit(const Node& n, Wide value) {
  Wide kept = converted(value, n.type);
  if (kept == value) return value;
  std::string text(texts_.cut(n.place));
  if (is_signed(n.type))
    return failure(
        trouble("explain-overflow",
                fmt::format("'{}' overflows {}: it would be {}", text, name(n.type), decimal(value)), n,
                bits(n.type) == 32 ? "compute it in 64 bits: put (size_t) before the first operand" : ""));
  if (!wrapped_) {
    wrapped_ = trouble(
        "explain-wrap",
        fmt::format("'{}' is unsigned and wraps around from {} to {}", text, decimal(value), decimal(kept)),
        n, "threadIdx and blockIdx are unsigned; write (int)threadIdx.x where a value may be negative");
    wrapped_->severity = diag::Severity::warning;
  }
  return kept;
}

Evaluator::Value Evaluator::node(NodeId id) {
  const Node& n = tree_[id];
  if (n.kind == NodeKind::number) return n.value;
  if (n.kind == NodeKind::variable) return (*values_)[n.variable.value];
  if (n.kind == NodeKind::binary) return binary(n);
  Value a = node(n.operands[0]);
  if (!a) return a;
  switch (n.kind) {
  case NodeKind::negate: return *a == 0 ? a : is_signed(n.type) ? fit(n, -*a) : Value{converted(-*a, n.type)};
  case NodeKind::complement: return converted(~*a, n.type);
  case NodeKind::logical_not: return *a == 0;
  case NodeKind::cast:
    return n.narrow != 0 ? reduced(*a, n.narrow, !n.narrow_unsigned) : converted(*a, n.type);
  case NodeKind::absolute: return is_signed(n.type) && *a < 0 ? fit(n, -*a) : a;
  case NodeKind::conditional:
    a = node(n.operands[*a != 0 ? 1 : 2]);
    return a ? Value{converted(*a, n.type)} : a;
  default: break;
  }
  Value b = node(n.operands[1]);
  if (!b) return b;
  Wide left = converted(*a, n.type), right = converted(*b, n.type);
  return n.kind == NodeKind::minimum ? std::min(left, right) : std::max(left, right);
}

Evaluator::Value Evaluator::binary(const Node& n) {
  Value a = node(n.operands[0]);
  if (!a) return a;
  if (n.op == Binary::logical_and && *a == 0) return 0;
  if (n.op == Binary::logical_or && *a != 0) return 1;
  Value b = node(n.operands[1]);
  if (!b) return b;
  if (n.op >= Binary::logical_and) return *b != 0;
  if (n.op == Binary::shift_left || n.op == Binary::shift_right) return shift(n, *a, *b);
  Integer type = common(tree_[n.operands[0]].type, tree_[n.operands[1]].type);
  return arithmetic(n, converted(*a, type), converted(*b, type));
}

Evaluator::Value Evaluator::shift(const Node& n, Wide a, Wide b) {
  if (b < 0 || b >= bits(n.type))
    return failure(trouble("explain-shift",
                           fmt::format("'{}' shifts by {}, which {} has no bits for", texts_.cut(n.place),
                                       decimal(b), name(n.type)),
                           n, ""));
  if (n.op == Binary::shift_right) return a >> static_cast<u32>(b);
  return fit(n, a * (Wide{1} << static_cast<u32>(b)));
}

Evaluator::Value Evaluator::arithmetic(const Node& n, Wide a, Wide b) {
  switch (n.op) {
  case Binary::multiply: {
    Wide product = 0; // of two 64-bit unsigned values it may not even fit in 127 bits
    if (__builtin_mul_overflow(a, b, &product))
      return converted(symbolic::value_of(symbolic::Op::product, std::array{a, b}), n.type);
    return fit(n, product);
  }
  case Binary::divide:
  case Binary::remainder:
    if (b == 0)
      return failure(trouble("explain-division-by-zero",
                             fmt::format("'{}' divides by zero", texts_.cut(n.place)), n,
                             "check the parameters given with --set, and the block's and grid's shape"));
    return n.op == Binary::divide ? fit(n, a / b) : Value{a % b};
  case Binary::add: return fit(n, a + b);
  case Binary::subtract: return fit(n, a - b);
  case Binary::less: return a < b;
  case Binary::greater: return a > b;
  case Binary::less_equal: return a <= b;
  case Binary::greater_equal: return a >= b;
  case Binary::equal: return a == b;
  case Binary::not_equal: return a != b;
  case Binary::bit_and: return a & b;
  case Binary::bit_xor: return a ^ b;
  case Binary::bit_or: return a | b;
  default: return 0;
  }
}

} // namespace warplens::explain
