// What YIELD does, of machine code: the parts of a warp that diverged take turns, as on an H200 (splits.cpp).
#pragma once
#include "sim/exec/exec.h"

namespace warplens::sim {

// A warp whose parts take turns. Its group's stack has one entry: the part that runs.
struct Splits {
  enum class Event : u8 { yields, waits, ends };

  u32 warp = 0;
  std::array<u32, warp_size> pc{};   // of lanes that do not run
  u32 ready = 0, blocked = 0;        // lanes that do not run; blocked: at the end of the region `pc`
  u32 yielded = 0;                   // of those that are ready
  std::array<u64, warp_size> turn{}; // in which each lane last ran
  u64 turns = 0;
  std::vector<std::pair<u32, u32>> regions; // their ends, the lanes that are waited for there

  u32& awaited(u32 region);
};

// None in a function that a part has called: its lanes part and meet there by the stack, and the other parts stand still.
inline Splits* splits_here(const Group& group) {
  return group.frames.size() == 1 ? group.splits.get() : nullptr;
}

// YIELD: parts the warps of the group that have diverged from the others, or lets another part run.
void yield(Exec&);
// The end of a region: lanes that are waited for there wait.
void wait_for_region(Exec&, u32 end);
// A branch that lanes of the running part take, and others do not.
void part_at_branch(Exec&, u32 taken, u32 target, u32 next);
// No lane of the running part is left. False: none of the warp.
bool run_next_part(Exec&);
// Each part becomes a group of its own. None is waited for at the end of a region any more.
void part_for_good(Exec&);

} // namespace warplens::sim
