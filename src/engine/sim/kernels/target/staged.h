// Kernels in two loops: the first turns sources into numbers of another type, the second computes on those.
// n first and m second loops serve n·m combinations; the numbers in between stay in the nearest cache. For what
// is seldom used: comparisons and conversions of halves.
#pragma once
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {

struct Stages {
  KernelFunction first; // one source, one result, or for packed sources two: the low and the high elements
  KernelFunction second;
  u32 sources;      // 1 or 2
  u32 source_bytes; // of a lane
  u32 parts;        // results of `first`; `second` runs for each of them, into a destination of its own
  u32 result_bits;  // of `second`
};

inline constexpr u32 staged_lanes = 512; // at a time

[[gnu::noinline, gnu::noclone]] inline void run_staged(const KernelArguments& a, Stages stages) {
  alignas(64) u64 between[2][2][staged_lanes]; // by source and part
  for (u32 at = 0; at < a.lanes; at += staged_lanes) {
    KernelArguments first{}, second{};
    second.variant = a.variant;
    second.lanes = a.lanes - at < staged_lanes ? a.lanes - at : staged_lanes;
    for (u32 s = 0; s < stages.sources; ++s) {
      bool uniform = a.blocks[s] == one_block;
      first.source[0] =
          static_cast<const u8*>(a.source[s]) + std::size_t{at & a.blocks[s]} * stages.source_bytes;
      first.lanes = uniform && second.lanes > 32 ? 32 : second.lanes;
      for (u32 p = 0; p < stages.parts; ++p) first.destination[p] = between[s][p];
      second.blocks[s] = a.blocks[s];
      stages.first(first);
    }
    for (u32 p = 0; p < stages.parts; ++p) {
      for (u32 s = 0; s < stages.sources; ++s) second.source[s] = between[s][p];
      second.destination[0] = static_cast<u8*>(a.destination[p]) + std::size_t{at} * stages.result_bits / 8;
      stages.second(second);
    }
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
