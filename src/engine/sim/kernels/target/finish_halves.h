// .sat and .relu of f16 and bf16: a second loop over finished results, so that no other is there three times.
#pragma once
#include "sem/half.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {

inline bool is_brain(ir::Type type) { return type == ir::Type::bf16 || type == ir::Type::bf16x2; }
[[gnu::noinline]] inline void finish_halves(const KernelArguments& a, u32 per_lane) {
  u16* halves = static_cast<u16*>(a.destination[0]);
  u32 count = a.lanes * per_lane;
  bool brain = is_brain(a.variant.type[0]);
  u16 one = brain ? 0x3f80 : 0x3c00, infinity = brain ? 0x7f80 : 0x7c00;
  if (a.variant.relu)
    for (u32 i = 0; i < count; ++i) halves[i] = sem::relu_half(halves[i]);
  else
    for (u32 i = 0; i < count; ++i) halves[i] = sem::saturate_half(halves[i], one, infinity);
}
template <KernelFunction First, u32 PerLane> void run_finished(const KernelArguments& a) {
  First(a);
  finish_halves(a, PerLane);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
