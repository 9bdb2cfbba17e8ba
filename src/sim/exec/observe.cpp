// Running CTAs under an observer (observe.h): the same state and the same handlers as in any launch, a loop of
// its own around them.
#include "sim/observe.h"
#include "sim/memory/access.h"
#include "sim/program.h"

namespace warplens::sim {

Step::Step(Exec& x, const Op& o)
    : op(o), code(*x.code), shape(x.shape), frame(*x.frame), active(x.active), full(x.full), values(x.values),
      exec_(x) {}

const ir::Instruction* Step::instruction() const {
  return code.function->instructions.empty() ? nullptr : &exec_.instruction(op);
}

namespace {

CallFrame call_frame(const Exec& x) {
  const std::vector<FrameLink>& frames = x.group->frames;
  CallFrame out{x.frame, x.code};
  if (frames.size() == 1) return out;
  out.caller = frames[frames.size() - 2].frame;
  out.caller_code = out.caller->code;
  out.site = &out.caller_code->calls[frames.back().call];
  return out;
}

} // namespace

CallFrame Step::call() const { return call_frame(exec_); }
u64 Step::lane_value(SlotId slot, u32 thread) const { return exec_.lane_value(slot, thread); }
const u32* Step::predicate_lanes(SlotId slot) const { return static_cast<const u32*>(exec_.lanes_of(slot)); }
const Memory& Step::memory() const { return *exec_.launch.device.memory; }

u64 Step::bytes_of(ir::StateSpace space) const { return space_size(exec_, space); }

void Step::each_access(const Mask& lanes, const std::function<void(const StepAccess&)>& f) const {
  exec_.perform(lanes);
  resolve(exec_, op, Purpose::follow, [&](const Access& a) {
    bool affine = a.form == AddressForm::affine;
    f({a.space, a.bytes, a.lowest, a.highest, affine ? nullptr : a.mask, affine ? nullptr : a.address});
  });
}

void run_observed(Exec& x) {
  while (!x.stop) {
    const Op& op = x.code->ops[x.pc++];
    x.observer->before(Step(x, op));
    const Frame* frame = x.frame;
    op.execute(x);
    if (op.kind() == OpKind::call && x.frame != frame) x.observer->entered(call_frame(x), x.active);
  }
}

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
  Exec exec(state, *state.shape, 0);
  exec.sink = sink;
  exec.observer = &observer;
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
    out.waits = run_cta(exec, cta) == Progress::waiting;
  } catch (FaultError& error) {
    out.fault = std::move(error.fault);
  }
  out.warnings = state.warnings;
  out.warp_instructions = exec.warp_instructions;
  out.thread_instructions = exec.thread_instructions;
  return out;
}

} // namespace warplens::sim
