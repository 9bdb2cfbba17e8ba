#include "ir/matrix.h"
#include <algorithm>

namespace warplens::ir {
namespace {

u32 elements_of(MatrixShape s, MatrixOperand operand) {
  switch (operand) {
  case MatrixOperand::a: return u32{s.m} * s.k;
  case MatrixOperand::b: return u32{s.k} * s.n;
  default: return u32{s.m} * s.n;
  }
}

bool is_factor(MatrixOperand operand) { return operand == MatrixOperand::a || operand == MatrixOperand::b; }

} // namespace

MatrixOperand moved_matrix(const Form& form) {
  if (form.has(Modifier::a)) return MatrixOperand::a;
  return form.has(Modifier::b) ? MatrixOperand::b : MatrixOperand::c;
}

Type matrix_type(const Form& form, MatrixOperand operand) {
  if (form.opcode == Opcode::wmma && form.type_count == 1) return form.type();
  if (form.opcode == Opcode::wmma && form.type_count == 2) {
    if (is_factor(operand)) return Type::f16;
    return form.type(operand == MatrixOperand::d ? 0 : 1);
  }
  if (form.opcode == Opcode::wgmma && operand == MatrixOperand::c) return form.type(0);
  return form.type(static_cast<u32>(operand));
}

bool multiplies_in_quads(const Form& form) {
  return form.opcode == Opcode::mma && form.shape.m == 8 && form.shape.k == 4 && form.type(1) == Type::f16;
}

bool multiplies_in_group(const Form& form) {
  return form.opcode == Opcode::wgmma && form.has(Modifier::mma_async) && form.shape.m == 64 &&
         form.shape.n % 8 == 0 && form.type_count == 3;
}

u32 matrix_registers(const Form& form, MatrixOperand operand) {
  bool moves = form.opcode == Opcode::wmma && form.type_count == 1;
  if (moves) operand = moved_matrix(form);
  Type type = matrix_type(form, operand);
  if (form.shape.m == 0 || type == Type::none) return 0;
  constexpr u32 halves = 8; // of wmma: as many for every shape
  if (form.opcode == Opcode::wmma && type == Type::f16 && is_factor(operand)) return halves;
  u32 threads = form.opcode == Opcode::wgmma ? 4 * warp_size : warp_size;
  u32 elements = elements_of(form.shape, operand);
  if (multiplies_in_quads(form)) elements *= 4;
  if (is_sparse(form) && operand == MatrixOperand::a) elements /= 2;
  return elements * bits(type) / (threads * (type == Type::f64 ? 64 : 32));
}

FragmentAccess fragment_access(const Form& form) {
  MatrixOperand operand = moved_matrix(form);
  u32 width = bits(form.type());
  bool row = form.has(Modifier::row), shared = form.space() == StateSpace::shared;
  if (!is_factor(operand)) {
    bool natural = row != (form.shape.n > form.shape.m); // m8n32 is multiplied the other way round
    if (width == 16) return natural ? FragmentAccess::words : FragmentAccess::transposed_words;
    return natural ? FragmentAccess::pairs : FragmentAccess::elements;
  }
  bool along_k = row == (operand == MatrixOperand::a);
  if (width >= 32 || (!along_k && width < 16)) return FragmentAccess::elements;
  if (along_k) return shared ? FragmentAccess::matrices : FragmentAccess::words;
  return shared ? FragmentAccess::transposed_matrices : FragmentAccess::transposed_words;
}

u32 fragment_bytes(const Form& form) {
  switch (fragment_access(form)) {
  case FragmentAccess::words:
  case FragmentAccess::transposed_words: return 4;
  case FragmentAccess::matrices:
  case FragmentAccess::transposed_matrices: return 16;
  case FragmentAccess::pairs: return 2 * bytes(form.type());
  case FragmentAccess::elements: return bytes(form.type());
  }
  return 0;
}

u32 fragment_matrices(const Form& form) {
  FragmentAccess access = fragment_access(form);
  if (access != FragmentAccess::matrices && access != FragmentAccess::transposed_matrices) return 0;
  u32 lines = moved_matrix(form) == MatrixOperand::a ? form.shape.m : form.shape.n;
  return std::min(lines, 16u) / 8 * (form.shape.k * bits(form.type()) / 128);
}

} // namespace warplens::ir
