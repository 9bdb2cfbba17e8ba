#include "sim/watch/observe.h"
#include "sim/ops/access.h"

namespace warplens::sim {

Step::Step(Exec& x, const Op& o)
    : op(o), code(*x.code), shape(x.shape), frame(*x.frame), active(x.active), full(x.full), values(x.values),
      exec_(x) {}

const ir::Instruction* Step::instruction() const {
  return code.function->instructions.empty() ? nullptr : &exec_.instruction(op);
}

CallFrame call_frame(const Exec& x) {
  const std::vector<FrameLink>& frames = x.group->frames;
  CallFrame out{x.frame, x.code};
  if (frames.size() == 1) return out;
  out.caller = frames[frames.size() - 2].frame;
  out.caller_code = out.caller->code;
  out.site = &out.caller_code->calls[frames.back().call];
  return out;
}

CallFrame Step::call() const { return call_frame(exec_); }
u64 Step::lane_value(SlotId slot, u32 thread) const { return exec_.lane_value(slot, thread); }
const u32* Step::predicate_lanes(SlotId slot) const { return static_cast<const u32*>(exec_.lanes_of(slot)); }
const Memory& Step::memory() const { return *exec_.launch.device.memory; }

u64 Step::bytes_of(ir::StateSpace space) const { return space_size(exec_, space); }

void Step::each_access(const Mask& lanes, const std::function<void(const StepAccess&)>& f) const {
  exec_.perform(lanes);
  resolve(exec_, op, Purpose::follow, [&](const AccessView& a) {
    bool affine = a.form == AddressForm::affine;
    f({a.space, a.bytes, a.lowest, a.highest, affine ? nullptr : a.mask, affine ? nullptr : a.address});
  });
}

void StepObserver::run(Exec& x) {
  while (!x.stop) {
    const Op& op = x.code->ops[x.pc++];
    before(Step(x, op));
    const Frame* frame = x.frame;
    op.execute(x);
    if (op.kind() == OpKind::call && x.frame != frame) entered(call_frame(x), x.active);
  }
}

} // namespace warplens::sim
