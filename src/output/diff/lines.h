// The lines of a kernel before and after, and the accesses of each: internal to the room.
#pragma once
#include "diff/model.h"

namespace warplens::diff {

// One side of a comparison, and how its numbers are taken.
struct View {
  const summary::Model& model;
  u32 sm; // one of the model's architectures

  // Of one access that does not depend on timing, under `sm`.
  Cost cost(const summary::Kernel&, const summary::AccessRow&) const;
  // Sums them up.
  Cost cost(const summary::Kernel&) const;
  std::size_t
  architecture(const summary::Kernel&) const; // the place of `sm` in Kernel::sm; its size where it is not
};

// `scale`: what counts are divided by, of either side.
struct Scale {
  double before = 1, after = 1;
};

// What changed most first. A kernel that is null has no lines.
std::vector<Line> compare_lines(const View& before, const summary::Kernel*, const View& after,
                                const summary::Kernel*, const Scale&);

// The texts of a kernel's lines, for what resembles what.
std::vector<std::string> line_keys(const summary::Kernel&);

Cost scaled(Cost, double divisor);
// Worse, better, added, removed, same; of each, what changed most first.
bool comes_before(Change a, double by_a, Change b, double by_b);

} // namespace warplens::diff
