// How long atomics of one word take, one after the other: waits that no stage of an SM shows (StageCosts), in cycles. They
// say how long it may be, and are in no sum.
#pragma once
#include "arch/arch.h"

namespace warplens::arch {

struct WordUpdates {
  // In device memory, of the whole device: L2 updates a word in so many cycles, whether lanes of one warp or of many ask for
  // it. Measured on an H200 (tests/hardware/data/h200_variants.json, "one address"): 1.76 ns for each of 1,048,576 lanes,
  // 1.81 ns for each of 32,768 warps, 3.5 cycles; inferred elsewhere.
  u32 in_l2 = 4;
  // In shared memory, of one SM, where an atomic is a loop: a load and a compare-and-swap are three wavefronts at least
  // (docs/MODEL.md, "Atomics that become loops").
  u32 in_loop = 3;
};
constexpr WordUpdates word_updates(const Architecture&) { return {}; }

} // namespace warplens::arch
