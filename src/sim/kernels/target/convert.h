// What the two files of conversion kernels share: dispatch over all integer types, 8-bit ones included.
#pragma once
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {

// Calls f.operator()<Tag, T>(): how the lanes are stored, and the C++ type.
template <class F> const Kernel* with_any_integer(ir::Type type, F f) {
  switch (type) {
  case ir::Type::u8: return f.template operator()<Byte<u8>, u8>();
  case ir::Type::s8: return f.template operator()<Byte<i8>, i8>();
  default: return with_integer(type, [&]<class T>() { return f.template operator()<T, T>(); });
  }
}
inline bool is_float_type(ir::Type type) {
  return type == ir::Type::f16 || type == ir::Type::bf16 || type == ir::Type::f32 || type == ir::Type::f64;
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
