// One target's kernels: asks the families in turn.
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

bool is_half(ir::Type type) {
  return type == ir::Type::f16 || type == ir::Type::bf16 || type == ir::Type::f16x2 ||
         type == ir::Type::bf16x2;
}
bool is_wide(ir::Type type) {
  return type == ir::Type::f32 || type == ir::Type::f64 || type == ir::Type::f32x2;
}
bool converts_to_integer(const Request& r) { return r.type[0] >= ir::Type::u8 && r.type[0] <= ir::Type::s64; }

} // namespace

const Kernel* find(const Request& r) {
  if (r.opcode == ir::Opcode::cvt)
    return has(r, ir::Modifier::pack) || converts_to_integer(r) ? find_convert_integer(r)
                                                                : find_convert_float(r);
  if (const Kernel* k = find_compare(r)) return k;
  if (const Kernel* k = find_bits(r)) return k;
  if (const Kernel* k = find_video(r)) return k;
  if (is_half(r.type[0])) return find_half(r);
  if (is_wide(r.type[0])) return find_floating(r);
  return find_integer(r);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
