// The loops of lane_exchange.h between a register and its parts.
#include "sim/kernels/lane_exchange.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

template <class Whole, class Part, u32 count> void join(Whole* out, const Part* const* parts, u32 lanes) {
  const Part* part[count];
  for (u32 p = 0; p < count; ++p) part[p] = parts[p];
#pragma GCC ivdep
  for (u32 i = 0; i < lanes; ++i) {
    Whole value = 0;
    for (u32 p = 0; p < count; ++p) value |= static_cast<Whole>(Whole{part[p][i]} << (p * sizeof(Part) * 8));
    out[i] = value;
  }
}

template <class Part, class Whole> void part(Part* out, const Whole* in, u32 shift, u32 lanes) {
#pragma GCC ivdep
  for (u32 i = 0; i < lanes; ++i) out[i] = static_cast<Part>(in[i] >> shift);
}

constexpr LaneParts functions{join<u32, u16, 2>, join<u64, u32, 2>, join<u64, u16, 4>,
                              part<u16, u32>,    part<u32, u64>,    part<u16, u64>};

} // namespace

const LaneParts& lane_parts() { return functions; }

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
