#include "ir/matrix.h"

namespace warplens::ir {

MatrixShape matrix_shape(const Form& form) {
  constexpr std::pair<Modifier, MatrixShape> table[] = {
      {Modifier::m8n8k4, {8, 8, 4}},     {Modifier::m8n8k16, {8, 8, 16}},   {Modifier::m8n8k32, {8, 8, 32}},
      {Modifier::m16n8k4, {16, 8, 4}},   {Modifier::m16n8k8, {16, 8, 8}},   {Modifier::m16n8k16, {16, 8, 16}},
      {Modifier::m16n8k32, {16, 8, 32}}, {Modifier::m16n8k64, {16, 8, 64}},
  };
  for (auto [modifier, shape] : table)
    if (form.has(modifier)) return shape;
  return {};
}

u32 matrix_registers(const Form& form, MatrixOperand operand) {
  MatrixShape shape = matrix_shape(form);
  Type type = form.type(static_cast<u32>(operand));
  bool quads =
      shape.k == 4 && form.type(1) == Type::f16; // 7.0: every eight threads multiply matrices of their own
  if (shape.m == 0 || quads) return 0;
  u32 elements = operand == MatrixOperand::a   ? shape.m * shape.k
                 : operand == MatrixOperand::b ? shape.k * shape.n
                                               : shape.m * shape.n;
  u32 register_bits = type == Type::f64 ? 64 : 32;
  return elements * bits(type) / (warp_size * register_bits);
}

} // namespace warplens::ir
