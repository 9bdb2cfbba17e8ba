// How an instruction splits into requests, and what a request is allowed to move: shared by the plain rules
// and the vectorised ones, so that they cannot differ.
#pragma once
#include "arch/table.h"
#include "base/bits.h"
#include <bit>

namespace warplens::arch {

// Calls f(lanes) for each group of `size` neighbouring lanes with an active one; `size` divides 32.
template <class F> void for_each_group(u32 active, u32 size, F&& f) {
  for (u32 first = 0; first < warp_size; first += size) {
    u32 lanes = active & (low_lanes(size) << first);
    if (lanes != 0) f(lanes);
  }
}

// 2.x and 3.x: no request asks for more than 128 bytes.
constexpr u32 lanes_per_request(u32 bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : bytes <= 16 ? 8 : 4; }

constexpr u64 ideal_sectors(u64 sectors, u32 lanes, u32 bytes) {
  u64 needed = ceil_div(u64{static_cast<u32>(std::popcount(lanes))} * bytes, 32);
  return sectors < needed ? sectors : needed;
}

// Does this access go through an L1 whose unit of transfer is the whole line?
// Stores, reductions and atomics never do: they are performed in L2.
template <class Access> bool transfers_lines(const Architecture& arch, const Access& access) {
  using access::Cache;
  bool loads = access.kind == access::Kind::load || access.kind == access::Kind::async_copy;
  if (access.space == access::Space::local) return loads && arch.memory.local_lines;
  if (arch.memory.l1 == L1Policy::none || arch.memory.l1_line == arch.memory.sector) return false;
  if (!loads) return false;
  switch (access.cache) {
  case Cache::ca: return true;
  case Cache::nc: return arch.memory.l1_for_nc || arch.memory.l1 == L1Policy::on;
  case Cache::cg:
  case Cache::cv:
  case Cache::volatile_: return false;
  default: return arch.memory.l1 == L1Policy::on;
  }
}

} // namespace warplens::arch
