// Operations on the values of pool.h: what PTX's integer instructions do to them, where that is still a polynomial. What is
// not becomes a symbol: uniform where the operands are, else varying, with the cause.
//
// Two notions carry most of it.
//   * A *chunk*: v = high + low, where `high` is equal in all lanes and divisible by `unit`, a power of two, and every
//     lane's `low` lies within 0 … unit-1. Masks, shifts, divisions and comparisons then act on the two apart; and no
//     wrap-around comes between the lanes of a warp, for it happens at a multiple of `unit`.
//   * *Extension*: the number in a register of w bits. It is the polynomial plus 2^w times an integer. That integer is 0
//     where the polynomial's range fits, one symbol for all lanes where the value is a chunk, and where neither can be
//     shown it is assumed to be, and the assumption goes with the value.
#pragma once
#include "symbolic/warp/pool.h"
#include <functional>

namespace warplens::symbolic {

enum class AssumptionKind : u8 {
  no_signed_wrap,   // overflow that C++ leaves undefined does not come between the lanes of a warp
  no_unsigned_wrap, // the same of unsigned numbers, where it is defined
  multiple,         // the polynomial is a multiple of `modulus`
  not_negative      // the polynomial is ≥ 0
};
struct Assumption {
  AssumptionKind kind{};
  u32 polynomial = 0;
  u64 modulus = 0;
  bool operator==(const Assumption&) const = default;
};

// What an opaque result is made from, beside its operands: an operation and whatever else tells two of them apart.
struct Operation {
  u32 code = 0;
  u64 detail = 0;
};

enum class Compared : u8 { eq, ne, lt, le, gt, ge };

struct Chunk {
  Value high;
  Lanes low{};
  u64 unit = 1;
};

class LaneAlgebra {
public:
  explicit LaneAlgebra(Pool& pool) : pool(pool) {}
  Pool& pool;
  bool wraps_around = true; // tests take that out, to see that something fails

  // Causes are numbers that the caller gives meaning to; these are the algebra's own.
  enum Cause : u32 {
    shift_of_mixed,
    bits_of_mixed,
    comparison,
    selection,
    clamp,
    division,
    other_operation,
    too_large,
    first_of_caller
  };

  Value add(Value, Value, u32 bits);
  Value subtract(Value, Value, u32 bits);
  Value multiply(Value, Value, u32 bits);
  Value scale(Value, i64, u32 bits);
  Value truncate(Value, u32 bits);
  Value extend(Value, bool is_signed, u32 bits);
  Value shift_left(Value, Value amount, u32 bits);
  Value shift_right(Value, u32 amount, bool is_signed, u32 bits);
  Value shift_right(Value, Value amount, bool is_signed, u32 bits);
  Value reverse_bits(Value, u32 bits);
  Value bit_and(Value, Value, u32 bits);
  Value bit_or(Value, Value, u32 bits);
  Value bit_xor(Value, Value, u32 bits);
  Value divide(Value, Value, bool is_signed, u32 bits);
  Value remainder(Value, Value, bool is_signed, u32 bits);
  Value smaller(Value, Value, bool is_signed, u32 bits);
  Value larger(Value, Value, bool is_signed, u32 bits);
  // 0 or 1 in each lane.
  Value compare(Compared, Value, Value, bool is_signed, u32 bits);
  Value negate(Value flag) { return subtract(pool.constant(1), flag, 64); }
  Value both(Value flag, Value other);
  Value either(Value flag, Value other);
  Value differ(Value flag, Value other);
  // `flag` ? a : b in each lane.
  Value select(Value flag, Value a, Value b, u32 bits);

  // The result of an operation that has no polynomial. `made`: what is known of it; whether it is uniform, its loops and
  // causes follow from the operands, and from `cause` where no operand has one.
  Value opaque(Operation, const std::vector<Value>& operands, u32 cause = other_operation, Symbol made = {});
  // What known lanes are made by each number from 0 to `most`, one of which all lanes share; else as an opaque operation.
  Value by_number(Value number, i64 most, const std::function<std::optional<Lanes>(i64)>& made, Operation,
                  const std::vector<Value>& operands);
  // A symbol per lane or for all, known under no other name.
  Value fresh(const SymbolKey&, Symbol made);

  // With `unit` at most the given one; none where lanes are further apart, or differ in more than known numbers.
  std::optional<Chunk> chunk(Value, u64 most_unit = most_divisor);
  // The terms that are equal in all lanes, without the constant.
  struct Parts {
    Value uniform;
    Lanes constant{};
    std::vector<Term> others; // differ by lane and are not known
  };
  Parts parts(Value);
  // v = high + a row, where `high` is equal in all lanes and divisible by the window, a power of two; which row it is
  // follows from the index, a symbol that is a multiple of its divisor. None where there were too many rows.
  struct Rows {
    Value high;
    std::optional<u32> index; // none: one row
    std::vector<Lanes> rows;
    bool within(u64 window) const; // 0 … window-1
  };
  std::optional<Rows> rows_of(Value, u64 window);
  Value of_rows(const Rows&);                                    // without `high`, but with what it rests on
  std::optional<Range> range(Value v, bool is_signed, u32 bits); // of the number in the register, where known
  Value assume(Value, const Assumption&);
  const Assumption& assumption(u32 number) const { return assumptions_[number]; }

private:
  enum Code : u32;                             // of the algebra's own operations
  static i64 combined(u32 code, i64 a, i64 b); // of and_bits, or_bits, xor_bits
  Value low_bits(Value, u32 count, u32 bits);
  Value masked(Value, u64 mask, u32 bits);
  Value bits_of(u32 code, Value, Value, u32 bits);
  std::optional<Value> disjoint_sum(Value, Value, u32 bits);
  std::optional<Value> low_bits_of_rows(Value, u32 count);
  std::optional<Value> bits_of_rows(u32 code, Value, Value, u32 bits);
  bool is_by_rows(Value); // but for tables it has no varying symbols
  bool has_cases(Value);
  std::optional<Value> extended_apart(Value, bool is_signed, u32 bits);
  std::optional<Value> high_of_rows(Value);
  Value quotient(const Parts&, SetId assumed, u32 amount, Value whole);
  Value below(Value difference, Operation, bool exact);
  Value is_zero(Value difference);
  Value clamp_to(u32 code, Value, Value, bool is_signed, u32 bits);
  SetId assumed(Value a, Value b) { return pool.sets.unite(a.assumed, b.assumed); }

  std::vector<Assumption> assumptions_;
};

} // namespace warplens::symbolic
