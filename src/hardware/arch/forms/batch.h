// Counting many warps in one go, for the rules that most accesses meet: global memory as one request per
// instruction, local memory, constant memory, and shared memory with words of up to 8 bytes. The loops are those of
// batch/counting_loops.h; a warp that they leave over is counted by the rule.
#pragma once
#include "arch/batch/counting_loops.h"
#include "arch/count.h"
#include <memory>

namespace warplens::arch {

// The buffers of warps that wait; each is made when it is first needed.
struct Pending {
  std::unique_ptr<PendingWords> words;
  std::unique_ptr<PendingBlocks> blocks;
};

// Tries the kernels; false when none counts like the row's rule, and then nothing is added. Makes `pending`
// where warps may have to wait. `costs`, unless null, is where the cost of the next warp that is counted goes, and then
// moves on.
bool count_batch(const Architecture&, const access::LaneBatch&, std::unique_ptr<Pending>& pending, Counts&,
                 WarpCost*& costs);

void count_pending(Pending&, Counts&, WarpCost* costs);

} // namespace warplens::arch
