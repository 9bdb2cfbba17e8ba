// The one policy for padding rows of shared memory, for programs (rules/bank_conflict.cpp) and for single expressions
// (explain/fixes/rows.cpp): paddings are tried, and the smallest that works is named.
#pragma once
#include "arch/counts.h"

namespace warplens::advise {

inline constexpr u32 most_padding =
    32; // words, or elements where those are wider: from there on banks repeat

struct Padding {
  u32 units = 0; // 0: none of those tried lowers the count
  arch::Counts after{};
};

// The smallest padding that leaves no conflict; where none does, the smallest of those that lower it most. `counted(k)`
// is the count with rows longer by k units, 1 … most_padding; `before`: without.
template <class F> Padding smallest_padding(const arch::Counts& before, F&& counted) {
  Padding best{0, before};
  for (u32 units = 1; units <= most_padding && best.after.wavefronts > before.ideal_wavefronts; ++units) {
    arch::Counts after = counted(units);
    if (after.wavefronts < best.after.wavefronts) best = {units, after};
  }
  return best;
}

} // namespace warplens::advise
