// Small tables: what a block loads again and again, and the L1 can hold, does not come from L2 each time.
//
// A sector whose every element is loaded once, one after the other, is asked for as often as it has elements; whether it is
// still in the L1 the next time depends on what else is loaded in between, and where that was measured it mostly was not
// (docs/HARDWARE.md, "row per thread"). From twice as often on it is a table. That the blocks of an SM together fit is
// taken from what block 0 touches, each place in the source by itself: places that share data count twice, so that the
// estimate errs towards L2.
#pragma once
#include "arch/table.h"
#include "measure/record.h"

namespace warplens::measure {

// Blocks that an SM holds at a time, at most: by threads and shared memory, since registers are the assembler's to choose.
u64 resident_blocks(const LaunchContent&, const arch::Architecture&);

// Does what the loads of the first block touch stay in the L1 while the blocks beside it do the same? Only where the table
// knows an L1 that global loads go through.
bool stays_in_l1(const LaunchContent&, const arch::Architecture&);

// Of the sectors that a site's accesses ask for, the share that comes from L2: 1, or that of the first time for each.
// `stays`: as above.
double share_from_l2(const access::Site&, access::Space, const FirstBlock&, bool stays);

} // namespace warplens::measure
