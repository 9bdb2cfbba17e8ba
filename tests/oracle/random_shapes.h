// Which forms the random programs draw from: for each opcode of ir/opcodes.def, the spellings whose result
// the PTX ISA defines to the last bit, and the types that each takes. What the operands are and which types
// they have stands in opcodes.def.
//
//   text      '%' stands for the type, with its dot
//   values    one letter per operand, where there are more of them than the required ones, or where not every
//             value will do:
//             . any value of its type · n not zero · k an immediate below 256 · q below 256
#pragma once
#include <span>
#include <string_view>

namespace warplens::oracle {

struct Shape {
  const char* text;
  const char* types;
  const char* values = "";
  std::string_view opcode() const; // "mul" of "mul.wide%"
};
std::span<const Shape> shapes();

// Rows of family `compute` that have no shape, and the reason.
struct Exempt {
  const char* opcode;
  const char* reason;
};
std::span<const Exempt> exempt();

} // namespace warplens::oracle
