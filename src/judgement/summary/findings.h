// What the program's accesses sum up to: totals, the lines of all kernels in one order, and findings, which are causes
// rather than accesses. An unrolled loop, six members of one structure, sixty accesses with one wrong index: one finding.
#pragma once
#include "summary/model.h"

namespace warplens::summary {

// Fills in the model's totals, shares, lines and findings from its kernels.
void find_causes(Model&);

// The advice that a headline gives; null where there is none.
const advise::Advice* main_advice(const AccessRow&);

// What hardware does, where the assembler combines lanes by itself: that is known of the first architecture.
const arch::Counts& done_of(const AccessRow&, std::size_t architecture = 0);

// What counts mean per request for an access like `site`. `device`: null where the table has no such architecture.
Cost cost_of(const arch::Counts&, access::Space, const access::Site&, const arch::Architecture* device);

// What all accesses of a space moved for nothing, in bytes: of spilled registers everything, which `totals` do not tell apart.
u64 excess_bytes(const Model&, access::Space, std::size_t architecture = 0);
u64 excess_bytes(const Kernel&, access::Space, std::size_t architecture = 0);

// What reports call moved: the bytes between warps and the L1, and those of them for nothing. Shared memory is counted in passes, and
// constant memory in requests: neither is traffic.
struct Traffic {
  u64 bytes = 0, excess_bytes = 0;
};
bool is_traffic(access::Space);
Traffic traffic(const Kernel&);
Traffic traffic(const Model&); // of kernels that were counted

double share_of(u64 part, u64 all); // 0 of nothing

} // namespace warplens::summary
