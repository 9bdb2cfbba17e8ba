// Expressions as C writes them: operators where C has them, calls where it has none. What grows too long is cut.
#include "symbolic/quasi_polynomial.h"
#include <fmt/format.h>

namespace warplens::symbolic {
namespace {

std::string_view symbol(Op op) {
  switch (op) {
  case Op::quotient: return "/";
  case Op::remainder: return "%";
  case Op::bit_and: return "&";
  case Op::bit_or: return "|";
  case Op::bit_xor: return "^";
  case Op::shift_left: return "<<";
  case Op::shift_right: return ">>";
  case Op::less: return "<";
  case Op::less_equal: return "<=";
  case Op::equal: return "==";
  case Op::not_equal: return "!=";
  case Op::minimum: // the others are written as calls
  case Op::maximum:
  case Op::select:
  case Op::product:
  case Op::wrap_signed:
  case Op::wrap_unsigned: return "";
  }
  return "";
}

} // namespace

void Algebra::write_operand(std::string& out, const QuasiPolynomial& e) const {
  bool simple = e.is_constant() ||
                (e.terms.size() == 1 && e.terms.begin()->second == 1 && e.terms.begin()->first.size() == 1);
  if (!simple) out += '(';
  write(out, e);
  if (!simple) out += ')';
}

void Algebra::write(std::string& out, FactorId id) const {
  const Factor& factor = factors_[id.value];
  if (out.size() > longest_text) return;
  if (factor.arguments.empty()) {
    out += factor.name;
    return;
  }
  const auto call = [&](std::string_view name, std::size_t arguments) {
    out += name;
    out += '(';
    for (std::size_t i = 0; i < arguments; ++i) {
      if (i > 0) out += ", ";
      write(out, factor.arguments[i]);
    }
    out += ')';
  };
  switch (factor.op) {
  case Op::minimum: return call("min", 2);
  case Op::maximum: return call("max", 2);
  case Op::wrap_signed: return call(fmt::format("int{}", factor.arguments[1].constant()), 1);
  case Op::wrap_unsigned: return call(fmt::format("uint{}", factor.arguments[1].constant()), 1);
  default: break;
  }
  std::string_view first = factor.op == Op::select ? "?" : factor.op == Op::product ? "*" : symbol(factor.op);
  out += '(';
  for (std::size_t i = 0; i < factor.arguments.size(); ++i) {
    if (i > 0) out += fmt::format(" {} ", i == 1 ? first : ":");
    write_operand(out, factor.arguments[i]);
  }
  out += ')';
}

void Algebra::write(std::string& out, const QuasiPolynomial& e) const {
  bool first = true;
  const auto put = [&](const Monomial& monomial, i64 coefficient) {
    if (out.size() > longest_text) return;
    if (!first)
      out += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      out += '-';
    first = false;
    u64 size = coefficient < 0 ? u64{0} - static_cast<u64>(coefficient) : static_cast<u64>(coefficient);
    if (monomial.empty() || size != 1) out += fmt::format("{}{}", size, monomial.empty() ? "" : "*");
    for (std::size_t i = 0; i < monomial.size(); ++i) {
      if (i > 0) out += '*';
      write(out, monomial[i]);
    }
  };
  for (auto at = e.terms.rbegin(); at != e.terms.rend();
       ++at) // threadIdx.x is the oldest variable: it comes last
    if (!at->first.empty()) put(at->first, at->second);
  if (e.constant() != 0 || e.terms.empty()) put({}, e.constant());
}

std::string Algebra::text(const QuasiPolynomial& e) const {
  std::string out;
  write(out, e);
  if (out.size() > longest_text) {
    out.resize(longest_text);
    out += "…";
  }
  return out;
}

} // namespace warplens::symbolic
