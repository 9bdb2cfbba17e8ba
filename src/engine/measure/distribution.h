// Which warps a site's accesses were: every warp of a launch is in one class, with a warp to look at.
//
// The classes are those of tally.h, each with the shape of its example, and those of equal shape, lanes and cost as one.
// Lanes and cost hold for every warp of a class; what else an example shows (its stride, where it begins, the lines it
// touches) is exact for accesses in closed form that are all alike, and else that of the class's first warp.
#pragma once
#include "measure/first_block.h"
#include "measure/pattern.h"
#include "measure/tally.h"

namespace warplens::measure {

struct WarpClass {
  Shape shape{};
  u64 warps = 0;         // that the class has: each one request, or instruction in shared and constant memory
  arch::Counts counts{}; // of all of them, on the device; as if each were the example
  access::WarpAccess example{}; // its addresses from the last multiple of arch::address_period on
  CopyEnd other_end{};          // of the example, which views it
  arch::WarpCost one{};         // of the example
  u32 ways = 0;                 // shared memory: the conflict of its worst warp
  u32 starts = 0; // global memory, bit n: the first lane of one of them was n bytes past a sector's start
  bool operator==(const WarpClass&) const;
};

struct Distribution {
  static constexpr std::size_t most_classes = 16;

  std::vector<WarpClass> classes{}; // what moves most beyond need first, then by warps
  // Classes beyond the most are added to one of their shape, or else here.
  u64 other_warps = 0;
  arch::Counts other{};
  // Of all accesses of its place that ran; of several such places or launches, the sum.
  FirstBlock first_block{};
  // Atomics of global memory: updates of the word that has most, at most so many (busiest_word.h); 0: not known. Of several sites
  // or launches the sum. Blocks that stand for others are taken to go where these go: then it may be far less.
  u64 busiest_word = 0;
  bool busiest_is_bound = false;

  u64 warps() const;
  Distribution& operator*=(u64 times); // of so many launches that are alike
  bool operator==(const Distribution&) const = default;
};

// Of a site's warps; `header`: of its accesses.
Distribution distribution_of(const WarpTally&, const access::AccessHeader& header,
                             const arch::Architecture& device);
// A class of so many warps like this one, which has an active lane.
WarpClass class_of(const access::WarpAccess&, u64 warps, const arch::Architecture& device);

// Adds those of another site of the same instruction, or of another launch.
void add(Distribution&, const Distribution&);

// The shape that explains most of what the warps cost beyond need; the most frequent one where they cost nothing
// beyond. Equal ones are decided by the order of the forms.
Pattern pattern_of(const Distribution&);

} // namespace warplens::measure
