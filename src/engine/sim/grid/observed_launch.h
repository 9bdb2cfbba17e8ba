// Watching CTAs of a launch run, one at a time, on the calling thread: what fold/ is built on. What the observer sees of each op, and
// what it may rely on, is in watch/observe.h, which comes with this header.
#pragma once
#include "sim/sim.h"
#include "sim/watch/observe.h"

namespace warplens::sim {

class ObservedLaunch {
public:
  // Fails where the launch cannot be made at all.
  static ResultOr<std::unique_ptr<ObservedLaunch>, Fault> prepare(Device&, const Program&, const LaunchSpec&,
                                                                  const LaunchOptions&);
  ~ObservedLaunch();
  const LaunchSpec& spec() const;

  struct Run {
    std::optional<Fault> fault;
    bool waits = false; // for other CTAs: it did not come to its end
    std::vector<diag::Diagnostic> warnings;
    u64 warp_instructions = 0, thread_instructions = 0;
  };
  // `sink` may be null. Throws what the observer throws, and std::bad_alloc.
  Run run(Dim3 cta, access::Sink* sink, StepObserver&);

private:
  struct Impl;
  explicit ObservedLaunch(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

} // namespace warplens::sim
