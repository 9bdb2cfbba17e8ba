// What an access costs, by brute force: sets of bytes, words and addresses, and the vendors' procedures acted
// out step by step. Written from src/hardware/arch/MODEL.md alone, without the product's rules or its helpers, and slow on
// purpose. Accesses must be aligned to their width.
#pragma once
#include "access/access.h"

namespace warplens::oracle {

struct CountedAccess {
  u64 requests = 0, tags = 0, tag_passes = 0, sectors = 0, ideal_sectors = 0, transactions = 0,
      transaction_bytes = 0;
  u64 wavefronts = 0, ideal_wavefronts = 0, data_wavefronts = 0, bytes_used = 0;
  bool operator==(const CountedAccess&) const = default;
};

CountedAccess count_by_force(u32 sm, const access::WarpAccess& access);

} // namespace warplens::oracle
