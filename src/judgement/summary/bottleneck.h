// Whether memory's throughput need be what limits a kernel.
//
// The stages of an SM can do no more than so much per cycle (limit.h). Two other things may take longer: instructions are
// issued one per scheduler and cycle, and a warp waits for what it loads. How long it waits depends on how much of it
// overlaps, so that what is given is what an average warp waits if each load comes after the one before, as often as the
// warps of an SM are replaced by others: an upper bound. The stages are taken at their cheapest, where sectors of a line that
// are asked for together share what the line costs. Where one of the others is more, the kernel may be limited by it, and
// moving less may gain nothing; and where both together come near it, a variant that moves less and executes more may be
// the slower one (two thirds: tests/hardware/HARDWARE.md, "Programs that hold several variants of a kernel").
#pragma once
#include "summary/model.h"

namespace warplens::summary {

// Cycles of an SM, of all launches together.
struct Bottleneck {
  u64 memory = 0; // the busiest stage
  u64 issue = 0;  // of the instructions of the PTX
  u64 waiting = 0;
  u64 atomics = 0;          // that wait for one another, which no stage shows: at most
  u64 loads = 0, warps = 0; // of all warps; how many there are
};

// Of so many launches.
Limiter limiter(const Bottleneck&, u64 launches);
// Of a kernel of the model: as its counts show, or as the profiler measured. `unclear` where neither tells.
Limiter limiter(const Model&, const Kernel&);
// Do the row's wait_cycles hold only if all warps meet at one word?
bool wait_is_bound(const AccessRow&);
std::string_view name(Limiter); // "memory", a word for a column of a table
// What that means for a change that moves less: one sentence.
std::string_view meaning(Limiter);

// Of the launches of the model that the kernel is the sum of, under the first architecture; nothing where none was counted.
Bottleneck bottleneck(const Model&, const Kernel&);

// Adds `times` launches that are alike.
void add(Bottleneck&, const measure::LaunchContent&, u64 times, const arch::Architecture&);

} // namespace warplens::summary
