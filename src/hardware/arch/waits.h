// Waits that no stage of an SM shows (StageCosts), in cycles: of atomics of one word for one another, of a warp for what it
// loads. They say how long it may be, and are in no sum.
#pragma once
#include "arch/arch.h"

namespace warplens::arch {

struct WordUpdates {
  // In device memory, of the whole device: L2 updates a word in so many cycles, whether lanes of one warp or of many ask for
  // it. Measured on an H200 (tests/hardware/data/h200_variants.json, "one address"): 1.76 ns for each of 1,048,576 lanes,
  // 1.81 ns for each of 32,768 warps, 3.5 cycles, rounded up; inferred elsewhere.
  u32 in_l2 = 4;
  // In shared memory, of one SM, where an atomic is a loop: a load and a compare-and-swap are three wavefronts at least
  // (src/hardware/arch/MODEL.md, "Atomics that become loops").
  u32 in_loop = 3;
};
constexpr WordUpdates word_updates(const Architecture&) { return {}; }

// What a line takes from memory, and each of its sectors that are asked for together, in cycles of an SM: measured on an
// H200, all SMs at work (tests/arch/data/h200_rates.jsonl: 55.3 for eight lines with all sectors, 133.5 for 32 lines with
// one); inferred elsewhere.
struct LineCosts {
  double line = 3.3, sector = 0.9;
};
constexpr LineCosts line_costs(const Architecture&) { return {}; }

// From a load to the first instruction that needs it, where nobody else is in the way: measured on an H200
// (tests/arch/data/h200_rates.jsonl, by tests/arch/hardware/latency.cu); inferred elsewhere.
struct Latencies {
  u32 l2 = 288, shared = 29;
};
constexpr Latencies latencies(const Architecture&) { return {}; }

} // namespace warplens::arch
