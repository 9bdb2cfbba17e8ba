// Which rule counts an access: the space's, as the architecture's row names it.
#include "arch/count.h"
#include "arch/rules.h"
#include "base/bits.h"
#include <algorithm>

namespace warplens::arch {

Counts& Counts::operator+=(const Counts& other) {
  instructions += other.instructions;
  threads += other.threads;
  requests += other.requests;
  tags += other.tags;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  data_wavefronts += other.data_wavefronts;
  transactions += other.transactions;
  transaction_bytes += other.transaction_bytes;
  bytes_used += other.bytes_used;
  return *this;
}

namespace {

using access::Kind;
using access::Space;

const SpaceRule& rule_of(const Architecture& arch, Space space) {
  switch (space) {
  case Space::shared: return arch.shared;
  case Space::local: return arch.local;
  case Space::constant: return arch.constant;
  case Space::texture:
  case Space::surface: return arch.texture;
  default: return arch.global;
  }
}

bool countable(const access::WarpAccess& access) {
  if (access.kind == Kind::ldmatrix && access.matrices != 1 && access.matrices != 2 && access.matrices != 4)
    return false;
  return access.bytes <= 32 && std::has_single_bit(access.bytes);
}

// The passes in shared memory that the counters attribute to an asynchronous copy.
void add_async_copy(const access::WarpAccess& access, Counts& counts) {
  u64 wavefronts = rules::async_copy_wavefronts(access);
  u64 needed = ceil_div(u64{static_cast<u32>(std::popcount(access.active))} * access.bytes, 128);
  counts.wavefronts += wavefronts;
  counts.ideal_wavefronts += std::min(wavefronts, needed);
}

} // namespace

Counts count(const Architecture& arch, const access::WarpAccess& access) {
  Counts counts;
  if (access.active == 0) return counts;
  counts.instructions = 1;
  counts.threads = static_cast<u32>(std::popcount(access.active));
  if (!countable(access)) return counts; // no such instruction: nothing is known about what it would move
  rule_of(arch, access.space).count(arch, access, counts);
  if (access.kind == Kind::async_copy && access.space == Space::global) add_async_copy(access, counts);
  return counts;
}

Counts count(const Architecture& arch, const access::LaneBatch& batch) {
  Counts sum;
  for (std::size_t warp = 0; warp < batch.active.size(); ++warp) {
    if (batch.active[warp] == 0) continue;
    access::WarpAccess access{batch.site,  batch.space,    batch.kind,         batch.cache,
                              batch.bytes, batch.matrices, batch.active[warp], {}};
    std::copy_n(batch.address + warp * warp_size, warp_size, access.address.begin());
    sum += count(arch, access);
  }
  return sum;
}

Counts count(const Architecture& arch, const access::AffineAccess& affine) {
  Counts sum;
  u64 warps = ceil_div(affine.block.count(), warp_size);
  for (u64 warp = 0; warp < warps; ++warp) sum += count(arch, expand(affine, static_cast<u32>(warp)));
  for (u64* field : {&sum.instructions, &sum.threads, &sum.requests, &sum.tags, &sum.sectors,
                     &sum.ideal_sectors, &sum.wavefronts, &sum.ideal_wavefronts, &sum.data_wavefronts,
                     &sum.transactions, &sum.transaction_bytes, &sum.bytes_used})
    *field *= affine.count;
  return sum;
}

} // namespace warplens::arch
