// Which stage of an SM a kernel's accesses keep busiest, and the least time that they take.
//
// The stages work side by side (measure::StageCycles), so that the busiest of them is what limits the kernel, as far as
// memory does. Cycles are those of one SM of the architecture's reference part, the device that the program sees, with the
// CTAs of each launch spread evenly over as many SMs as there are CTAs for. Memory is one for all SMs: what a sector costs
// an SM was measured with all of them at work, and so its cycles are spread over all.
//
// The bound rests on less. Every access passes through the L1 or shared memory, wherever its data are, and they make one
// pass per cycle. What a sector costs depends on the caches, which are not modelled, and how often an atomic passes on
// what the assembler made of it: sectors are no part of the bound, and atomics are one pass each.
#pragma once
#include "arch/table.h"
#include "measure/record.h"

namespace warplens::summary {

// Cycles of an SM, of all launches together.
struct Limit {
  u64 tag = 0, data = 0, shared = 0, sectors = 0,
      constant = 0; // what each stage takes; `data`: the L1's, for global memory
  u64 bound = 0;    // what the accesses take at least
};

// Adds `times` launches that are alike. Accesses that depend on timing are in no sum, and so not in these.
void add(Limit&, const measure::LaunchContent&, u64 times, const arch::Architecture&);

struct Stage {
  std::string_view id;    // as in JSON
  std::string_view words; // "sectors from L2 and memory"
  std::string_view brief; // "sectors"
  u64 cycles = 0;
};
// Those that were used, busiest first. Shared memory and the L1's data stage are one: what uses it more names it.
std::vector<Stage> stages(const Limit&);

// How long so many cycles take at the clock of the reference part.
double seconds(u64 cycles, const arch::Architecture&);

} // namespace warplens::summary
