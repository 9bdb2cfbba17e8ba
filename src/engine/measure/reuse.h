// What the L1 serves: sectors that a block asks for again do not come from L2 each time.
//
// A small table stays, if what block 0 touches fits for all blocks of an SM together. Each place in the source counts by itself:
// places that share data count twice, so that the estimate errs towards L2.
//
// A walk brings each sector once: the elements of a sector are asked for one after the other by a warp, and side by side by the
// warps of the block. So a sector that is asked for no more often than it has elements, times the warps, comes from L2 once. That
// holds if the lines which the warps' last loads were in fit, those of all places. It is asked for one block, as if it were alone
// on the SM: older warps go first, so that few blocks walk at a time. Of 115 pairs of kernels that were timed on an H200 and an
// H100 (tests/hardware/order.py) the rank correlation of predicted and measured gains is then 0.70; with all resident blocks it
// is 0.68, and 0.65 where only the members of a structure that one place reads were taken to stay.
#pragma once
#include "arch/table.h"
#include "measure/record.h"

namespace warplens::measure {

// Blocks that an SM holds at a time, at most: by threads and shared memory, since registers are the assembler's to choose.
u64 resident_blocks(const LaunchContent&, const arch::Architecture&);

// What comes from L2 of the loads of one launch, and what the L1 has.
class Reuse {
public:
  Reuse() = default; // nothing stays
  // Only where the table knows an L1 that global loads go through.
  Reuse(const LaunchContent&, const arch::Architecture&);

  // Of the sectors that a site's accesses ask for, the share that comes from L2: 1, or that of the first time for each. Where threads
  // walk along rows, those of block 0 may be shorter than the others, as at the rim of a domain: an element brings as much everywhere.
  double share_from_l2(const SiteRecord&) const;

private:
  bool all_stays_ = false;  // what the loads of the first block touch, while the blocks beside it do the same
  bool steps_stay_ = false; // the lines of its warps' last loads
  u64 warps_ = 1;           // of a block
};

} // namespace warplens::measure
