#include "sim/kernels/matrices.h"

namespace warplens::sim {

MatrixSizes sizes_of(const MatrixKind& kind) {
  ir::MatrixShape s = kind.shape;
  if (kind.a == ir::Type::f16 && s.k == 4) {
    auto sums = [](ir::Type type) { return type == ir::Type::f16 ? 4u : 8u; };
    return {2, 2, sums(kind.c), sums(kind.d)};
  }
  auto registers = [](u32 elements, ir::Type type) {
    u32 wide = type == ir::Type::f64 ? 64 : 32;
    return elements * ir::bits(type) / (wide * warp_size);
  };
  u32 of_a = u32{s.m} * s.k / (kind.sparse ? 2 : 1), sums = u32{s.m} * s.n;
  return {registers(of_a, kind.a), registers(u32{s.k} * s.n, kind.b), registers(sums, kind.c),
          registers(sums, kind.d)};
}

} // namespace warplens::sim
