// Counting one access, in the three forms that engines hand over. All three must agree: a test holds them to
// it. The definitions of the counts are those of docs/MODEL.md; keys that do not apply to a space stay 0.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include <memory>

namespace warplens::arch {

struct Counts {
  u64 instructions = 0; // warps with at least one active lane
  u64 threads = 0;      // active lanes
  u64 requests = 0, tags = 0, sectors = 0, ideal_sectors = 0;
  u64 wavefronts = 0, ideal_wavefronts = 0, data_wavefronts = 0;
  u64 transactions = 0, transaction_bytes = 0;
  u64 bytes_used = 0; // distinct bytes asked for
  Counts& operator+=(const Counts&);
  bool operator==(const Counts&) const = default;
};

Counts count(const Architecture&, const access::WarpAccess&); // the rule, plainly written
Counts count(const Architecture&, const access::LaneBatch&);  // the same, many warps, vectorised
Counts count(const Architecture&,
             const access::AffineAccess&); // the same, a CTA in closed form; includes `count`

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
