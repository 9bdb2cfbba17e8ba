// Kernels that kernels launched (dynamic parallelism), until somebody runs them: kept beside the Device, since hardly any
// program has them.
#pragma once
#include "sim/sim.h"

namespace warplens::sim {

// To be run when its parent has ended. Its parameters lie in device memory that belongs to it.
struct ChildLaunch {
  ir::FunctionId kernel; // of the parent's program
  Dim3 grid, block;
  u32 shared = 0;                      // dynamic, bytes
  u64 parameters = 0;                  // address
  u64 bytes = 0;                       // of the parameters
  bool launched = false;               // or only prepared
  bool tail = false;                   // after all that are not
  u64 cta = 0, thread = 0, number = 0; // who launched it: block in the grid, thread in the block, and when
};

// What launches on the device have left since the last call: whoever called launch() takes them.
std::vector<ChildLaunch> take_children(const Device&);

// Whether kernels of later launches on the device may launch others, as they may at first. One that may not gets
// cudaErrorLaunchPendingCountExceeded.
void allow_children(const Device&, bool allowed);

// Values of conditional handles of graphs, which kernels set (cudaGraphSetConditional), of those that were set once by the
// host: others a kernel sets in vain, and they are 0.
void set_conditional(const Device&, u64 handle, u32 value);
u32 conditional(const Device&, u64 handle);

} // namespace warplens::sim
