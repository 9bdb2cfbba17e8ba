// The value that a register has in the 32 lanes of a warp, for all launches: a polynomial over symbols whose coefficients
// are an integer, or a vector of 32 integers, one per lane.
//
//   A[blockIdx.x*256 + threadIdx.x]    A + 1024*blockIdx.x + 128*warp + (0, 4, 8, …, 124)
//   tile[threadIdx.x ^ 5]              tile + (20, 16, 28, …)        what is known per lane needs no algebra
//   B[threadIdx.x*n + k]               B + 4*k + (0, 4, 8, …)*n
//
// A symbol is an integer that nobody knows: a parameter, blockIdx, how often a loop went round. Of a *uniform* one all
// lanes have the same; of a *varying* one nothing is known between lanes, but why (its causes). A value is *uniform* where
// all its symbols are and no coefficient differs by lane; then two lanes' addresses are surely equal. Uniform symbols with
// a coefficient per lane are the strides.
//
// What a polynomial says of a register of w bits holds modulo 2^w. Who wants the number itself, for a comparison or a
// wider register, asks algebra.h to extend it.
//
// Everything is kept once and named by a number, so that equal values are equal numbers. A pool serves one function and
// one warp shape.
#pragma once
#include "symbolic/warp/sets.h"
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace warplens::symbolic {

using Lanes = std::array<i64, warp_size>;
inline constexpr u64 most_divisor = u64{1} << 48; // known divisors are powers of two up to this one

struct Range { // inclusive
  i64 least = 0, most = 0;
  bool operator==(const Range&) const = default;
};

enum class SymbolKind : u8 {
  parameter, // of the kernel: `a` its number, `b` the byte in it
  launch,    // blockIdx, gridDim, and blockDim or a warp's place in the block where the block is not known
  address,   // of a variable: `a` its number in the module
  iteration, // how often the loop with header block `a` went round
  loaded,    // from memory, by instruction `a`
  result,    // of an operation that has no polynomial
  flag,      // 0 or 1
  choice,    // 0 or 1 in each lane
  threshold, // 1 in the lanes whose number in vector `a` is above one that is not known, else 0
  table,     // by what symbol `b` is, one of the rows of table `a` (Pool::table)
  other
};

struct Symbol {
  SymbolKind kind = SymbolKind::other;
  bool uniform = true;
  u64 divisor = 1;            // of its value, in every lane
  std::optional<Range> range; // of its value, in every lane
  SetId loops = 0;            // in which it changes
  SetId causes = 0;           // varying: why
  u32 a = 0, b = 0;
  // Of low bits: they are what this polynomial is, modulo a power of two.
  u32 congruent = 0;
  u64 modulus = 1;
  // A polynomial. Of a flag: it is 0 where the flag is 1. Of a threshold: what is not known, in multiples of its divisor,
  // and `b` whether its range holds.
  u32 decider = 0;
};

// What a symbol is made from: equal keys give the same symbol.
struct SymbolKey {
  u32 operation = 0;
  u32 x = 0, y = 0, z = 0;
  u64 detail = 0;
  bool operator==(const SymbolKey&) const = default;
};

struct Coefficient {
  i64 value = 0; // of all lanes, where `lanes` is 0
  u32 lanes = 0; // a vector of the pool, whose lanes differ
  bool uniform() const { return lanes == 0; }
  bool operator==(const Coefficient&) const = default;
};

struct Term {
  u32 monomial = 0; // 0: the constant one
  Coefficient coefficient;
  bool operator==(const Term&) const = default;
};

struct Value {
  u32 polynomial = 0; // 0: zero
  SetId assumed = 0;  // what has to hold, besides: numbers of assumptions
  bool operator==(const Value&) const = default;
};

// Of a polynomial.
struct Facts {
  bool uniform = true;  // equal in all lanes
  bool varying = false; // has a varying symbol
  bool constant = true; // has no symbol: known in each lane
  u64 divisor = most_divisor;
  std::optional<Range> range;
  SetId loops = 0, causes = 0;
};

class Pool {
public:
  Pool();
  Sets sets;

  u32 symbol(const SymbolKey&,
             const Symbol&); // the number of the symbol with that key, made if there is none
  const Symbol& symbol(u32 number) const { return symbols_[number]; }
  const std::vector<u32>& monomial(u32 number) const { return monomials_[number]; } // its symbols, sorted
  const std::vector<Term>& terms(Value v) const { return polynomials_[v.polynomial]; }
  const Facts& facts(Value v) const { return facts_[v.polynomial]; }

  Value constant(i64 v);
  Value constant(const Lanes&);
  Value of_symbol(u32 number);
  Value polynomial(std::vector<Term> terms, SetId assumed, u32 bits = 64); // any order; sums, and drops zeros
  u32 product(u32 monomial, u32 other);

  // Rows of what a symbol may be: one for each multiple of the index's divisor, from 0 on.
  u32 table(const std::vector<Lanes>& rows);
  const std::vector<Coefficient>& table(u32 number) const { return tables_[number]; }

  Coefficient coefficient(const Lanes&);
  Lanes lanes(Coefficient) const;
  Coefficient sum(Coefficient, Coefficient);
  Coefficient product(Coefficient, Coefficient);
  u64 divisor(const Term&) const; // of every lane
  // The same modulo a power of two, in other terms: n - n%32 is 0 modulo 32. Of several such forms the one with the largest
  // divisor, and of these the shortest.
  struct Congruent {
    std::vector<Term> terms;
    u64 modulus = most_divisor;
  };
  Congruent congruent(std::vector<Term>);
  template <class F> Coefficient map(Coefficient c, F&& f) {
    if (c.uniform()) return {f(c.value)};
    Lanes all = lanes(c);
    for (i64& lane : all) lane = f(lane);
    return coefficient(all);
  }

  // The constant term, in each lane.
  Coefficient constant_of(Value) const;
  bool is_constant(Value v) const { return facts(v).constant; }
  std::optional<i64> number(Value) const; // of a constant that all lanes share
  u64 steps() const { return steps_; }    // polynomials asked for: what time goes with

private:
  struct Hash {
    std::size_t operator()(const std::vector<Term>&) const;
    std::size_t operator()(const std::vector<u32>&) const;
    std::size_t operator()(const Lanes&) const;
    std::size_t operator()(const SymbolKey&) const;
  };
  Facts facts_of(const std::vector<Term>&);
  u32 monomial_of(std::vector<u32> symbols); // sorted
  u64 divisor_of_monomial(const std::vector<u32>&) const;
  u64 divisor(const Congruent&) const;
  u64 divisor(Coefficient) const;
  std::optional<u32> low_bits_in(const std::vector<Term>&) const;
  void add_up(std::vector<Term>&, u32 bits);

  u64 steps_ = 0;
  std::vector<Symbol> symbols_;
  std::unordered_map<SymbolKey, u32, Hash> symbol_ids_;
  std::vector<std::vector<u32>> monomials_;
  std::unordered_map<std::vector<u32>, u32, Hash> monomial_ids_;
  std::deque<Lanes> lanes_;
  std::unordered_map<Lanes, u32, Hash> lane_ids_;
  std::deque<std::vector<Coefficient>> tables_;
  std::map<std::vector<std::pair<i64, u32>>, u32> table_ids_;
  std::deque<std::vector<Term>> polynomials_; // a deque: references to one stay while others are made
  std::deque<Facts> facts_;
  std::unordered_map<std::vector<Term>, u32, Hash> polynomial_ids_;
};

// The largest power of two, up to most_divisor, that divides v.
u64 power_of_two_in(i64 v);
// v modulo 2^bits, as a signed number.
i64 reduced(i64 v, u32 bits);

} // namespace warplens::symbolic
