// Index expressions in a normal form, so that "how does the address move with threadIdx.x" is a question with
// an answer: a quasi-polynomial, the sum of integer multiples of products of factors. A factor is a variable
// (threadIdx.x, blockIdx.y, n …) or a term that no polynomial can say (a quotient, a remainder, a bit
// operation, a comparison …).
//
// An Algebra owns the factors of one analysis. Every variable has an interval of values, so `threadIdx.x %
// 32` in a block of 32 is just threadIdx.x, and `(32*i + threadIdx.x) / 32` just i. What cannot be simplified
// stays a term: the normal form always has exactly the value of what was built (tests evaluate both).
//
// What it does not do: it knows nothing about C types (its user says where a value wraps, by the term
// `wrap`), and it does not relate variables to each other beyond their intervals.
#pragma once
#include "base/types.h"
#include "symbolic/interval.h"
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warplens::symbolic {

using FactorId = Id<struct FactorTag>;
using Monomial = std::vector<FactorId>; // sorted, with repetition; empty: the constant term

struct QuasiPolynomial {
  std::map<Monomial, i64> terms; // no zero coefficients
  bool operator==(const QuasiPolynomial&) const = default;
  bool is_constant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
  i64 constant() const; // the constant term
};

// Terms that are not polynomial, over exact integers. `quotient` and `remainder` truncate as in C; dividing
// by zero and shifting by a negative count or by more than 63 have the value 0 (whoever evaluates C diagnoses
// them first). `wrap_signed` and `wrap_unsigned` take a value and a width in bits.
enum class Op : u8 {
  quotient,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  less,
  less_equal,
  equal,
  not_equal,
  minimum,
  maximum,
  select,
  product,
  wrap_signed,
  wrap_unsigned
};

// The value of one such term; select takes three arguments, the others two.
Wide value_of(Op op, std::span<const Wide> arguments);

class Algebra {
public:
  // The factor named `name`; asked again, the same one. Its values lie in `range`.
  FactorId variable(const std::string& name, Interval range);
  std::optional<FactorId> find(const std::string& name) const;

  static QuasiPolynomial constant(i64 value);
  static QuasiPolynomial factor(FactorId id);

  QuasiPolynomial add(const QuasiPolynomial& a, const QuasiPolynomial& b);
  QuasiPolynomial subtract(const QuasiPolynomial& a, const QuasiPolynomial& b);
  QuasiPolynomial multiply(const QuasiPolynomial& a, const QuasiPolynomial& b);
  // Any other operation; simplified where the intervals allow it.
  QuasiPolynomial make(Op op, std::vector<QuasiPolynomial> arguments);

  Interval range(const QuasiPolynomial& e) const;
  bool mentions(const QuasiPolynomial& e, FactorId variable) const;

  // e = rest + coefficient · variable with both free of `variable`; nothing when e is not of that form.
  struct Linear {
    QuasiPolynomial coefficient, rest;
  };
  std::optional<Linear> linear(const QuasiPolynomial& e, FactorId variable) const;

  // e = quotient · divisor + rest, monomial by monomial: every term that the one-term `divisor` divides goes
  // into the quotient. This is how a row length is found in row*n + column.
  struct Division {
    QuasiPolynomial quotient, rest;
  };
  static Division divide_terms(const QuasiPolynomial& e, const QuasiPolynomial& divisor);

  // The values of all factors, from those of the variables: values[i] belongs to factor i, and those of terms
  // are filled in. The input of evaluate().
  void complete(std::vector<Wide>& values) const;
  static Wide evaluate(const QuasiPolynomial& e, std::span<const Wide> values);
  std::size_t factors() const { return factors_.size(); }
  bool is_variable(FactorId id) const { return factors_[id.value].arguments.empty(); }
  const std::string& name(FactorId id) const { return factors_[id.value].name; }

  // As a person writes it: "threadIdx.y*n + 4*threadIdx.x + 1". Past `longest_text` characters it ends in
  // "…": terms inside terms can repeat each other more often than anyone wants to read.
  std::string text(const QuasiPolynomial& e) const;
  static constexpr std::size_t longest_text = 400;

private:
  struct Factor {
    std::string name;                       // of a variable
    Op op{};                                // of a term
    std::vector<QuasiPolynomial> arguments; // empty for a variable
    Interval range;
    std::vector<FactorId> variables; // that it depends on, itself included; sorted
  };
  QuasiPolynomial term(Op op, std::vector<QuasiPolynomial> arguments);
  std::optional<QuasiPolynomial> simplified(Op op, const std::vector<QuasiPolynomial>& arguments);
  std::optional<QuasiPolynomial> divided(Op op, const QuasiPolynomial& a, i64 divisor);
  Interval range_of_term(Op op, const std::vector<QuasiPolynomial>& arguments) const;
  void write(std::string& out, const QuasiPolynomial& e) const;
  void write(std::string& out, FactorId id) const;
  void write_operand(std::string& out, const QuasiPolynomial& e) const;

  std::vector<Factor> factors_;
};

} // namespace warplens::symbolic
