// Which forms the random programs draw from: for each opcode of ir/opcodes.def, the spellings whose result
// the PTX ISA defines to the last bit, the types each takes, and what its operands are.
//
//   text      '%' stands for the type, with its dot
//   operands  destination first: T the type · W twice its width · U a 32-bit register · P predicate · p
//   predicate source
//             n a divisor that is not zero · k an immediate below 256 · q a 32-bit value below 256 · F f32 ·
//             H 16-bit integer · D 64-bit integer N binary16 · B bfloat16 · G f64
#pragma once
#include <span>

namespace warplens::oracle {

struct Shape {
  const char* opcode;
  const char* text;
  const char* types;
  const char* operands;
};
std::span<const Shape> shapes();

// Rows of family `compute` that have no shape, and the reason.
struct Exempt {
  const char* opcode;
  const char* reason;
};
std::span<const Exempt> exempt();

} // namespace warplens::oracle
