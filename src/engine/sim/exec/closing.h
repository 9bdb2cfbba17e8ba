// When a launch ends early: its time is over, or somebody cancelled it. From then on no CTA begins, and those that have
// begun get a moment more. Most of them come to their ends in it, so that what was counted is that of whole CTAs.
#pragma once
#include "sim/sim.h"

namespace warplens::sim {

class Closing {
public:
  explicit Closing(const LaunchOptions&);
  // Whether no CTA begins any more. Costs next to nothing.
  bool begun() const {
    return why_.load(std::memory_order_relaxed) != FaultKind::none ||
           (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed));
  }
  // Looks at the clock. True: the CTAs that run have had their moment and stop where they are. By any worker.
  bool is_over();
  FaultKind why() const { return why_; } // timeout, cancelled, or none: it does not end early

private:
  const LaunchOptions& options_;
  // Nanoseconds. A stretch between two looks counts up to a bound, so that the time in which the process was stopped
  // (SIGSTOP, a suspended machine) does not.
  std::atomic<i64> last_, ran_{0}, until_;
  std::atomic<FaultKind> why_{FaultKind::none};
};

} // namespace warplens::sim
