// Multiplication of matrices by a warp, as mma.sync does it (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").
// What multiplies larger ones (wmma, wgmma) is made of several.
#pragma once
#include "ir/form.h"
#include <optional>

namespace warplens::sim {

// D = A · B + C of one such multiplication.
struct MatrixKind {
  ir::MatrixShape shape; // n = 8
  ir::Type d{}, a{}, b{}, c{};
  bool sparse = false; // A has half of its elements
  bool stops = false;  // .satfinite: integers stop at their limits
  bool differ = false; // .xor.popc of single bits: counts those that differ, not those that are both set
  bool a_columns = false, b_rows = false; // m8n8k4 of f16: A is .col, B is .row
  u8 selector = 0;                        // sparse: which lanes' metadata counts
};

// A warp's registers: register r of lane l is at [r · stride + l], zero-extended.
struct MatrixRegisters {
  const u64 *a = nullptr, *b = nullptr, *c = nullptr, *metadata = nullptr;
  u64 stride = warp_size;
};
inline constexpr u32 most_matrix_registers = 8; // of D: m16n8 has 4, m8n8k4 of f16 8
using MatrixResult = u64[most_matrix_registers][warp_size];

// How many registers each operand has.
struct MatrixSizes {
  u32 a, b, c, d;
};
MatrixSizes sizes_of(const MatrixKind&);

using Multiply = void (*)(const MatrixKind&, const MatrixRegisters&, MatrixResult& out);
// Of the selected target; null for what there is not.
Multiply find_multiply(const MatrixKind&);
namespace baseline {
Multiply find_multiply(const MatrixKind&);
}
namespace avx2 {
Multiply find_multiply(const MatrixKind&);
}
namespace avx512 {
Multiply find_multiply(const MatrixKind&);
}

} // namespace warplens::sim
