// Which rule counts an access, the space's, as the architecture's row names it, and the three forms in which
// accesses come: one warp goes to the rule; a batch to the kernel that counts like it, where there is one (batch/); a
// CTA in closed form is counted warp by warp, each warp that begins at the same place of the address period once.
//
// What this does not do: say what an access costs. That is in rules/ alone.
#include "arch/count.h"
#include "arch/batch/batch.h"
#include "arch/rules/requests.h"
#include "arch/rules/shared.h"
#include "arch/table.h"
#include "base/bits.h"
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace warplens::arch {

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
  u64 wavefronts = async_copy_wavefronts(access);
  u64 needed = ceil_div(u64{static_cast<u32>(std::popcount(access.active))} * access.bytes, 128);
  counts.wavefronts += wavefronts;
  counts.ideal_wavefronts += std::min(wavefronts, needed);
}

// One warp with an active lane.
void add(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  counts.instructions += 1;
  counts.threads += static_cast<u32>(std::popcount(access.active));
  if (!countable(access)) return; // no such instruction: nothing is known about what it would move
  rule_of(arch, access.space).rule->count(arch, access, counts);
  if (access.kind == Kind::async_copy && access.space == Space::global) add_async_copy(access, counts);
}

} // namespace

Counts count(const Architecture& arch, const access::WarpAccess& access) {
  Counts counts;
  if (access.active != 0) add(arch, access, counts);
  return counts;
}

bool moves_sectors(const Architecture& arch, const access::AccessHeader& access) {
  if (access.space == Space::texture || access.space == Space::surface) return true;
  return !arch.memory.segments && !transfers_lines(arch, access);
}

BatchCounter::BatchCounter() = default;
BatchCounter::BatchCounter(BatchCounter&&) noexcept = default;
BatchCounter::~BatchCounter() = default;

void BatchCounter::add(const Architecture& arch, const access::LaneBatch& batch) {
  if (count_batch(arch, batch, pending_, sum_)) return;
  for (u32 warp = 0; warp < batch.active.size(); ++warp)
    if (batch.active[warp] != 0) arch::add(arch, access::warp_of(batch, warp), sum_);
}

Counts BatchCounter::take() {
  if (pending_ != nullptr) count_pending(*pending_, sum_);
  return std::exchange(sum_, {});
}

Counts count(const Architecture& arch, const access::LaneBatch& batch) {
  BatchCounter counter;
  counter.add(arch, batch);
  return counter.take();
}

namespace {

// Do all full warps of the block hold lanes at the same distances from their first lane?
bool warps_alike(Dim3 block) {
  return block.x % warp_size == 0 || (warp_size % block.x == 0 && u64{block.x} * block.y % warp_size == 0);
}

u64 first_address(const access::AffineAccess& affine, u64 warp) {
  u64 thread = warp * warp_size, plane = u64{affine.block.x} * affine.block.y;
  return affine.base + static_cast<u64>(affine.stride[0]) * (thread % affine.block.x) +
         static_cast<u64>(affine.stride[1]) * (thread % plane / affine.block.x) +
         static_cast<u64>(affine.stride[2]) * (thread / plane);
}

// A full warp and what it costs wherever others like it begin at the same place of the period.
struct KnownWarp {
  u64 place;
  Counts counts;
};

} // namespace

namespace {

// One CTA whose threads all perform the access.
Counts count_one(const Architecture& arch, const access::AffineAccess& affine) {
  Counts sum;
  u64 warps = ceil_div(affine.block.count(), warp_size);
  bool alike = warps_alike(affine.block);
  std::array<KnownWarp, 8> known;
  u32 known_count = 0;
  for (u64 warp = 0; warp < warps; ++warp) {
    u32 active = access::lanes_of_warp(affine.block, static_cast<u32>(warp));
    u64 place = first_address(affine, warp) % address_period;
    bool reusable = alike && active == full_mask;
    const KnownWarp *end = known.data() + known_count, *found = end;
    if (reusable)
      found = std::find_if(known.cbegin(), known.cbegin() + known_count,
                           [&](const KnownWarp& k) { return k.place == place; });
    if (found != end) {
      sum += found->counts;
      continue;
    }
    Counts counts = count(arch, access::expand(affine, static_cast<u32>(warp)));
    if (reusable && known_count < known.size()) known[known_count++] = {place, counts};
    sum += counts;
  }
  return sum;
}

// CTAs of which not all threads perform it: their lanes, as batches.
Counts count_masked(const Architecture& arch, const access::AffineAccess& affine) {
  std::vector<u32> active(ceil_div(affine.block.count(), warp_size));
  std::vector<u64> address(active.size() * warp_size);
  access::LaneBatch batch{affine, affine.cta, active, address.data()};
  BatchCounter counter;
  for (u64 k = 0; k < affine.count; ++k) {
    access::AffineAccess one = access::cta_of(affine, k);
    for (u32 w = 0; w < active.size(); ++w) {
      active[w] = one.active[w];
      if (active[w] == 0) continue;
      access::WarpAccess warp = access::expand(one, w);
      active[w] = warp.active;
      std::copy(warp.address.begin(), warp.address.end(), address.begin() + w * warp_size);
    }
    counter.add(arch, batch);
  }
  return counter.take();
}

} // namespace

// CTAs whose bases are at the same place of the period count alike: there are at most as many kinds of them.
Counts count(const Architecture& arch, const access::AffineAccess& affine) {
  u64 period =
      address_period / std::gcd(address_period, static_cast<u64>(affine.cta_stride) % address_period);
  Counts sum;
  if (!affine.active.empty()) return count_masked(arch, affine);
  for (u64 k = 0; k < std::min(period, affine.count); ++k)
    sum += count_one(arch, access::cta_of(affine, k)) * ceil_div(affine.count - k, period);
  return sum;
}

} // namespace warplens::arch
