// From lanes to patterns: the classification behind the report's "pattern" column.
//
// One warp is put into the first form of this list that fits: one lane, broadcast, contiguous (or misaligned,
// or with inactive lanes between), a constant stride, rows of lanes that lie equally far apart, a permutation
// without waste, scattered. Shared memory is described by its bank conflicts, constant memory by its distinct
// addresses, local memory by whether all lanes use the same offset. A tally counts the forms of a site's
// sampled warps and reports the most frequent one; equal counts are decided by the order of the forms, never
// by the order of arrival, so that the result does not depend on the number of workers.
#pragma once
#include "arch/counts.h"
#include "measure/pattern.h"
#include <map>

namespace warplens::measure {

struct Observation {
  Shape shape;
  u32 lanes = 0; // active
  u32 units = 0; // as in Pattern
};

// `counts` is the same access under the architecture that the pattern is for, which only those to shared and
// local memory need. The access has an active lane.
Observation observe(const access::WarpAccess&, const arch::Counts& counts);

class PatternTally {
public:
  void add(const Observation&);
  void add(const PatternTally&, u64 times = 1);
  Pattern most_frequent() const;

private:
  struct Sums {
    u64 warps = 0, lanes = 0, units = 0;
    u32 most_units = 0;
  };
  std::map<Shape, Sums> shapes_;
};

} // namespace warplens::measure
