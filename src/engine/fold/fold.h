// CTA folding: one emulated CTA stands for every CTA that provably does the same.
//
// fold_launch() runs a representative of the grid's CTAs and follows, beside the ordinary execution, how every
// register would change in another CTA. Where addresses and branches depend only on indices, parameters and
// loop counters that is known exactly, and gives the set of CTAs with the same branches, the same alignment
// of every address and no access outside its array: a class. Counts of the representative hold for each
// member. The next representative is taken from what is left, until the grid is covered.
//
// Nothing is written to device memory. A launch that cannot be folded is rejected with the reason; it has then
// had no effect, and is to be launched in full. See src/engine/fold/FOLDING.md.
#pragma once
#include "fold/cta_set.h"
#include "sim/sim.h"

namespace warplens::fold {

struct FoldOptions {
  u32 most_classes = 256;   // more are not worth it: rejected
  u64 most_steps = ~u64{0}; // ops that representatives may execute, all together
  // Warp instructions of the grid, as the first representative has them: fewer are not worth it.
  u64 least_work = 0;
  // Where the accesses of a representative go. begin() may be called again without an end(): what came before
  // is then not to be counted.
  std::function<access::Sink*()> begin;
  std::function<void(const CtaSet& members)> end;
  // Memory that somebody has still to write: constants there are not known yet. May be empty.
  std::function<bool(sim::Memory::Range)> pending;
};

struct TouchedMemory { // an allocation, or registered host memory
  sim::Memory::Range range;
  bool read = false, written = false;
};

struct Folded {
  u64 classes = 0;
  u64 warp_instructions = 0, thread_instructions = 0; // of the whole grid
  std::vector<TouchedMemory> memory;                  // that the launch would access, ascending
  std::vector<sim::Memory::Range> constants;          // of those, what the proof knows the contents of
};

// The error is why the launch cannot be folded, for the report; too_small where that is not worth it.
inline constexpr std::string_view too_small = "it takes no time";
ResultOr<Folded, std::string> fold_launch(sim::Device&, const sim::Program&, const sim::LaunchSpec&,
                                          const sim::LaunchOptions&, const FoldOptions&);

} // namespace warplens::fold
