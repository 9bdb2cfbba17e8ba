// Multiplication of matrices by a warp: mma.sync (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").
#pragma once
#include "ir/form.h"

namespace warplens::sim {

bool can_multiply(const ir::Form&);

// D = A · B + C. `kept`: the warp's registers of A, of B and of C, one after the other: register r of lane l is
// kept[r · stride + l]. `out` gets those of D, [register][lane]. Registers are zero-extended.
inline constexpr u32 most_matrix_registers = 16;
using MatrixRegisters = u64[most_matrix_registers][warp_size];
void multiply(const ir::Form&, const u64* kept, u64 stride, MatrixRegisters& out);

} // namespace warplens::sim
