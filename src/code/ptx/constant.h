// Constants of PTX text: literals and constant expressions (PTX ISA, "Constants"), and their conversion to
// the bits of an operand's type.
#pragma once
#include "ir/form.h"
#include "ptx/cursor.h"

namespace warplens::ptx {

struct Constant {
  enum class Kind : u8 { integer, single, real }; // single: 0fXXXXXXXX; real: 0dX… and decimal
  Kind kind = Kind::integer;
  bool is_unsigned = false; // integers: .u64 rather than .s64
  u64 integer = 0;
  double real = 0;
};

// Reads `1`, `-(3 + 4) << 2`, `0f3F800000`, `WARP_SZ`, `(.s64) 5` from the cursor.
bool parse_constant(Cursor&, Constant& out);
// An integer constant ≥ 0 and at most `limit`; `what` names it in messages: "alignment".
bool parse_count(Cursor&, u64& out, u64 limit, std::string_view what);
bool starts_constant(const Token&);

// The bits of the constant as `type`, upper bits zero. Integers keep their low bits; for f32 and f64 an
// integer is converted by value, for 16-bit and packed floats it is the bit pattern, as compilers write them.
// Without a type: 64 bits, or 32 for 0fXXXXXXXX.
u64 to_bits(const Constant&, ir::Type type);

} // namespace warplens::ptx
