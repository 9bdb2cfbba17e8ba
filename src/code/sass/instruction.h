// One instruction of NVIDIA's machine code (SASS), 128 bits, decoded: opcode, modifiers and operands as the disassembler names them.
//
// The encoding is not documented. The table (table.def) was made from pairs of machine words and disassembled text; sources are the
// sample files of tests/sass/data, and what Mesa's NAK compiler and the CuAssembler project publish. An instruction is refused if it
// has a set bit that no row reads: a modifier that is not known never goes unnoticed.
//
//   decode(words, address, sm)  →  Instruction  →  text(instruction)     "@!P0 LDG.E.64 R2, desc[UR4][R2.64+0x8]"
//
// An operand that the text leaves out (a predicate that is PT) is in the list all the same, marked as hidden: the place of an operand
// in the list depends on the row alone.
#pragma once
#include "base/types.h"
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warplens::sass {

enum class Opcode : u16 {
#define OPCODE(id) id,
#include "sass/opcodes.def"
#undef OPCODE
};
std::string_view name(Opcode);

enum class Modifier : u16 {
  none,
#define MODIFIER(id, text) id,
#include "sass/modifiers.def"
#undef MODIFIER
};
std::string_view name(Modifier); // without the dot
std::optional<Modifier> modifier_named(std::string_view);

constexpr u8 zero_register = 255; // RZ, URZ
constexpr u8 true_predicate = 7;  // PT, UPT

struct Operand {
  enum class Kind : u8 {
    none,
    reg,               // R5
    uniform,           // UR5
    predicate,         // P3
    uniform_predicate, // UP3
    immediate,
    constant, // c[0x0][0x160], cx[UR4][0x8], c[0x0][R3+0x8]
    memory,   // [R2.64+UR4+0x8]
    special,  // SR_TID.X: value is its number
    target,   // of a branch: value is the address of the instruction
    barrier,  // B0
    word      // a name with no number: PR, 2D
  };
  enum class Style : u8 { hex, signed_hex, f32, f64, f16x2, bf16x2, set }; // how the text writes an immediate
  Kind kind{};
  Style style{};
  bool hidden = false;
  bool negated = false, absolute = false, inverted = false; // -x, |x|, ~x; of a predicate: !p
  bool reuse = false;                                       // .reuse
  bool joined = false;       // a blank, not a comma, stands in front of it: "R20 0x0"
  u8 number = zero_register; // reg, uniform, predicate, barrier; memory, constant: the register that is added
  u8 uniform = zero_register; // memory, constant: the uniform register that is added
  u8 descriptor =
      zero_register; // memory: a uniform register; constant: the one that holds the bank's address
  u8 bank = 0;       // constant
  bool has_register = false, has_uniform = false,
       has_descriptor = false; // memory, constant: the text names it
  Modifier part{};             // R5.H0_H0, R5.B1; memory: [R5.64], [R5.X4]
  Modifier suffix{};           // gdesc[UR8].tnspB
  u8 bits = 32;                // of an immediate that is written with its sign
  u64 value = 0; // immediate: its bits, f64: the high word; constant, memory: offset in bytes, signed; target
  std::string_view word;
};

struct Instruction {
  static constexpr std::size_t most_operands = 12, most_modifiers = 12;
  Opcode opcode{};
  u8 guard = true_predicate;
  bool guard_negated = false, guard_uniform = false;
  u64 address = 0; // in its section, bytes
  u64 low = 0, high = 0;

  bool has(Modifier) const;
  std::span<const Modifier> modifiers() const { return {modifiers_.data(), modifier_count_}; }
  std::span<const Operand> operands() const { return {operands_.data(), operand_count_}; }
  // False: there is no room for more.
  bool add(const Operand&);
  bool add(Modifier);

private:
  std::array<Modifier, most_modifiers> modifiers_{};
  std::array<Operand, most_operands> operands_{};
  u8 modifier_count_ = 0, operand_count_ = 0;
};

constexpr u64 instruction_bytes = 16;

// Empty: no row of the table describes it, or the row does not read a bit that is set.
std::optional<Instruction> decode(u64 low, u64 high, u64 address, u32 sm);

// Of a special register; empty: not known.
std::string_view special_name(u64 number);

// As nvdisasm 13.0 writes it, without the semicolon.
std::string text(const Instruction&);

} // namespace warplens::sass
