// What the files of conversion kernels share: dispatch over all integer types, 8-bit ones included, and what is
// done to results as a second step, so that there is not one loop for each way of doing it.
#pragma once
#include "sem/convert.h"
#include "sim/kernels/target/finish_halves.h"
#include "sim/kernels/target/staged.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {

using sem::BF16, sem::F16;

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

// The kernel of a conversion from H by way of f32, whose loop is given.
struct HalfAsFloat {
  template <class H> static float apply(H x) { return sem::to_float(x); }
};
template <class H, KernelFunction FromFloat, class D> void run_from_half(const KernelArguments& a) {
  run_staged(a, {&run_loop<HalfAsFloat, float, H>, FromFloat, 1, sizeof(H), 1, Storage<D>::bits});
}
template <class H, KernelFunction FromFloat, class D> const Kernel* from_half() {
  static constexpr Kernel described = describe<D, H>(&run_from_half<H, FromFloat, D>);
  return &described;
}

// .sat of f32 and f64: clamps the results of the loop `First`, where they are.
template <KernelFunction First, class D> void run_saturated(const KernelArguments& a) {
  First(a);
  KernelArguments results{};
  results.destination[0] = a.destination[0];
  results.source[0] = a.destination[0];
  results.lanes = a.lanes;
  run_loop<sem::Saturate, D, D>(results);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
