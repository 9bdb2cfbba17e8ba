// See occupancy.h.
#include "arch/occupancy.h"
#include "base/bits.h"
#include "base/types.h"
#include <algorithm>

namespace warplens::arch {

u64 Occupancy::blocks() const { return std::min({by_threads, by_blocks, by_registers, by_shared}); }

static u64 blocks_by_registers(const Limits& limits, u32 registers, u64 warps) {
  const u64 per_warp = align_up(u64{registers} * warp_size, limits.register_allocation_unit);
  const u64 warps_that_fit =
      limits.registers_per_sm / per_warp / limits.warp_schedulers * limits.warp_schedulers;
  return warps_that_fit / warps;
}

Occupancy occupancy(const Limits& limits, const BlockNeeds& block) {
  if (block.threads == 0 || block.threads > limits.threads_per_block ||
      block.shared_bytes > limits.shared_per_block_optin)
    return {};
  const u64 warps = ceil_div(block.threads, warp_size);
  const u64 shared =
      align_up(block.shared_bytes + limits.shared_reserved_per_block, limits.shared_allocation_unit);
  Occupancy out{limits.threads_per_sm / warp_size / warps, limits.blocks_per_sm, limits.blocks_per_sm,
                limits.blocks_per_sm};
  if (block.registers != 0) out.by_registers = blocks_by_registers(limits, block.registers, warps);
  if (shared != 0) out.by_shared = limits.shared_per_sm / shared;
  return out;
}

u32 registers_for(const Limits& limits, u32 threads, u64 blocks) {
  const u64 warps = ceil_div(threads, warp_size);
  for (u32 registers = limits.registers_per_thread; registers != 0 && warps != 0; --registers)
    if (blocks_by_registers(limits, registers, warps) >= blocks) return registers;
  return 0;
}

u64 shared_for(const Limits& limits, u64 blocks) {
  if (blocks == 0) return 0;
  const u64 each = align_down(limits.shared_per_sm / blocks, limits.shared_allocation_unit);
  return std::min<u64>(each > limits.shared_reserved_per_block ? each - limits.shared_reserved_per_block : 0,
                       limits.shared_per_block_optin);
}

} // namespace warplens::arch
