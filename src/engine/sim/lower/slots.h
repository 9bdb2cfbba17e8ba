// Sharing slots: registers whose lives do not overlap use the same storage.
#pragma once
#include "sim/lower/code.h"
#include "sim/value/bit_set.h"

namespace warplens::sim {

struct SizedConstant : Constant {
  u8 bits = 32;
};

// Sets Op::may_alias of loads and results that may lie in memory until they are read (aliasing.cpp). `code` has
// register numbers still, below `registers`.
void mark_aliases(Code&, std::size_t registers, const std::vector<u32>& block_start,
                  const std::vector<u32>& block_end);

// The basic blocks of a Code. `end` and `start` are op indices; `reconvergence` is the block where lanes that diverge
// at the end of a block meet, no_target where there is none; `reconverges` marks blocks where paths may wait before
// that.
struct BlockLayout {
  std::vector<u32> start, end, reconvergence;
  std::vector<std::vector<u32>> successors;
  std::vector<bool> reconverges;
  std::vector<bool> stays_together; // the branch at its end parts no lanes (counted_loops.h)
  std::vector<bool> opens_region;   // a region begins behind it, whose lanes wait at `reconvergence`
};

// By block: the registers whose old values lanes need that wait while others of their warp are there (killing.cpp). None where that is
// too much to find out.
std::vector<BitSet> needed_by_waiting(const Code&, const BlockLayout&, u32 registers);

// Rewrites every slot number in `code` (registers and temporaries below `constant_begin`, constants from
// there on) to final slots and fills slot_bits, constants, live_at_entry and worst_live_registers. A register that waiting lanes
// need in a block shares its slot with none that lives there.
void allocate_slots(Code& code, const std::vector<u8>& bits, SlotId constant_begin,
                    const std::vector<SizedConstant>& constants, const BlockLayout&);

// Sets Op::kills where lanes that do not execute the op need no old value of its destinations.
void mark_killing(Code&, const BlockLayout&);

} // namespace warplens::sim
