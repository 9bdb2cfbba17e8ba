// Running CTAs: groups of lanes, their stacks and frames (simt.cpp).
#pragma once
#include "sim/exec/exec.h"
#include <span>

namespace warplens::sim {

void start_cta(Exec&, Cta&);
enum class Progress : u8 {
  finished,
  waiting,   // for other CTAs
  deadlocked // its threads wait for each other
};
Progress run_cta(Exec&, Cta&);
void run_group(Exec&, Group&);                                      // until it stops; then its state says why
std::unique_ptr<Group> split_off(Exec&, Group&, const Mask& lanes); // those lanes, as a group of their own
void exit_lanes(Exec&, const Mask&);
void return_lanes(Exec&, const Mask&);
// In machine code lanes may leave a region (BREAK) for the end of an outer one, before they come to the inner one's: where an entry
// below waits at `here`, the lanes that arrive wait with it.
void wait_below(Exec&, u32 here);
Frame* enter_frame(Exec&, const Code&, const Mask& lanes, u64 local_base);
// Arguments and results, by value: of those lanes each variable that is read to the one that is written in its place.
void copy_parameters(const Exec&, const Mask& lanes, const Frame& from, std::span<const ir::VariableId> read,
                     Frame& to, std::span<const ir::VariableId> written);

} // namespace warplens::sim
