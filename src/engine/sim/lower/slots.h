// Sharing slots: registers whose lives do not overlap use the same storage.
#pragma once
#include "sim/lower/code.h"

namespace warplens::sim {

struct SizedConstant : Constant {
  u8 bits = 32;
};

// Sets Op::may_alias of loads and results that may lie in memory until they are read (aliasing.cpp). `code` has
// register numbers still, below `registers`.
void mark_aliases(Code&, std::size_t registers, const std::vector<u32>& block_start,
                  const std::vector<u32>& block_end);

// Rewrites every slot number in `code` (registers and temporaries below `constant_begin`, constants from
// there on) to final slots and fills slot_bits, constants, live_at_entry and worst_live_registers.
// `successors` is per block.
void allocate_slots(Code& code, const std::vector<u8>& bits, SlotId constant_begin,
                    const std::vector<SizedConstant>& constants, const std::vector<u32>& block_start,
                    const std::vector<u32>& block_end, const std::vector<std::vector<u32>>& successors);

// The basic blocks of a Code. `end` and `start` are op indices; `reconvergence` is the block where lanes that diverge
// at the end of a block meet, no_target where there is none; `reconverges` marks blocks where paths may wait before
// that.
struct BlockLayout {
  std::vector<u32> start, end, reconvergence;
  std::vector<std::vector<u32>> successors;
  std::vector<bool> reconverges;
  std::vector<bool> opens_region; // a region begins behind it, whose lanes wait at `reconvergence`
};

// Sets Op::kills where lanes that do not execute the op need no old value of its destinations.
void mark_killing(Code&, const BlockLayout&);

} // namespace warplens::sim
