// Small tables: what a block loads again and again, and the L1 can hold, does not come from L2 each time.
//
// A sector whose every element is loaded once, one after the other, is asked for as often as it has elements; whether it is
// still in the L1 the next time depends on what else is loaded in between, and where that was measured it mostly was not
// (tests/hardware/HARDWARE.md, "row per thread"). From twice as often on it is a table. That the blocks of an SM together fit is
// taken from what block 0 touches, each place in the source by itself: places that share data count twice, so that the
// estimate errs towards L2.
//
// Instructions of one place that share sectors, as members of a structure that are read one after the other, find them in the L1,
// if the lines of all warps fit. H100, 27 November 2026 (tests/hardware/variants_field.cu): three members of 12 bytes take 88.5 µs, three
// arrays 88.4; six neighbours of a cell side by side 24.0 µs, edge by edge 24.1; what the L1 passes on is then as much.
#pragma once
#include "arch/table.h"
#include "measure/record.h"
#include <map>

namespace warplens::measure {

// Blocks that an SM holds at a time, at most: by threads and shared memory, since registers are the assembler's to choose.
u64 resident_blocks(const LaunchContent&, const arch::Architecture&);

// What comes from L2 of the loads of one launch, and what the L1 has.
class Reuse {
public:
  Reuse() = default; // nothing stays
  // Only where the table knows an L1 that global loads go through.
  Reuse(const LaunchContent&, const arch::Architecture&);

  // Of the sectors that a site's accesses ask for, the share that comes from L2: 1, or that of the first time for each.
  // Takes what is known of several instructions of a place as well.
  double share_from_l2(const access::Site&, access::Space, const FirstBlock&) const;

private:
  bool all_stays_ = false; // what the loads of the first block touch, while the blocks beside it do the same
  std::map<Place, u64> together_; // instructions of a place whose lines stay from one of them to the next
};

} // namespace warplens::measure
