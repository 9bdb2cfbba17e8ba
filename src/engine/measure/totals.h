// What counts say: bytes, excess, cycles and shares. Every report takes them from these functions, so that two views cannot
// disagree.
#pragma once
#include "access/site.h"
#include "arch/table.h"

namespace warplens::measure {

// What an access moved beyond what its lanes asked for, never negative: sectors (global, local, texture,
// surface), wavefronts (shared), requests beyond one per instruction (constant). The unit depends on the
// space: never add the excess of different spaces.
u64 excess(const arch::Counts&, access::Space);

// What an access moved and what would have done, in bytes, so that spaces and architectures compare:
// transactions with device memory, 128 bytes per shared wavefront, 4 per constant request.
u64 bytes_moved(const arch::Counts&, access::Space);
u64 bytes_needed(const arch::Counts&, access::Space);
u64 excess_bytes(const arch::Counts&, access::Space);

// What counts cost at each stage that accesses pass through, in cycles of one SM of the architecture
// (arch::StageCosts). The stages work side by side: what it costs is what the busiest one takes. So accesses of all
// spaces compare, which bytes do not let them.
struct StageCycles {
  u64 tag = 0, data = 0, sectors = 0; // the L1's tag stage and data stage; from L2 and memory
  u64 busiest() const;
};
// `from_l2`: of the sectors, the share that comes from there (reuse.h).
StageCycles cycles(const arch::Counts&, access::Space, const arch::Architecture&, double from_l2 = 1);
StageCycles ideal_cycles(const arch::Counts&, access::Space, const arch::Architecture&,
                         double from_l2 = 1); // what would have done
u64 excess_cycles(const arch::Counts&, access::Space, const arch::Architecture&, double from_l2 = 1);

// The same of one access: what spilled registers move is all for nothing, since no lane asked for it.
u64 excess_bytes(const arch::Counts&, access::Space, const access::Site&);
u64 excess_cycles(const arch::Counts&, access::Space, const access::Site&, const arch::Architecture&,
                  double from_l2 = 1);

// Bandwidth efficiency: bytes asked for by active lanes (each byte once) / bytes moved; shared: ideal
// wavefronts / wavefronts; constant: instructions / requests. 1 where nothing moved, never above 1.
double efficiency(const arch::Counts&, access::Space);

} // namespace warplens::measure
