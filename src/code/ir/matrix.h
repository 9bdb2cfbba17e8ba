// Matrix instructions of a warp: how many registers of each thread hold its part of a matrix, and how parts of wmma come
// from memory (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous Warpgroup Level …").
#pragma once
#include "ir/form.h"

namespace warplens::ir {

enum class MatrixOperand : u8 { d, a, b, c };

// The type of an operand's elements, which wmma.mma of f16 does not name for A and B; none where the form has no such
// operand.
Type matrix_type(const Form&, MatrixOperand);

// Registers of 32 bits (f64: of 64) that a thread has of an operand in the text; 0 for forms without a shape.
u32 matrix_registers(const Form&, MatrixOperand);

// The matrix that wmma.load or wmma.store moves.
MatrixOperand moved_matrix(const Form&);

// A of mma.sp and wgmma.mma_async.sp: of each group of elements half are there, and metadata says which.
inline bool is_sparse(const Form& form) { return form.has(Modifier::sp) || form.has(Modifier::sp_ordered); }

// mma.m8n8k4 of f16, of compute capability 7.0: every eight lanes multiply matrices of their own.
bool multiplies_in_quads(const Form&);

// wgmma.mma_async.
bool multiplies_in_group(const Form&);

// What ptxas makes of wmma.load and wmma.store, which PTX leaves open: loads and stores of each lane, or ldmatrix. Lines
// are rows of a row-major matrix, columns of another: their elements are neighbours in memory. tests/hardware/HARDWARE.md has what
// ptxas 13.0 emits for compute capability 9.0.
enum class FragmentAccess : u8 {
  words,               // tiles of 8 lines of 16 bytes: 4 bytes a lane
  transposed_words,    // the same, then exchanged between lanes (movmatrix)
  matrices,            // ldmatrix
  transposed_matrices, // ldmatrix.trans
  pairs,               // two neighbours of 32 or 64 bits a lane
  elements             // one element a lane
};
FragmentAccess fragment_access(const Form&);
u32 fragment_bytes(const Form&); // of one such access, of each lane
// Of matrices: how many at once, 1, 2 or 4.
u32 fragment_matrices(const Form&);

} // namespace warplens::ir
