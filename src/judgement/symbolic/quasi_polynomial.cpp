// The normal form's arithmetic. Adding and multiplying are those of polynomials; whatever is not becomes a
// factor of its own, after the few simplifications that index arithmetic needs: quotients and remainders by a
// constant split into the part that the constant divides and a part known to be smaller, masks of low bits
// are remainders, shifts by constants are products and quotients, comparisons and wraps that the intervals
// decide disappear.
//
// Two guards keep every operation small: an expression never holds more than `most_terms` terms, and a
// coefficient that leaves 64 bits turns the operation into an opaque term.
#include "symbolic/quasi_polynomial.h"
#include <array>
#include <bit>
#include <iterator>

namespace warplens::symbolic {
namespace {

constexpr std::size_t most_terms = 64;
constexpr std::size_t highest_degree = 8;

// Adds factor·b to a; false when a coefficient leaves 64 bits.
bool accumulate(QuasiPolynomial& a, const QuasiPolynomial& b, i64 factor) {
  for (const auto& [monomial, coefficient] : b.terms) {
    i64 scaled = 0, sum = 0;
    if (__builtin_mul_overflow(coefficient, factor, &scaled)) return false;
    auto at = a.terms.try_emplace(monomial, 0).first;
    if (__builtin_add_overflow(at->second, scaled, &sum)) return false;
    at->second = sum;
    if (sum == 0) a.terms.erase(at);
  }
  return a.terms.size() <= most_terms;
}

Monomial merged(const Monomial& a, const Monomial& b) {
  Monomial out(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
  return out;
}

// The monomial without the factors of `part`; nothing when `part` does not divide it.
std::optional<Monomial> without(const Monomial& whole, const Monomial& part) {
  if (!std::includes(whole.begin(), whole.end(), part.begin(), part.end())) return {};
  Monomial out;
  std::set_difference(whole.begin(), whole.end(), part.begin(), part.end(), std::back_inserter(out));
  return out;
}

std::optional<Wide> decided(Op op, Interval a, Interval b) {
  switch (op) {
  case Op::less:
    return a.hi < b.lo ? std::optional<Wide>{1} : a.lo >= b.hi ? std::optional<Wide>{0} : std::nullopt;
  case Op::less_equal:
    return a.hi <= b.lo ? std::optional<Wide>{1} : a.lo > b.hi ? std::optional<Wide>{0} : std::nullopt;
  case Op::equal: return a.hi < b.lo || b.hi < a.lo ? std::optional<Wide>{0} : std::nullopt;
  case Op::not_equal: return a.hi < b.lo || b.hi < a.lo ? std::optional<Wide>{1} : std::nullopt;
  default: return {};
  }
}

Interval wrap_range(Wide bits, bool is_signed) {
  Wide modulus = Wide{1} << static_cast<u32>(bits);
  return is_signed ? Interval{-modulus / 2, modulus / 2 - 1} : Interval{0, modulus - 1};
}

// All ones up to the highest bit of the larger bound: no or, xor of the two can exceed it.
Wide covering_ones(Wide a, Wide b) {
  Wide ones = 1;
  while (ones < std::max(a, b) && ones < wide_limit) ones = ones * 2 + 1;
  return ones;
}

Interval quotient_range(Interval a, Interval b) {
  if (b.lo <= 0) { // the divisor may be 0 (value 0) or change sign
    Wide most = std::max(a.hi < 0 ? -a.hi : a.hi, a.lo < 0 ? -a.lo : a.lo);
    return {-most, most};
  }
  Wide p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

Interval remainder_range(Interval a, Interval b) {
  Wide most = std::max(b.hi < 0 ? -b.hi : b.hi, b.lo < 0 ? -b.lo : b.lo);
  most = most > 0 ? most - 1 : 0;
  return {a.lo >= 0 ? 0 : std::max(-most, a.lo), a.hi <= 0 ? 0 : std::min(most, a.hi)};
}

} // namespace

i64 QuasiPolynomial::constant() const {
  auto at = terms.find({});
  return at == terms.end() ? 0 : at->second;
}

FactorId Algebra::variable(const std::string& name, Interval range) {
  if (std::optional<FactorId> known = find(name)) return *known;
  factors_.push_back({name, {}, {}, range, {FactorId{factors_.size()}}});
  return FactorId{factors_.size() - 1};
}

std::optional<FactorId> Algebra::find(const std::string& name) const {
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (factors_[i].arguments.empty() && factors_[i].name == name) return FactorId{i};
  return {};
}

QuasiPolynomial Algebra::constant(i64 value) {
  QuasiPolynomial out;
  if (value != 0) out.terms[{}] = value;
  return out;
}

QuasiPolynomial Algebra::factor(FactorId id) {
  QuasiPolynomial out;
  out.terms[{id}] = 1;
  return out;
}

QuasiPolynomial Algebra::add(const QuasiPolynomial& a, const QuasiPolynomial& b) {
  QuasiPolynomial out = a;
  if (accumulate(out, b, 1)) return out;
  // Too large to keep apart: each side becomes one factor, and the sum of two factors always fits.
  out = term(Op::product, {a, constant(1)});
  accumulate(out, term(Op::product, {b, constant(1)}), 1);
  return out;
}

QuasiPolynomial Algebra::subtract(const QuasiPolynomial& a, const QuasiPolynomial& b) {
  QuasiPolynomial out = a;
  if (accumulate(out, b, -1)) return out;
  out = term(Op::product, {a, constant(1)});
  accumulate(out, term(Op::product, {b, constant(1)}), -1);
  return out;
}

QuasiPolynomial Algebra::multiply(const QuasiPolynomial& a, const QuasiPolynomial& b) {
  QuasiPolynomial out;
  for (const auto& [monomial, coefficient] : a.terms) {
    QuasiPolynomial row;
    for (const auto& [other, factor] : b.terms) {
      Monomial product = merged(monomial, other);
      if (product.size() > highest_degree) return term(Op::product, {a, b});
      row.terms[std::move(product)] = factor;
    }
    if (!accumulate(out, row, coefficient)) return term(Op::product, {a, b});
  }
  return out;
}

QuasiPolynomial Algebra::make(Op op, std::vector<QuasiPolynomial> arguments) {
  if (op == Op::product) return multiply(arguments[0], arguments[1]);
  bool all_constant = true;
  for (const QuasiPolynomial& argument : arguments) all_constant = all_constant && argument.is_constant();
  if (all_constant) {
    std::vector<Wide> values;
    for (const QuasiPolynomial& argument : arguments) values.push_back(argument.constant());
    Wide value = value_of(op, values);
    if (value == static_cast<i64>(value)) return constant(static_cast<i64>(value));
  }
  if (std::optional<QuasiPolynomial> simple = simplified(op, arguments)) return *simple;
  return term(op, std::move(arguments));
}

std::optional<QuasiPolynomial> Algebra::simplified(Op op, const std::vector<QuasiPolynomial>& arguments) {
  const QuasiPolynomial& a = arguments[0];
  const QuasiPolynomial& b = arguments[1];
  Interval left = range(a), right = range(b);
  bool small_count = b.is_constant() && b.constant() >= 0 && b.constant() < 63;
  switch (op) {
  case Op::quotient:
  case Op::remainder:
    return b.is_constant() && b.constant() > 0 ? divided(op, a, b.constant()) : std::nullopt;
  case Op::shift_left:
    return small_count ? std::optional{multiply(a, constant(i64{1} << b.constant()))} : std::nullopt;
  case Op::shift_right: // an arithmetic shift rounds down, a quotient towards zero: the same from 0 up
    return small_count && left.lo >= 0
               ? std::optional{make(Op::quotient, {a, constant(i64{1} << b.constant())})}
               : std::nullopt;
  case Op::bit_and: {
    bool low_bits = b.is_constant() && b.constant() >= 0 && b.constant() < (i64{1} << 62) &&
                    std::has_single_bit(static_cast<u64>(b.constant()) + 1);
    if (low_bits && left.lo >= 0) return make(Op::remainder, {a, constant(b.constant() + 1)});
    return {};
  }
  case Op::select: // the condition is decided, or both sides are the same
    if (left == point(0)) return arguments[2];
    if (!left.contains(0)) return b;
    return b == arguments[2] ? std::optional{b} : std::nullopt;
  case Op::minimum:
    return left.hi <= right.lo ? std::optional{a} : right.hi <= left.lo ? std::optional{b} : std::nullopt;
  case Op::maximum:
    return left.lo >= right.hi ? std::optional{a} : right.lo >= left.hi ? std::optional{b} : std::nullopt;
  case Op::wrap_signed:
  case Op::wrap_unsigned:
    return wrap_range(b.constant(), op == Op::wrap_signed).contains(left) ? std::optional{a} : std::nullopt;
  default: break;
  }
  std::optional<Wide> truth = decided(op, left, right);
  return truth ? std::optional{constant(static_cast<i64>(*truth))} : std::nullopt;
}

// a / d and a % d for a constant d: a = d·q + r term by term; where q ≥ 0 and 0 ≤ r < d, they are q and r.
std::optional<QuasiPolynomial> Algebra::divided(Op op, const QuasiPolynomial& a, i64 divisor) {
  QuasiPolynomial q, r;
  for (const auto& [monomial, coefficient] : a.terms) {
    i64 whole = coefficient / divisor, left = coefficient % divisor;
    bool split = monomial.empty(); // a constant gives its multiple of d to q and keeps the rest
    if (left != 0 && !split) whole = 0, left = coefficient;
    if (split && left < 0) left += divisor, --whole;
    if (whole != 0) q.terms[monomial] = whole;
    if (left != 0) r.terms[monomial] = left;
  }
  Interval rest = range(r);
  bool exact = r.terms.empty();
  bool small = rest.lo >= 0 && rest.hi < divisor && range(q).lo >= 0;
  if (!exact && !small) return {};
  return op == Op::quotient ? q : r;
}

QuasiPolynomial Algebra::term(Op op, std::vector<QuasiPolynomial> arguments) {
  for (std::size_t i = 0; i < factors_.size(); ++i)
    if (!factors_[i].arguments.empty() && factors_[i].op == op && factors_[i].arguments == arguments)
      return factor(FactorId{i});
  Interval range = range_of_term(op, arguments);
  std::vector<FactorId> variables;
  for (const QuasiPolynomial& argument : arguments)
    for (const auto& [monomial, coefficient] : argument.terms)
      for (FactorId id : monomial) {
        const std::vector<FactorId>& more = factors_[id.value].variables;
        variables.insert(variables.end(), more.begin(), more.end());
      }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  factors_.push_back({{}, op, std::move(arguments), range, std::move(variables)});
  return factor(FactorId{factors_.size() - 1});
}

Interval Algebra::range_of_term(Op op, const std::vector<QuasiPolynomial>& arguments) const {
  Interval a = range(arguments[0]), b = range(arguments[1]);
  bool natural = a.lo >= 0 && b.lo >= 0;
  switch (op) {
  case Op::quotient: return quotient_range(a, b);
  case Op::remainder: return remainder_range(a, b);
  case Op::bit_and:
    if (natural) return {0, std::min(a.hi, b.hi)};
    return a.lo >= 0 ? Interval{0, a.hi} : b.lo >= 0 ? Interval{0, b.hi} : everything;
  case Op::bit_or:
  case Op::bit_xor: return natural ? Interval{0, covering_ones(a.hi, b.hi)} : everything;
  case Op::shift_left: return everything;
  case Op::shift_right: return join(point(0), a);
  case Op::less:
  case Op::less_equal:
  case Op::equal:
  case Op::not_equal: return {0, 1};
  case Op::minimum: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  case Op::maximum: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  case Op::select: return join(b, range(arguments[2]));
  case Op::product: return a * b;
  case Op::wrap_signed: return wrap_range(arguments[1].constant(), true);
  case Op::wrap_unsigned: return wrap_range(arguments[1].constant(), false);
  }
  return everything;
}

Interval Algebra::range(const QuasiPolynomial& e) const {
  Interval sum = point(0);
  for (const auto& [monomial, coefficient] : e.terms) {
    Interval product = point(coefficient);
    for (FactorId id : monomial) product = product * factors_[id.value].range;
    sum = sum + product;
  }
  return sum;
}

bool Algebra::mentions(const QuasiPolynomial& e, FactorId variable) const {
  for (const auto& [monomial, coefficient] : e.terms)
    for (FactorId id : monomial) {
      const std::vector<FactorId>& variables = factors_[id.value].variables;
      if (std::binary_search(variables.begin(), variables.end(), variable)) return true;
    }
  return false;
}

std::optional<Algebra::Linear> Algebra::linear(const QuasiPolynomial& e, FactorId variable) const {
  Division split = divide_terms(e, factor(variable));
  if (mentions(split.quotient, variable) || mentions(split.rest, variable)) return {};
  return Linear{std::move(split.quotient), std::move(split.rest)};
}

Algebra::Division Algebra::divide_terms(const QuasiPolynomial& e, const QuasiPolynomial& divisor) {
  const auto& [part, by] = *divisor.terms.begin();
  Division out;
  for (const auto& [monomial, coefficient] : e.terms) {
    std::optional<Monomial> left = without(monomial, part);
    if (left && coefficient % by == 0)
      out.quotient.terms[*left] = coefficient / by;
    else
      out.rest.terms[monomial] = coefficient;
  }
  return out;
}

// A term's arguments are older than the term, so one pass in order of creation is enough.
void Algebra::complete(std::vector<Wide>& values) const {
  values.resize(factors_.size());
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const Factor& factor = factors_[i];
    if (factor.arguments.empty()) continue;
    std::vector<Wide> arguments;
    for (const QuasiPolynomial& argument : factor.arguments) arguments.push_back(evaluate(argument, values));
    values[i] = value_of(factor.op, arguments);
  }
}

// Modulo 2^128 throughout: intermediate products may leave the range, the sum is right whenever it fits.
Wide Algebra::evaluate(const QuasiPolynomial& e, std::span<const Wide> values) {
  Wide sum = 0;
  for (const auto& [monomial, coefficient] : e.terms) {
    Wide product = coefficient;
    for (FactorId id : monomial) product = value_of(Op::product, std::array{product, values[id.value]});
    sum += product;
  }
  return sum;
}

} // namespace warplens::symbolic
