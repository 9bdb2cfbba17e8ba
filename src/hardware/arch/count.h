// Counting one access, in the three forms that engines hand over. All three must agree: a test holds them to
// it.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "arch/counts.h"
#include <memory>
#include <vector>

namespace warplens::arch {

Counts count(const Architecture&, const access::WarpAccess&); // the rule, plainly written
Counts count(const Architecture&, const access::LaneBatch&);  // the same, many warps, vectorised
Counts count(const Architecture&,
             const access::AffineAccess&); // the same, a CTA in closed form; includes `count`

// A warp again, but for the passes of the L1's stages (arch/stages.h): all that is the same wherever it is at the same
// place of the address period.
Counts count_by_place(const Architecture&, const access::WarpAccess&);

// Of what moves in bulk (rules/bulk.cpp).
Counts count_bulk(const Architecture&, const access::BulkAccess&);

// Is there a rule for what accesses cost in the L1's tag and data stages? And does it count this access?
bool knows_stages(const Architecture&);
bool counts_stages(const Architecture&, const access::AccessHeader&);

// May the passes of the L1's stages in these counts differ from the hardware's? On an architecture that was not
// measured; of reductions and atomics; data wavefronts of stores of 1 and 2 bytes that may have been scattered over
// more tag passes than go through together; and of folded CTAs, which begin at other places than their representative,
// where a warp's lines are more than one (src/hardware/arch/MODEL.md). `counts`: of one access, or sums.
struct StageEstimates {
  bool tag_passes = false, data_wavefronts = false;
};
StageEstimates stage_estimates(const Architecture&, const access::AccessHeader&, const Counts& counts,
                               bool folded = false);

// Does what leaves for the next level of memory travel in sectors? Not where an L1 fetches whole lines, nor
// where a half-warp moves segments of several sizes (1.x).
bool moves_sectors(const Architecture&, const access::AccessHeader&);

// What one warp costs.
WarpCost cost_of(const Counts& one_warp, access::Space);

// Counts batches of one instruction as they come. Warps may wait until there are enough to be counted side by
// side, so that what was added is complete only when taken. The costs, where wanted, are those of the warps with an
// active lane that were counted since the last call, in the order in which they were added.
class BatchCounter {
public:
  BatchCounter();
  BatchCounter(BatchCounter&&) noexcept;
  ~BatchCounter();
  void add(const Architecture&, const access::LaneBatch&, std::vector<WarpCost>* costs = nullptr);
  Counts take(std::vector<WarpCost>* costs = nullptr); // of all batches since the last time

private:
  u32 waiting() const;

  Counts sum_;
  std::unique_ptr<struct Pending> pending_;
};

// The different warps of CTAs in closed form all of whose threads take part: each stands for `times` warps that count
// alike, of which it is the first, in CTA `cta` of the access. In the order of the CTAs, then of their warps.
struct WarpKind {
  access::WarpAccess warp;
  u64 cta = 0, times = 1;
};
std::vector<WarpKind> warp_kinds(const access::AffineAccess&);

// The lanes of CTAs in closed form of which not all threads take part.
struct MaskedLanes {
  explicit MaskedLanes(const access::AffineAccess&);
  MaskedLanes(const MaskedLanes&) = delete;
  access::LaneBatch batch; // of what follows
  std::vector<u32> active;
  std::vector<u64> address;
};

} // namespace warplens::arch
