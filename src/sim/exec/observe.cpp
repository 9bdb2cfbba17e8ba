// Running CTAs under an observer (observe.h): the same state and the same handlers as in any launch, a loop of
// its own around them.
#include "sim/observe.h"
#include "sim/memory/execute_memory.h"
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

u64 Step::bytes_of(ir::StateSpace space) const {
  switch (space) {
  case ir::StateSpace::shared: return exec_.shared_bytes();
  case ir::StateSpace::local: return exec_.launch.local_bytes;
  case ir::StateSpace::param: return exec_.launch.parameters.size();
  default: return 0;
  }
}

namespace {

// Stores and atomics: handed to the sink as ever, and not performed.
void count_only(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  ++x.writes;
  ClosedAddress closed;
  bool atomic = op.form->opcode != ir::Opcode::st;
  if (!atomic && closed_access(x, op, op.source(0), op.space, closed)) return;
  const Memory& memory = *x.launch.device.memory;
  const std::pair<ir::StateSpace, u64> windows[] = {{ir::StateSpace::shared, memory.shared_window()},
                                                    {ir::StateSpace::local, memory.local_window()},
                                                    {ir::StateSpace::param, memory.param_window()}};
  u64 bytes = u64{op.element_bytes} * op.elements;
  std::map<ir::StateSpace, Mask> lanes; // that point into each
  auto place = [&](u32 thread) {
    u64 at = x.lane_value(op.source(0), thread) + static_cast<u64>(op.offset);
    if (at % bytes != 0)
      raise(x, op, FaultKind::misaligned_address, "kernel-misaligned-address", "an access is misaligned",
            thread, at);
    ir::StateSpace space = op.space == ir::StateSpace::generic ? ir::StateSpace::global : op.space;
    if (op.space == ir::StateSpace::generic)
      for (const auto& [name, begin] : windows)
        if (at - begin < Memory::window_size) {
          space = name;
          at -= begin;
          break;
        }
    x.address[thread] = at;
    lanes[space].word[thread / warp_size] |= 1u << thread % warp_size;
  };
  for (u32 w = 0; w < x.mask->word.size(); ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) { place(w * warp_size + lane); });
  for (const auto& [space, mask] : lanes) report_lanes(x, op, space, mask, x.address);
}

} // namespace

void run_observed(Exec& x) {
  while (!x.stop) {
    const Op& op = x.code->ops[x.pc++];
    x.observer->before(Step(x, op));
    if (op.kind() == OpKind::store || op.kind() == OpKind::atomic) {
      count_only(x, op);
      continue;
    }
    const Frame* frame = x.frame;
    op.execute(x);
    if (op.kind() == OpKind::call && x.frame != frame) x.observer->entered(call_frame(x), x.active);
  }
}

struct ObservedLaunch::Impl {
  LaunchSpec spec;
  LaunchOptions options;
  LaunchState state;
  std::map<u32, std::unique_ptr<Code>> code; // by function

  Impl(Device& device, const Program& program, const LaunchSpec& s, const LaunchOptions& o)
      : spec(s), options(o), state(device, program.impl(), spec, options) {}

  // Stores are not performed, so results must not be made where they go.
  const Code& without_aliasing(ir::FunctionId id) {
    std::unique_ptr<Code>& copy = code[id.value];
    if (copy) return *copy;
    copy = std::make_unique<Code>(state.program.code_of(id));
    for (Op& op : copy->ops) op.borrows = false;
    return *copy;
  }
};

ResultOr<std::unique_ptr<ObservedLaunch>, Fault> ObservedLaunch::prepare(Device& device,
                                                                         const Program& program,
                                                                         const LaunchSpec& spec,
                                                                         const LaunchOptions& options) {
  auto impl = std::make_unique<Impl>(device, program, spec, options);
  impl->options.workers = impl->options.batch = 1;
  impl->options.sinks.clear();
  impl->options.progress = nullptr;
  LaunchState& state = impl->state;
  if (std::optional<Fault> fault = sim::prepare(state)) return failure(std::move(*fault));
  state.code_of = [impl = impl.get()](ir::FunctionId id) -> const Code& {
    return impl->without_aliasing(id);
  };
  state.entry = &state.code_of(spec.kernel);
  return std::unique_ptr<ObservedLaunch>(new ObservedLaunch(std::move(impl)));
}

ObservedLaunch::ObservedLaunch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObservedLaunch::~ObservedLaunch() = default;
const LaunchSpec& ObservedLaunch::spec() const { return impl_->spec; }

ObservedLaunch::Run ObservedLaunch::run(Dim3 id, access::Sink* sink, StepObserver& observer) {
  LaunchState& state = impl_->state;
  UsualArithmetic while_it_runs;
  Exec exec(state, *state.shape, 0);
  exec.sink = sink;
  exec.observer = &observer;
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
