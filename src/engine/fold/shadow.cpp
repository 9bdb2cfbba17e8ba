// Each op is shown to the rule that ops.def names for it. Ops that only compute give a result that moves in a
// known way or is unknown; ops that decide what is counted (addresses, guards, branches, barriers, the lanes of
// a shuffle) must not see an unknown value: then the launch is rejected, with the place and the cause as the
// reason.
//
// Not followed, so rejected when met: device printf, malloc, free, failed assertions and traps, calls through
// pointers, sleeping, threads that wait for other CTAs, jump tables whose index moves.
#include "fold/shadow.h"
#include "fold/relevance.h"
#include <fmt/format.h>

namespace warplens::fold {
namespace {

// Ops of these rules compute registers from registers. If it is unknown whether a lane performs one, so is its
// result, and that is all.
constexpr bool only_computes(FoldRule rule) {
  switch (rule) {
  case FoldRule::compute:
  case FoldRule::resize:
  case FoldRule::move:
  case FoldRule::special:
  case FoldRule::pack:
  case FoldRule::unpack:
  case FoldRule::offset:
  case FoldRule::is_space: return true;
  default: return false;
  }
}

// And these give a result that is still when their sources are.
constexpr bool is_function_of_sources(FoldRule rule) {
  return rule == FoldRule::compute || rule == FoldRule::resize || rule == FoldRule::move;
}

// By op. What does not compute is followed in any case, but for memory: what is loaded is unknown.
std::vector<bool> relevant_ops(const Code& code) {
  std::vector<bool> instructions = relevant_instructions(*code.module, *code.function), out;
  for (const Op& op : code.ops) {
    if (instructions.empty()) {
      out.push_back(true);
      continue;
    }
    ir::Family family = code.module->form(code.function->instructions[op.instruction]).family();
    bool computes = family == ir::Family::compute || family == ir::Family::move;
    out.push_back(computes ? instructions[op.instruction] : family != ir::Family::memory);
  }
  return out;
}

} // namespace

Shadow::Shadow(sim::ObservedLaunch& launch, const FoldOptions& options, Footprint& footprint)
    : launch_(launch), options_(options), footprint_(footprint) {}

Shadow::Representative Shadow::run(const CtaSet& set, access::Sink* sink) {
  conditions_ = std::make_unique<Conditions>(set);
  tracks_.clear();
  arguments_.clear();
  unsplittable_.clear();
  frame_ = nullptr;
  sim::ObservedLaunch::Run run = launch_.run(set.first, sink, *this);
  if (run.fault) throw Rejected{run.fault->diagnostic.message};
  if (run.waits) throw Rejected{"threads wait for other blocks"};
  if (!run.warnings.empty()) throw Rejected{run.warnings[0].message};
  return {conditions_->solve(), run.warp_instructions, run.thread_instructions};
}

void Shadow::entered(const sim::CallFrame& call, const Mask& lanes) {
  tracks_[call.frame].assign(call.code->slot_bits.size(), Track{}); // maybe a frame that was used before
  frame_ = nullptr;
  if (call.caller != nullptr) pass_arguments(call, lanes);
}

void Shadow::before(const Step& step) {
  if (++steps_ > options_.most_steps) reject(step, "running one block takes as long as running all");
  const Op& op = step.op;
  FoldRule rule = op.traits().fold;
  if (rule == FoldRule::untracked) return;
  if (&step.frame != frame_) return_to(step);
  bool relevant = (*relevant_here_)[step.index()];
  if (is_function_of_sources(rule) && changes_nothing(op, relevant)) return;
  Current at{step, op, *registers_, step.instruction(), relevant};
  if (!find_lanes(at)) return;
  if (at.guard.known()) return follow(at);
  if (only_computes(rule)) return write_all(at, at.guard);
  bool branches = rule == FoldRule::conditional || rule == FoldRule::leave;
  reject(step, branches ? "the branch" : "whether an instruction is performed", at.guard);
}

// Lanes of this frame go on.
void Shadow::return_to(const Step& step) {
  frame_ = &step.frame;
  registers_ = &tracks_.at(frame_);
  auto [entry, is_new] = relevant_.try_emplace(&step.code);
  if (is_new) entry->second = relevant_ops(step.code);
  relevant_here_ = &entry->second;
}

// Most of what runs: results that are still, or unknown, as their registers are already.
bool Shadow::changes_nothing(const Op& op, bool follow) const {
  auto settled = [&](SlotId slot, bool known) {
    if (slot == no_slot) return true;
    const Track& track = (*registers_)[slot];
    return track.uniform() && (known ? track.main().invariant() : !track.main().known());
  };
  if (follow && op.guard != no_slot && !settled(op.guard, true)) return false;
  for (u32 i = 0; follow && i < op.sources; ++i)
    if (!settled(op.source(i), true)) return false;
  for (u32 i = 0; i < op.destinations; ++i)
    if (!settled(op.destination(i), follow)) return false;
  return true;
}

// Finds the lanes that perform the op; false when none does.
bool Shadow::find_lanes(Current& at) {
  at.lanes = at.step.active;
  at.all = at.step.full;
  if (at.op.guard == no_slot) return true;
  const u32* holds = at.step.predicate_lanes(at.op.guard);
  u32 flip = at.op.guard_negated ? full_mask : 0;
  at.registers[at.op.guard].each(at.step.active, [&](const Mask& mask, const Delta& delta) {
    if (!delta.known()) {
      at.guard = delta;
      return; // these lanes perform it, or not
    }
    for (u32 w = 0; w < at.step.shape.warps; ++w) at.lanes.word[w] &= ~(mask.word[w] & ~(holds[w] ^ flip));
  });
  at.all &= at.lanes == at.step.active;
  return at.lanes != Mask{};
}

void Shadow::follow(const Current& at) {
  switch (at.op.traits().fold) {
  case FoldRule::compute: return compute_all(at);
  case FoldRule::resize: return compute(at, 0, follow_resize);
  case FoldRule::move: return compute(at, 0, follow_move);
  case FoldRule::special: return special(at);
  case FoldRule::pack: return compute(at, 0, follow_pack);
  case FoldRule::unpack: return unpack(at);
  case FoldRule::offset: return compute(at, 0, follow_offset);
  case FoldRule::is_space: return is_space(at);
  case FoldRule::load: return load(at);
  case FoldRule::load_argument: return load_argument(at);
  case FoldRule::store: return address(at, true, true);
  case FoldRule::store_argument: return store_argument(at);
  case FoldRule::atomic:
    address(at, true, true);
    return write_all(at, unknown(Cause::atomic, at.instruction));
  case FoldRule::conditional:
  case FoldRule::untracked: return;
  case FoldRule::leave: return leave(at);
  case FoldRule::table: return need_invariant(at, 0, "a jump table's index");
  case FoldRule::call: return call(at);
  case FoldRule::barrier: return barrier(at);
  case FoldRule::warp_barrier: return need_invariant(at, 0, "the lanes that meet");
  case FoldRule::shuffle: return shuffle(at);
  case FoldRule::gather: return gather(at);
  case FoldRule::elect: need_invariant(at, 0, "the lanes that take part"); return write_all(at, Delta{});
  case FoldRule::active_mask: return write_all(at, Delta{});
  case FoldRule::opaque: return write_all(at, unknown(Cause::arithmetic, at.instruction));
  case FoldRule::unsupported: break;
  }
  reject(at.step, fmt::format("'{}' is not followed", at.op.form ? at.op.form->text : "an instruction"));
}

} // namespace warplens::fold
