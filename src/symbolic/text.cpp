#include "symbolic/quasi_polynomial.h"
#include <array>
#include <fmt/format.h>

namespace warplens::symbolic {
namespace {

std::string_view symbol(Op op) {
  static constexpr std::array<std::string_view, 11> infix = {"/",  "%", "&",  "|",  "^", "<<",
                                                             ">>", "<", "<=", "==", "!="};
  return static_cast<u8>(op) < infix.size() ? infix[static_cast<u8>(op)] : "";
}

} // namespace

std::string Algebra::text_of(FactorId id) const {
  const Factor& factor = factors_[id.value];
  if (factor.arguments.empty()) return factor.name;
  const auto operand = [&](std::size_t i) {
    const QuasiPolynomial& e = factor.arguments[i];
    bool simple = e.is_constant() ||
                  (e.terms.size() == 1 && e.terms.begin()->second == 1 && e.terms.begin()->first.size() == 1);
    return simple ? text(e) : "(" + text(e) + ")";
  };
  switch (factor.op) {
  case Op::minimum: return fmt::format("min({}, {})", text(factor.arguments[0]), text(factor.arguments[1]));
  case Op::maximum: return fmt::format("max({}, {})", text(factor.arguments[0]), text(factor.arguments[1]));
  case Op::select: return fmt::format("({} ? {} : {})", operand(0), operand(1), operand(2));
  case Op::product: return fmt::format("({})*({})", text(factor.arguments[0]), text(factor.arguments[1]));
  case Op::wrap_signed: return fmt::format("int{}({})", text(factor.arguments[1]), text(factor.arguments[0]));
  case Op::wrap_unsigned:
    return fmt::format("uint{}({})", text(factor.arguments[1]), text(factor.arguments[0]));
  default: return fmt::format("({} {} {})", operand(0), symbol(factor.op), operand(1));
  }
}

std::string Algebra::text(const QuasiPolynomial& e) const {
  if (e.terms.empty()) return "0";
  std::string out;
  const auto put = [&](const Monomial& monomial, i64 coefficient) {
    if (!out.empty())
      out += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      out += "-";
    u64 size = coefficient < 0 ? u64{0} - static_cast<u64>(coefficient) : static_cast<u64>(coefficient);
    std::string product;
    for (FactorId id : monomial) product += (product.empty() ? "" : "*") + text_of(id);
    if (monomial.empty())
      out += fmt::format("{}", size);
    else
      out += size == 1 ? product : fmt::format("{}*{}", size, product);
  };
  for (auto at = e.terms.rbegin(); at != e.terms.rend(); ++at) // threadIdx.x is the oldest variable: it comes last
    if (!at->first.empty()) put(at->first, at->second);
  if (e.constant() != 0) put({}, e.constant());
  return out;
}

} // namespace warplens::symbolic
