// Counting one access, in the three forms that engines hand over. All three must agree: a test holds them to
// it.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "arch/counts.h"
#include <memory>

namespace warplens::arch {

Counts count(const Architecture&, const access::WarpAccess&); // the rule, plainly written
Counts count(const Architecture&, const access::LaneBatch&);  // the same, many warps, vectorised
Counts count(const Architecture&,
             const access::AffineAccess&); // the same, a CTA in closed form; includes `count`

// Does what leaves for the next level of memory travel in sectors? Not where an L1 fetches whole lines, nor
// where a half-warp moves segments of several sizes (1.x).
bool moves_sectors(const Architecture&, const access::AccessHeader&);

// Counts batches of one instruction as they come. Warps may wait until there are enough to be counted side by
// side, so that what was added is complete only when taken.
class BatchCounter {
public:
  BatchCounter();
  BatchCounter(BatchCounter&&) noexcept;
  ~BatchCounter();
  void add(const Architecture&, const access::LaneBatch&);
  Counts take(); // of all batches since the last time

private:
  Counts sum_;
  std::unique_ptr<struct Pending> pending_;
};

} // namespace warplens::arch
