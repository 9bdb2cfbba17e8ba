// The algebra: the forms it must find, and random expressions whose normal form must have their value.
#include "symbolic/quasi_polynomial.h"
#include <gtest/gtest.h>
#include <random>

namespace warplens::symbolic {
namespace {

struct Vars {
  Algebra algebra;
  QuasiPolynomial x = Algebra::factor(algebra.variable("threadIdx.x", {0, 31}));
  QuasiPolynomial y = Algebra::factor(algebra.variable("threadIdx.y", {0, 7}));
  QuasiPolynomial n = Algebra::factor(algebra.variable("n", {1, 1000}));
  QuasiPolynomial number(i64 value) const { return Algebra::constant(value); }
};

TEST(QuasiPolynomial, SplitsOffThreadIdx) {
  Vars v;
  QuasiPolynomial e = v.algebra.add(v.algebra.multiply(v.y, v.n), v.algebra.multiply(v.x, v.number(4)));
  auto split = v.algebra.linear(e, FactorId{0u});
  ASSERT_TRUE(split);
  EXPECT_EQ(v.algebra.text(split->rest), "threadIdx.y*n");
  EXPECT_EQ(v.algebra.text(split->coefficient), "4");
}

TEST(QuasiPolynomial, ProductsOfThreadIdxAreNotLinear) {
  Vars v;
  EXPECT_FALSE(v.algebra.linear(v.algebra.multiply(v.x, v.x), FactorId{0u}));
  EXPECT_FALSE(v.algebra.linear(v.algebra.make(Op::remainder, {v.x, v.number(7)}), FactorId{0u}));
}

TEST(QuasiPolynomial, RemaindersAndQuotientsSimplifyWhereTheIntervalsAllow) {
  Vars v;
  Algebra& a = v.algebra;
  EXPECT_EQ(a.text(a.make(Op::remainder, {v.x, v.number(32)})), "threadIdx.x");
  EXPECT_EQ(a.text(a.make(Op::quotient, {v.x, v.number(32)})), "0");
  QuasiPolynomial e = a.add(a.multiply(v.n, v.number(32)), v.x);
  EXPECT_EQ(a.text(a.make(Op::quotient, {e, v.number(32)})), "n");
  EXPECT_EQ(a.text(a.make(Op::bit_and, {e, v.number(31)})), "threadIdx.x");
  EXPECT_EQ(a.text(a.make(Op::remainder, {v.x, v.number(31)})), "(threadIdx.x % 31)");
}

TEST(QuasiPolynomial, DividesTermByTerm) {
  Vars v;
  Algebra& a = v.algebra;
  QuasiPolynomial e = a.add(a.add(a.multiply(v.x, v.n), v.y), v.number(3));
  Algebra::Division split = Algebra::divide_terms(e, v.n);
  EXPECT_EQ(a.text(split.quotient), "threadIdx.x");
  EXPECT_EQ(a.text(split.rest), "threadIdx.y + 3");
}

TEST(QuasiPolynomial, CoefficientsThatLeave64BitsBecomeTerms) {
  Vars v;
  Algebra& a = v.algebra;
  QuasiPolynomial large = a.multiply(v.x, v.number(i64{1} << 62));
  QuasiPolynomial e = a.multiply(large, v.number(8));
  std::vector<Wide> values{3, 0, 0};
  a.complete(values);
  EXPECT_TRUE(Algebra::evaluate(e, values) == (Wide{3} << 65));
}

// Random expressions, built twice: as a normal form, and as plain values. The normal form has the value, and
// its range contains it.
class Pair {
public:
  explicit Pair(u64 seed) : random_(seed) {}

  void check() {
    Vars v;
    std::vector<Wide> values{static_cast<Wide>(random_() % 32), static_cast<Wide>(random_() % 8),
                             static_cast<Wide>(1 + random_() % 1000)};
    auto [form, value] = build(v, values, 5);
    std::vector<Wide> all = values;
    v.algebra.complete(all);
    ASSERT_TRUE(Algebra::evaluate(form, all) == value) << v.algebra.text(form);
    ASSERT_TRUE(v.algebra.range(form).contains(value)) << v.algebra.text(form);
  }

private:
  std::pair<QuasiPolynomial, Wide> build(Vars& v, const std::vector<Wide>& values, u32 depth) {
    if (depth == 0 || random_() % 6 == 0) {
      switch (random_() % 4) {
      case 0: return {v.x, values[0]};
      case 1: return {v.y, values[1]};
      case 2: return {v.n, values[2]};
      default: {
        i64 number = static_cast<i64>(random_() % 70) - 10;
        return {v.number(number), number};
      }
      }
    }
    auto [a, left] = build(v, values, depth - 1);
    auto [b, right] = build(v, values, depth - 1);
    switch (random_() % 4) {
    case 0: return {v.algebra.add(a, b), left + right};
    case 1: return {v.algebra.subtract(a, b), left - right};
    case 2:
      return bounded(left) && bounded(right) ? std::pair{v.algebra.multiply(a, b), left * right}
                                             : std::pair{a, left};
    default: return other(v, values, depth, a, left, b, right);
    }
  }

  std::pair<QuasiPolynomial, Wide> other(Vars& v, const std::vector<Wide>& values, u32 depth,
                                         const QuasiPolynomial& a, Wide left, const QuasiPolynomial& b,
                                         Wide right) {
    static constexpr Op ops[] = {Op::quotient,   Op::remainder,   Op::bit_and,       Op::bit_or,
                                 Op::bit_xor,    Op::shift_left,  Op::shift_right,   Op::less,
                                 Op::less_equal, Op::equal,       Op::not_equal,     Op::minimum,
                                 Op::maximum,    Op::wrap_signed, Op::wrap_unsigned, Op::select};
    Op op = ops[random_() % std::size(ops)];
    if (op == Op::wrap_signed || op == Op::wrap_unsigned) {
      i64 bits = random_() % 2 == 0 ? 32 : 16;
      return {v.algebra.make(op, {a, v.number(bits)}), value_of(op, std::array<Wide, 2>{left, bits})};
    }
    if (op == Op::select) {
      auto [c, last] = build(v, values, depth - 1);
      return {v.algebra.make(op, {a, b, c}), value_of(op, std::array{left, right, last})};
    }
    if ((op == Op::shift_left && !bounded(left)) ||
        ((op == Op::shift_left || op == Op::shift_right) && right > 20))
      return {a, left};
    return {v.algebra.make(op, {a, b}), value_of(op, std::array{left, right})};
  }

  static bool bounded(Wide value) { return value < (1 << 20) && value > -(1 << 20); }
  std::mt19937_64 random_;
};

TEST(QuasiPolynomial, NormalFormHasTheValueOfWhatWasBuilt) {
  for (u64 seed = 0; seed < 20000; ++seed) {
    Pair(seed).check();
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

} // namespace
} // namespace warplens::symbolic
