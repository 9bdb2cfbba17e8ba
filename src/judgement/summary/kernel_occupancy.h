// How many warps of a kernel an SM holds at a time, what limits that, and what would let one more block in.
#pragma once
#include "arch/occupancy.h"
#include "summary/model.h"

namespace warplens::summary {

struct Occupancy {
  u32 registers = 0; // per thread
  u64 blocks = 0, warps = 0, most_warps = 0;
  std::vector<std::string_view>
      limits; // "threads", "blocks", "registers", "shared memory": all that allow no more
  // What would let one more block in, where one of these two alone limits; 0: nothing of it does.
  u32 next_registers = 0; // per thread
  u64 next_shared = 0;    // bytes of a block
};

// Under the first architecture. Nothing where the registers are not known (PTX), or a block does not fit.
std::optional<Occupancy> occupancy_of(const Kernel&);

// "168 registers per thread: an SM holds 1 block of 256 threads (8 of 64 warps), limited by registers; 128 registers would let 2 in"
std::string in_words(const Occupancy&, const Kernel&);

} // namespace warplens::summary
