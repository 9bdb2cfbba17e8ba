// The same state and the same handlers as in any launch, and the observer's loop around them.
#include "sim/grid/observed_launch.h"
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/grid/prepare.h"
#include "sim/program/program.h"
#include "sim/watch/stuck.h"

namespace warplens::sim {

struct ObservedLaunch::Impl {
  LaunchSpec spec;
  LaunchOptions options;
  LaunchState state;

  Impl(Device& device, const Program& program, const LaunchSpec& s, const LaunchOptions& o)
      : spec(s), options(o), state(device, program.impl(), spec, options) {}
};

ResultOr<std::unique_ptr<ObservedLaunch>, Fault> ObservedLaunch::prepare(Device& device,
                                                                         const Program& program,
                                                                         const LaunchSpec& spec,
                                                                         const LaunchOptions& options) {
  auto impl = std::make_unique<Impl>(device, program, spec, options);
  impl->options.workers = impl->options.batch = 1;
  impl->options.sinks.clear();
  impl->options.progress = nullptr;
  if (std::optional<Fault> fault = sim::prepare(impl->state)) return failure(std::move(*fault));
  return std::unique_ptr<ObservedLaunch>(new ObservedLaunch(std::move(impl)));
}

ObservedLaunch::ObservedLaunch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObservedLaunch::~ObservedLaunch() = default;
const LaunchSpec& ObservedLaunch::spec() const { return impl_->spec; }

ObservedLaunch::Run ObservedLaunch::run(Dim3 id, access::Sink* sink, StepObserver& observer) {
  LaunchState& state = impl_->state;
  FloatEnvGuard while_it_runs;
  Exec exec(state, *state.shape);
  exec.sink = sink;
  exec.loop = &observer;
  exec.performs_stores = false;
  Cta cta;
  cta.id = id;
  cta.index = (u64{id.z} * state.spec.grid.y + id.y) * state.spec.grid.x + id.x;
  Run out;
  try {
    start_cta(exec, cta);
    exec.group = cta.groups.front().get();
    exec.load_top();
    observer.entered(call_frame(exec), exec.active);
    const Progress progress = run_cta(exec, cta);
    out.waits = progress == Progress::waiting;
    if (progress == Progress::deadlocked) out.fault = fault_of_deadlock(exec, cta);
  } catch (FaultError& error) {
    out.fault = std::move(error.fault);
  }
  out.warnings = state.warnings;
  out.warp_instructions = exec.warp_instructions;
  out.thread_instructions = exec.thread_instructions;
  return out;
}

} // namespace warplens::sim
