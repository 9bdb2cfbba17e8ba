// Threads become warp accesses, and the accesses counts: warp by warp, by the rules of arch/. The transactions
// of 1.x, which a picture shows one by one, are those segments whose counts add up to the rule's own.
#include "explain/model/block_offsets.h"
#include "arch/table.h"
#include "base/bits.h"
#include <algorithm>
#include <map>

namespace warplens::explain {

u32 warps(const Footprint& footprint) {
  return static_cast<u32>(ceil_div(footprint.offset.size(), warp_size));
}

access::WarpAccess access_of(const Footprint& footprint, const Mode& manner, Piece piece, u32 warp) {
  access::WarpAccess out{{.site = access::SiteId{0u},
                          .space = manner.space,
                          .kind = manner.kind,
                          .cache = manner.cache,
                          .bytes = static_cast<u8>(piece.bytes)}};
  for (u32 lane = 0; lane < warp_size; ++lane) {
    std::size_t thread = std::size_t{warp} * warp_size + lane;
    if (thread >= footprint.offset.size() || footprint.active[thread] == 0) continue;
    out.active |= u32{1} << lane;
    out.address[lane] = origin + manner.base + static_cast<u64>(footprint.offset[thread]) + piece.offset;
  }
  return out;
}

arch::Counts count_warp(const arch::Architecture& arch, const Footprint& footprint, const Mode& manner,
                        u32 warp) {
  arch::Counts sum;
  for (Piece piece : manner.pieces) sum += arch::count(arch, access_of(footprint, manner, piece, warp));
  return sum;
}

arch::Counts count_block(const arch::Architecture& arch, const Footprint& footprint, const Mode& manner) {
  arch::Counts sum;
  for (u32 warp = 0; warp < warps(footprint); ++warp) sum += count_warp(arch, footprint, manner, warp);
  return sum;
}

namespace {

// The lanes of `access` in `mask`, counted alone.
arch::Counts counted(const arch::Architecture& arch, access::WarpAccess access, u32 mask) {
  access.active &= mask;
  return arch::count(arch, access);
}

// The aligned segment that one transaction of these lanes is.
Transaction segment(const access::WarpAccess& access, u32 lanes, u64 bytes) {
  u64 lowest = ~u64{0};
  for_each_lane(lanes, [&](u32 lane) { lowest = std::min(lowest, access.address[lane]); });
  return {align_down(lowest, bytes), static_cast<u32>(bytes), lanes};
}

std::map<u64, u32> lanes_by_unit(const access::WarpAccess& access, u32 lanes, u64 unit) {
  std::map<u64, u32> out;
  for_each_lane(lanes, [&](u32 lane) { out[align_down(access.address[lane], unit)] |= u32{1} << lane; });
  return out;
}

// A half-warp: one segment, or one per unit of at most 128 bytes, or one per lane: the one that the rule's
// own count confirms.
std::vector<Transaction> of_half_warp(const arch::Architecture& arch, const access::WarpAccess& access,
                                      u32 lanes) {
  arch::Counts whole = counted(arch, access, lanes);
  for (u64 unit : {u64{256}, u64{128}, u64{64}, u64{32}}) {
    std::vector<Transaction> out;
    u64 count = 0, bytes = 0;
    for (const auto& [address, part] : lanes_by_unit(access, lanes, unit)) {
      arch::Counts of_part = counted(arch, access, part);
      count += of_part.transactions;
      bytes += of_part.transaction_bytes;
      if (of_part.transactions == 1) out.push_back(segment(access, part, of_part.transaction_bytes));
    }
    if (count == whole.transactions && bytes == whole.transaction_bytes && out.size() == count) return out;
  }
  std::vector<Transaction> out;
  for_each_lane(lanes, [&](u32 lane) {
    out.push_back({align_down(access.address[lane], 32), 32, u32{1} << lane});
  });
  return out.size() == whole.transactions ? out : std::vector<Transaction>{};
}

} // namespace

std::vector<Transaction> transactions(const arch::Architecture& arch, const access::WarpAccess& access) {
  std::vector<Transaction> out;
  if (access.space != access::Space::global || !arch.global.rule->id.starts_with("global_half_warp"))
    return out;
  for (u32 half : {0x0000ffffu, 0xffff0000u}) {
    u32 lanes = access.active & half;
    if (lanes == 0) continue;
    for (const Transaction& transaction : of_half_warp(arch, access, lanes)) out.push_back(transaction);
  }
  return out;
}

} // namespace warplens::explain
