// What the device runtime keeps with its Device: kernels that kernels launched (dynamic parallelism), until their caller runs
// them; errors of threads that launched; conditional handles of graphs.
#pragma once
#include "ir/module.h"
#include <map>
#include <mutex>
#include <vector>

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

// Workers of one launch use it side by side.
class DeviceRuntime {
public:
  // For the host. What launches on the device have left since the last call: whoever called launch() takes them. Errors of
  // their threads are forgotten.
  std::vector<ChildLaunch> take_children();
  // Whether kernels of later launches may launch others, as they may at first. One that may not gets
  // cudaErrorLaunchPendingCountExceeded.
  void allow_children(bool allowed);
  // Values of conditional handles of graphs, which kernels set (cudaGraphSetConditional), of those that were set once by the
  // host: others a kernel sets in vain, and they are 0.
  void set_conditional(u64 handle, u32 value);
  u32 conditional(u64 handle) const;

  // For kernels.
  bool may_launch() const;
  void prepare(ChildLaunch);
  bool launch(u64 parameters, bool tail); // false: no such launch was prepared
  void change_conditional(u64 handle, u32 value);
  struct Thread {
    u64 block = 0; // of the grid
    u32 thread = 0;
    auto operator<=>(const Thread&) const = default;
  };
  void fail(Thread, u64 error);
  u64 last_error(Thread, bool forget);

private:
  mutable std::mutex mutex_;
  std::vector<ChildLaunch> waiting_;
  std::map<Thread, u64> errors_; // of the launch that runs
  std::map<u64, u32> conditionals_;
  bool full_ = false;
};

} // namespace warplens::sim
