// The walk over the blocks until nothing changes, and what it asks of branches on the way. See analysis.h.
#include "check/analysis.h"
#include "check/codes.h"
#include "check/evaluation.h"

namespace warplens::check {

using symbolic::SetId;
using symbolic::Symbol;
using symbolic::Value;

Analysis::Analysis(Flow& f, const WarpCase& w, const Launches& launches, const Rules& r, u64 steps_before,
                   u64 steps_allowed)
    : algebra(pool), flow(f), warp(w), rules(r), launches_(launches), waits_(f),
      apart_(f.function.instructions.size(), false), pointers_(pointer_parameters(f)),
      steps_before_(steps_before), steps_allowed_(steps_allowed) {
  algebra.wraps_around = rules.wraps;
  values_.resize(flow.ssa.values());
  known_.resize(flow.ssa.values());
  is_divergent_.resize(flow.function.blocks.size());
  around_.resize(flow.function.blocks.size());
  for (const std::vector<u32>& headers : flow.loops_of) loops_of_.push_back(pool.sets.intern(headers));
  waits_.mark_behind_calls(apart_);
}

void Analysis::run() {
  constexpr u32 most_passes = 24;
  for (passes_ = 1; passes_ <= most_passes; ++passes_) {
    std::size_t splits = divergent_;
    SetId loops = divergent_loops_;
    pass();
    if (given_up()) return;
    const bool more_apart = find_apart();
    if (settle() && !more_apart && splits == divergent_ && loops == divergent_loops_) return;
    if (passes_ == most_passes - 6) // whatever still changes is given up
      for (auto& [phi, going] : going_)
        if (going.kind != Going::same)
          going = {Going::anything, {}, 1, pool.sets.of(static_cast<u32>(Reason::different_patterns)), 0};
  }
  settled_ = false;
}

void Analysis::pass() {
  std::fill(known_.begin(), known_.end(), false);
  Evaluation evaluation(*this);
  for (ir::BlockId b : flow.cfg.reverse_post_order) {
    start_phis(b.value);
    const ir::Block& block = flow.function.blocks[b.value];
    for (u32 i = block.first; i < block.first + block.count; ++i) evaluation.step(i, b.value);
    end_block(b.value);
    if (given_up()) return;
  }
}

// Does the branch at the block's end go alike for all lanes? Once it does not, it never does.
void Analysis::end_block(u32 block) {
  const ir::Instruction* end = flow.conditional_end(block);
  if (end == nullptr) return;
  u32 index = static_cast<u32>(end - flow.function.instructions.data());
  Value asked = guard(index, block);
  bool table = flow.module.form(*end).opcode == ir::Opcode::brx;
  if (table && pool.facts(asked).uniform) asked = operand(end->first_operand + end->destinations, block, 32);
  conditions_[block] = asked;
  if (!pool.facts(asked).uniform && !is_divergent_[block]) note_divergent(block);
}

void Analysis::note_divergent(u32 block) {
  const Split& split = flow.split(block);
  is_divergent_[block] = true;
  ++divergent_;
  if (std::all_of(split.arms.begin(), split.arms.end(),
                  [](const Arm& arm) { return arm.blocks.is_short(); })) {
    auto add = [&](u32 b) {
      if (around_[b].empty() || around_[b].back() != block) around_[b].push_back(block);
    };
    for (const Arm& arm : split.arms) arm.blocks.each(add);
    if (split.meeting.valid()) add(split.meeting.value);
  } else {
    wide_.push_back(block);
    if (split.repeats) wide_repeating_.push_back(block);
  }
  if (waits_.on_two_ways(split)) waits_.mark_behind_split(split, apart_);
  if (split.meeting.valid()) meetings_.push_back(split.meeting.value);
  if (!rules.loops) return;
  for (u32 header : flow.loops_of[block])
    if (!pool.sets.contains(divergent_loops_, header) && flow.leaves_apart(split, *flow.loop_at(header)))
      divergent_loops_ = pool.sets.unite(divergent_loops_, pool.sets.of(header));
}

// Where all lanes wait together they go on together.
bool Analysis::find_apart() {
  const std::size_t before = waited_in_.size();
  for (u32 header : waits_.loops()) {
    const bool by_some =
        pool.sets.contains(divergent_loops_, header) ||
        any_divergent_around(header, [&](const Split& d) { return d.goes_apart_to(header); });
    if (by_some && waited_in_.insert(header).second) waits_.mark_behind_loop(header, apart_);
  }
  return waited_in_.size() != before;
}

// What a meeting dominates, and what goes round in a loop with one.
void Analysis::find_behind_meetings() {
  std::vector<bool> dominated(flow.function.blocks.size(), false);
  behind_meetings_ = dominated;
  std::set<u32> loops;
  for (u32 meeting : meetings_) {
    dominated[meeting] = true;
    loops.insert(flow.loops_of[meeting].begin(), flow.loops_of[meeting].end());
  }
  for (ir::BlockId b : flow.cfg.reverse_post_order) {
    const ir::BlockId above = flow.ssa.dominator[b.value];
    const auto& around = flow.loops_of[b.value];
    bool inside =
        std::any_of(around.begin(), around.end(), [&](u32 header) { return loops.contains(header); });
    if (above.valid() && dominated[above.value]) dominated[b.value] = true;
    behind_meetings_[b.value] = inside || dominated[b.value];
  }
}

void Analysis::find_decisions() {
  decided_at_.assign(flow.function.blocks.size(), ir::no_value);
  for (ir::BlockId b : flow.cfg.reverse_post_order) {
    const ir::BlockId above = flow.ssa.dominator[b.value];
    if (!above.valid()) continue;
    bool decides = flow.decided_at[b.value] == b.value;
    if (auto asked = conditions_.find(above.value); decides && asked != conditions_.end())
      decides = !pool.facts(asked->second).uniform || pool.is_constant(asked->second);
    decided_at_[b.value] = decides ? b.value : decided_at_[above.value];
  }
}

u32 Analysis::decided_at(u32 block) {
  if (decided_at_.empty()) find_decisions();
  return decided_at_[block];
}

bool Analysis::rests_on_reconvergence(u32 block) {
  if (behind_meetings_.empty()) find_behind_meetings();
  return behind_meetings_[block] ||
         any_around(around_[block], block, [](const Split& d) { return d.repeats; }) ||
         any_around(wide_repeating_, block, [](const Split&) { return true; });
}

Value Analysis::anything(u32 instruction) {
  return varying(of_differing, instruction, ~u32{0}, pool.sets.of(static_cast<u32>(Reason::given_up)), 0);
}

Value Analysis::varying(u32 code, u32 x, u32 y, SetId causes, SetId loops) {
  Symbol made;
  made.uniform = false;
  made.causes = causes;
  made.loops = loops;
  return algebra.fresh({code | 1u << 31, x, y, causes, 0}, made); // of no uniform symbol's key
}

} // namespace warplens::check
