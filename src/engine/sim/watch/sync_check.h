// --check sync: barriers and warp-level instructions that PTX leaves undefined, and that this emulator (like many a GPU)
// lets pass in the way the program seems to mean. Findings are warnings of the launch, one per kind and place:
//
//   sync-divergent-warp    some threads of a warp come to an aligned barrier, others go elsewhere
//   sync-divergent-block   warps of a block meet at one barrier for all threads, at different instructions
//   sync-thread-counts     a barrier is given different numbers of threads
//   sync-mixed-barrier     bar.red meets bar.sync or bar.arrive, or another reduction
//   sync-not-named         a thread executes a warp-level instruction whose mask does not name it
//   sync-missing-lanes     lanes that the mask of such an instruction names never come to it
//   sync-mbarrier-phase    a wait for a phase of an mbarrier that is neither the current nor the one before
//   sync-ended-threads     (a note) threads of a warp ended before others of it came to a barrier: well defined from
//                          compute capability 7.0 on
//
// PTX ISA, "bar, barrier": .aligned (and every bar) is for all threads of a warp at the same instruction. Threads that
// have ended are not waited for: CUDA Programming Guide, Synchronization Functions.
//
// A barrier is judged when it is complete, since lanes of a warp may come to it one group after the other; where the
// missing ones were is noted when the first come.
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

class SyncCheck final : public Watcher {
public:
  explicit SyncCheck(Exec& x) : x_(x) {}
  void arrive(const Op&, u32 id, Barrier&, u32 expected) override;
  void complete(u32 id, const Barrier&) override;
  void execute(const Op&, SlotId members) override;
  void go_on_without(const Group&) override;

private:
  Exec& x_;
};

} // namespace warplens::sim
