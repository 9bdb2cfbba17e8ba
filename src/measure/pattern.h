// What the lanes of a warp look like, in words: the classification behind the report's "pattern" column.
//
// One warp is put into the first form of this list that fits: one lane, broadcast, contiguous (or misaligned,
// or with inactive lanes between), a constant stride, rows of lanes that lie equally far apart, a permutation
// without waste, scattered. Shared memory is described by its bank conflicts, constant memory by its distinct
// addresses, local memory by whether all lanes use the same offset. A tally counts the forms of a site's
// sampled warps and reports the most frequent one; equal counts are decided by the order of the forms, never
// by the order of arrival, so that the result does not depend on the number of workers.
#pragma once
#include "arch/count.h"
#include "measure/record.h"
#include <map>

namespace warplens::measure {

enum class Form : u8 {
  one_lane,
  broadcast,
  contiguous,
  reversed,
  permuted,
  with_gaps,
  misaligned,
  strided,
  rows,
  scattered,
  no_conflict,
  conflict,
  distinct_constants,
  local_together,
  local_apart
};

// A form with what makes two warps of that form alike. Members that a form does not use stay 0.
struct Shape {
  Form form = Form::scattered;
  i64 stride = 0; // bytes between neighbouring lanes (of a row)
  u32 rows = 0, row_lanes = 0;
  i64 gap = 0;    // bytes from one row's start to the next
  u32 offset = 0; // misaligned: bytes past a sector's start
  auto operator<=>(const Shape&) const = default;
};

struct Observation {
  Shape shape;
  u32 lanes = 0; // active
  u32 units = 0; // sectors, bank-conflict ways or distinct addresses: what the text of the form speaks of
};

// `counts` is the same access under the architecture that the text is for, which only those to shared and
// local memory need. The access has an active lane.
Observation observe(const access::WarpAccess&, const arch::Counts& counts);

class PatternTally {
public:
  void add(const Observation&);
  void add(const PatternTally&, u64 times = 1);
  Pattern most_frequent(const access::Site&) const;

private:
  struct Sums {
    u64 warps = 0, lanes = 0, units = 0;
    u32 most_units = 0;
  };
  std::map<Shape, Sums> shapes_;
};

} // namespace warplens::measure
