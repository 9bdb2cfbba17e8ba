// How many blocks of a kernel one multiprocessor holds at a time, what limits that, and what would change it.
#pragma once
#include "arch/table.h"

namespace warplens::arch {

// What a block takes.
struct BlockNeeds {
  u32 threads = 0;
  u32 registers = 0;    // per thread; 0: not known, and no limit
  u64 shared_bytes = 0; // static and dynamic
  bool operator==(const BlockNeeds&) const = default;
};

// Blocks that each resource allows; the least of them is what fits.
struct Occupancy {
  u64 by_threads = 0, by_blocks = 0, by_registers = 0, by_shared = 0;
  u64 blocks() const;
  bool limited_by(u64 Occupancy::*resource) const { return this->*resource == blocks(); }
};

// The rule of the CUDA Programming Guide (Occupancy; "Compute Capabilities", limits per multiprocessor). Each resource is
// handed out in units, so sizes are rounded up before they are divided. No blocks where one of them never fits.
Occupancy occupancy(const Limits&, const BlockNeeds&);

// The most registers a thread, or bytes of shared memory a block, with which `blocks` fit, as far as that resource goes; 0: none.
u32 registers_for(const Limits&, u32 threads, u64 blocks);
u64 shared_for(const Limits&, u64 blocks);

} // namespace warplens::arch
