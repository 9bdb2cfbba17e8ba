// What asynchronous copies of threads (cp.async) cost, from where their lanes read and where they write.
//
// Measured on 9.0 (tests/arch/data/h200_async_copies.jsonl.gz and the copies of h100_wide_loads.jsonl.gz): 541 patterns of
// cp.async, 533 of them exact. Inferred for 8.x and from 10.0 on.
//
// Through the L1 (.ca). Lanes go in groups of 128 bytes, as stores do: the whole warp, halves, quarters. In each the lanes
// that meet at a bank of their destinations go in passes of their own, the greatest address first; and a pass takes as often
// as its lanes meet at a bank of their sources, or once if the pass before read the same lines. Lanes that read nothing, and
// write zeros, count for the destination alone.
//
// Past the L1 (.cg). Of lanes that write one place one counts. Sectors come back from L2 apart for each sector that they are
// written to, and for halves that are exchanged on the way: that many sectors are asked for. A pass writes sectors of one
// line from one line, each read once, that are exchanged alike within pairs of sectors, and of which the same halves are
// written. A copy that says how much each lane reads makes the passes of a copy through the L1 besides, to write its zeros.
#pragma once
#include "access/access.h"
#include "arch/counts.h"
#include "arch/table.h"

namespace warplens::arch {

// A warp's copy, one lane of it at least. Where the destinations are not known, they are taken for free of conflicts.
void add_async_copy(const Architecture&, const access::WarpAccess&, Counts&);

// Its half in shared memory (access::copied_half()): the same passes, and nothing of what is read. Through the L1 each of
// them takes a cycle; past it a copy takes what its passes do not tell (h200_async_rates.jsonl), so that there none is more
// than it needs.
void add_copied_half(const Architecture&, const access::WarpAccess&, Counts&);

} // namespace warplens::arch
