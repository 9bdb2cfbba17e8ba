// Which rule counts an access, the space's, as the architecture's row names it, and the three forms in which
// accesses come: one warp goes to the rule; a batch to the kernel that counts like it, where there is one (batch.cpp); a
// CTA in closed form is counted warp by warp, each warp that begins at the same place of the address period once.
//
// What this does not do: say what an access costs. That is in rules/ alone.
#include "arch/count.h"
#include "arch/forms/batch.h"
#include "arch/rules/async_copy.h"
#include "arch/rules/l1_stages.h"
#include "arch/rules/requests.h"
#include "arch/rules/shared.h"
#include "arch/stages.h"
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

// One warp with an active lane.
void add(const Architecture& arch, const access::WarpAccess& access, Counts& counts) {
  counts.instructions += 1;
  counts.threads += static_cast<u32>(std::popcount(access.active));
  if (!countable(access)) return; // no such instruction: nothing is known about what it would move
  if (access.kind == Kind::async_copy && access.space == Space::global)
    return add_async_copy(arch, access, counts);
  if (access.kind == Kind::async_copy && access.space == Space::shared)
    return add_copied_half(arch, access, counts);
  rule_of(arch, access.space).rule->count(arch, access, counts);
}

} // namespace

Counts count_by_place(const Architecture& arch, const access::WarpAccess& access) {
  Counts counts;
  if (access.active != 0) add(arch, access, counts);
  return counts;
}

Counts count(const Architecture& arch, const access::WarpAccess& access) {
  Counts counts = count_by_place(arch, access);
  if (access.active != 0 && counts_stages(arch, access)) arch.stages.rule->count(arch, access, counts);
  return counts;
}

bool knows_stages(const Architecture& arch) { return arch.stages.rule != nullptr; }

bool counts_stages(const Architecture& arch, const access::AccessHeader& access) {
  return knows_stages(arch) && access.space == Space::global && access.kind != Kind::async_copy &&
         access.bytes <= 32 && std::has_single_bit(access.bytes);
}

StageEstimates stage_estimates(const Architecture& arch, const access::AccessHeader& access,
                               const Counts& counts, bool folded) {
  if (!counts_stages(arch, access)) return {};
  if (arch.stages.source.grade != Grade::measured || is_atomic(access.kind)) return {true, true};
  if (folded && counts.tags > counts.requests) return {true, true};
  bool narrow = access.kind == Kind::store && access.bytes < 4;
  return {false, narrow && counts.tag_passes >= counts.instructions + passes_together(access.bytes)};
}

WarpCost cost_of(const Counts& one, Space space) {
  u64 cost = space == Space::shared ? one.wavefronts
             : space == Space::constant
                 ? one.requests
                 : one.transactions + one.wavefronts * 64; // of copies: at most 32, and a few
  return {static_cast<u16>(one.threads), static_cast<u16>(cost)};
}

bool moves_sectors(const Architecture& arch, const access::AccessHeader& access) {
  if (access.space == Space::texture || access.space == Space::surface) return true;
  return !arch.memory.segments && !transfers_lines(arch, access);
}

BatchCounter::BatchCounter() = default;
BatchCounter::BatchCounter(BatchCounter&&) noexcept = default;
BatchCounter::~BatchCounter() = default;

u32 BatchCounter::waiting() const {
  if (pending_ == nullptr) return 0;
  return (pending_->words == nullptr ? 0 : pending_->words->count) +
         (pending_->blocks == nullptr ? 0 : pending_->blocks->count);
}

void BatchCounter::add(const Architecture& arch, const access::LaneBatch& batch,
                       std::vector<WarpCost>* costs) {
  if (costs != nullptr) costs->resize(waiting() + batch.active.size());
  WarpCost* next = costs == nullptr ? nullptr : costs->data();
  if (!count_batch(arch, batch, pending_, sum_, next))
    for (u32 warp = 0; warp < batch.active.size(); ++warp) {
      if (batch.active[warp] == 0) continue;
      Counts one = count(arch, access::warp_of(batch, warp));
      sum_ += one;
      if (next != nullptr) *next++ = cost_of(one, batch.space);
    }
  if (costs != nullptr) costs->resize(static_cast<std::size_t>(next - costs->data()));
}

Counts BatchCounter::take(std::vector<WarpCost>* costs) {
  if (costs != nullptr) costs->resize(waiting());
  if (pending_ != nullptr) count_pending(*pending_, sum_, costs == nullptr ? nullptr : costs->data());
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

// Those of one CTA that stands for `times`. Full warps that begin at the same place of the period count alike.
void append_kinds(const access::AffineAccess& affine, u64 k, u64 times, std::vector<WarpKind>& out) {
  access::AffineAccess one = access::cta_of(affine, k);
  u64 warps = ceil_div(one.block.count(), warp_size);
  bool alike = warps_alike(one.block);
  std::array<std::pair<u64, std::size_t>, 8> known; // place, index in `out`
  u32 known_count = 0;
  for (u64 warp = 0; warp < warps; ++warp) {
    u64 place = first_address(one, warp) % address_period;
    bool reusable = alike && access::lanes_of_warp(one.block, static_cast<u32>(warp)) == full_mask;
    const auto *end = known.data() + known_count, *found = end;
    if (reusable)
      found = std::find_if(known.data(), known.data() + known_count,
                           [&](const auto& k) { return k.first == place; });
    if (found != end) {
      out[found->second].times += times;
      continue;
    }
    if (reusable && known_count < known.size()) known[known_count++] = {place, out.size()};
    out.push_back({access::expand(one, static_cast<u32>(warp)), k, times});
  }
}

} // namespace

// CTAs whose bases are at the same place of the period count alike: there are at most as many kinds of them.
std::vector<WarpKind> warp_kinds(const access::AffineAccess& affine) {
  u64 period =
      address_period / std::gcd(address_period, static_cast<u64>(affine.cta_stride) % address_period);
  std::vector<WarpKind> out;
  for (u64 k = 0; k < std::min(period, affine.count); ++k)
    append_kinds(affine, k, ceil_div(affine.count - k, period), out);
  return out;
}

MaskedLanes::MaskedLanes(const access::AffineAccess& affine)
    : batch{affine}, active(affine.active.begin(), affine.active.end()), address(active.size() * warp_size) {
  batch.cta = affine.cta;
  batch.cta_warps = static_cast<u32>(ceil_div(affine.block.count(), warp_size));
  for (u64 k = 0, w = 0; k < affine.count; ++k) {
    access::AffineAccess one = access::cta_of(affine, k);
    for (u32 warp = 0; warp < batch.cta_warps; ++warp, ++w) {
      if (active[w] == 0) continue;
      access::WarpAccess lanes = access::expand(one, warp);
      active[w] = lanes.active;
      std::copy(lanes.address.begin(), lanes.address.end(), address.begin() + w * warp_size);
    }
  }
  batch.active = active;
  batch.address = address.data();
}

Counts count(const Architecture& arch, const access::AffineAccess& affine) {
  if (!affine.active.empty()) return count(arch, MaskedLanes(affine).batch);
  Counts sum;
  for (const WarpKind& kind : warp_kinds(affine)) sum += count_by_place(arch, kind.warp) * kind.times;
  if (counts_stages(arch, affine)) AffineStages(affine).count(affine).add_to(sum);
  return sum;
}

} // namespace warplens::arch
