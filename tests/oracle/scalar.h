// What one thread computes when it executes one arithmetic instruction: the naïve reference for sem/ and
// sim/.
//
// It reads the instruction's text ("mad.wide.u16") by itself and works on plain numbers: 128-bit integers,
// floats under fesetround, halves through doubles that are rounded once. It shares no code with the product,
// so that a mistake has to be made twice to stay hidden.
//
// Not covered: approximations (.approx, sin, ex2, …) whose last bits the PTX ISA leaves open, video
// instructions, 8-bit floats. Followed: PTX ISA 8.x, sections "Integer Arithmetic Instructions" to "Data
// Movement and Conversion".
#pragma once
#include "base/types.h"
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::oracle {

// A type by its text alone: "s32" → 's', 32 bits; "f16x2" → packed pairs of 'f', 16 bits each.
struct TypeText {
  std::string text;
  char letter = 0; // b u s f g(bf16) p; 0: not a type
  u32 bits = 0;    // of one element
  bool packed = false;
  bool is_float() const { return letter == 'f' || letter == 'g'; }
  bool is_signed() const { return letter == 's'; }
  u32 width() const { return packed ? 2 * bits : bits; }
};

// An instruction's text, split at its dots.
struct Spelling {
  std::string opcode;
  std::vector<std::string> modifiers;
  std::vector<TypeText> types;
  bool has(std::string_view modifier) const;
  const TypeText& type(std::size_t i = 0) const { return types[i < types.size() ? i : types.size() - 1]; }
};
Spelling spell(std::string_view text);

// Executes one arithmetic, logic, comparison, selection or conversion instruction. `sources` are register
// bits (predicates 0 or 1, carry flags as ir/module.h orders them); results come sign-extended to 64 bits
// where their type is signed, so that a wider register takes them as they are. False: not an instruction that
// this reference knows.
bool evaluate(const Spelling&, std::span<const u64> sources, std::span<u64> results);

// The atomic operations on one value: what memory holds afterwards. `operand[1]` is cas's new value.
u64 atomic_result(const Spelling&, u64 old, std::span<const u64> operands);

u64 truncated(u64 value, u32 bits);                // the low bits
u64 extended(u64 value, u32 bits, bool is_signed); // the low bits, sign- or zero-extended to 64

} // namespace warplens::oracle
