// Which of its operands an instruction of integers adds up, for whoever follows a value back through a function.
//
//   mov a    cvta a            a
//   add a, b    sub a, b       a + b, a - b
//   shl a, b    mul a, b       a · 2^b, a · b
//   mad a, b, c                a · b + c
//
// Types, widths, .hi and .wide are left to who asks, and so is what each does with the other opcodes (cvt, selp, and, …): there they
// differ. Of `mov` with registers in braces the first is the low part.
#pragma once
#include "ir/module.h"
#include <optional>
#include <span>

namespace warplens::ir {

struct Summand {
  u32 source = 0;             // which of the instruction's
  u32 factor = none;          // the source that it is multiplied by,
  bool is_power = false;      // or by two to the power of that
  bool is_subtracted = false; // from what comes before
  static constexpr u32 none = ~u32{0};
  bool is_whole() const { return factor == none && !is_subtracted; } // a part of the sum as it is
};
// Empty for all other opcodes.
std::span<const Summand> summands(Opcode);

// How many times the summand is added, where a constant says; not of shifts by 32 bits or more, which no index has.
std::optional<u64> times(const Summand&, std::span<const Operand> sources);
// Which of the sources is passed on, with nothing but constants added.
std::optional<u32> moved(Opcode, std::span<const Operand> sources);

} // namespace warplens::ir
