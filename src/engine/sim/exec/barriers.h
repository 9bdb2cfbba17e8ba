// Letting groups go on that wait for each other (barriers.cpp); the machine that runs them is simt.cpp.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

BarrierReduction reduction_of(const Op&); // of bar, barrier
// __syncwarp(), bar.warp.sync: what else brings lanes together orders no memory.
inline bool is_warp_barrier(const Op& op) {
  return op.kind() == OpKind::warp_barrier && op.form->has(ir::Modifier::warp);
}

// Groups that were held at a barrier which is complete go on, joined where they stand at the same place. False: nobody was.
bool release_barriers(Exec&, Cta&);
// A warp goes on when the lanes that its lanes named wait too, here or at another warp-level instruction, or
// have ended. With `force`, all go on as they are: the missing lanes cannot come. Of several groups of a warp that is the one
// that is furthest back, which may come to where the others are; these have met it, and go on after its turn if not.
bool release_warp_syncs(Exec&, Cta&, bool force);

} // namespace warplens::sim
