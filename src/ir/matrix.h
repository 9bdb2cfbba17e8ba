// Matrix instructions of a warp: which shape a form names, and how many registers of each thread hold its part of a
// matrix (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").
#pragma once
#include "ir/form.h"

namespace warplens::ir {

// D[m][n] = A[m][k] · B[k][n] + C[m][n]
struct MatrixShape {
  u32 m = 0, n = 0, k = 0; // 0: the form names none
};
MatrixShape matrix_shape(const Form&);

enum class MatrixOperand : u8 { d, a, b, c }; // in the order of the form's types

// Registers of 32 bits (f64: of 64) that a thread has of an operand of mma; 0 for shapes that are not laid out
// alike, of compute capability 7.0.
u32 matrix_registers(const Form&, MatrixOperand);

} // namespace warplens::ir
