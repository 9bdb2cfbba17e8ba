// ir::Function → Code: the order of the passes, and those that look at all ops together. What a family of instructions
// becomes is in the files beside (lowering.h); here branches are laid out, loops that wait for other threads are marked,
// and registers whose lives do not overlap share slots (slots.cpp), so that the registers of a whole CTA stay in the cache.
#include "sim/lower/counted_loops.h"
#include "sim/lower/lowering.h"
#include "sim/lower/spin_loops.h"
#include <algorithm>

namespace warplens::sim {
namespace {

u8 register_bits(ir::Type type) {
  u32 bits = ir::bits(type);
  return static_cast<u8>(bits <= 1 ? 1 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64);
}

} // namespace

Lowering::Lowering(const ir::Module& module, std::span<const u64> variable_address, ir::FunctionId id)
    : module_(module), variable_address_(variable_address), function_(module_.functions[id.value]) {
  code_ = std::make_unique<Code>();
  code_->module = &module_;
  code_->function = &function_;
  code_->id = id;
  placement_ = place_thread_variables(module_, function_);
  code_->local_bytes = placement_.local_bytes;
  code_->parameter_bytes = placement_.param_bytes;
  code_->parameter_offset.sorted = placement_.param;
  place_kernel_parameters();
  for (const ir::Register& r : function_.registers) bits_.push_back(register_bits(r.type));
  code_->allocates = std::any_of(function_.instructions.begin(), function_.instructions.end(),
                                 [&](auto& i) { return module_.form(i).opcode == ir::Opcode::alloca; });
  if (code_->allocates) held_ = temporary(64);
}

// The order of the passes: each works on what the one before it leaves.
std::unique_ptr<Code> Lowering::run() {
  ir::Cfg cfg = ir::analyse(function_);
  lower_blocks(cfg);
  // First: the others follow branches, whose targets have been blocks so far, as those behind them were not
  // placed.
  resolve_targets();
  // Before loops are looked at: an atomic whose result nobody reads does not wait for others.
  drop_unread_results();
  mark_waiting_loops();
  count_loops(cfg);
  order_sides();
  // While each register still has a number of its own, since it counts who reads and writes a register; and
  // before slots are shared, because registers that lie in memory share them with their like only.
  mark_aliases(*code_, bits_.size(), block_start_, block_end_);
  const BlockLayout blocks = layout(cfg);
  allocate_slots(*code_, bits_, constant_begin(), constants_, blocks);
  // Last: what a waiting lane would lose is what is in the slot, whichever register put it there.
  mark_killing(*code_, blocks);
  return std::move(code_);
}

void Lowering::lower_blocks(const ir::Cfg& cfg) {
  std::vector<bool> joins(function_.blocks.size());
  for (std::size_t b = 0; b < function_.blocks.size(); ++b)
    if ((function_.blocks[b].successors.size() > 1 || !function_.meetings.empty()) && cfg.meeting[b].valid())
      joins[cfg.meeting[b].value] = true;
  for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
    block_start_.push_back(static_cast<u32>(code_->ops.size()));
    if (joins[b]) append(OpKind::reconverge, 0);
    if (reconverges(cfg, b)) append(OpKind::reconverge_early, 0).set_block_start(block_start_.back());
    const ir::Block& block = function_.blocks[b];
    const u32 end = block.first + block.count;
    join_block_ = cfg.meeting[b];
    for (u32 i = block.first; i < end; ++i) {
      current_ = i;
      instruction(function_.instructions[i]);
    }
    block_end_.push_back(static_cast<u32>(code_->ops.size()));
  }
  // Control that runs off the end returns, as PTX says.
  append(OpKind::ret,
         function_.instructions.empty() ? 0 : static_cast<u32>(function_.instructions.size() - 1));
  if (!block_end_.empty()) block_end_.back() = static_cast<u32>(code_->ops.size());
}

// Whether several paths come to a block from before it: lanes may meet there. Machine code says where they do.
bool Lowering::reconverges(const ir::Cfg& cfg, std::size_t block) const {
  if (!function_.meetings.empty()) return false;
  const std::vector<ir::BlockId>& from = cfg.predecessors[block];
  return std::count_if(from.begin(), from.end(), [&](ir::BlockId p) { return p.value < block; }) > 1;
}

BlockLayout Lowering::layout(const ir::Cfg& cfg) const {
  BlockLayout out{block_start_, block_end_, {}, successors(), {}, {}, {}};
  for (std::size_t b = 0; b < block_start_.size(); ++b) {
    out.reconvergence.push_back(cfg.meeting[b].valid() ? cfg.meeting[b].value : no_target);
    out.reconverges.push_back(reconverges(cfg, b));
    out.stays_together.push_back(is_counted_loop(module_, function_, cfg, ir::BlockId(static_cast<u32>(b))));
    out.opens_region.push_back(!function_.meetings.empty() && cfg.meeting[b].valid());
  }
  return out;
}

void Lowering::instruction(const ir::Instruction& i) {
  switch (module_.form(i).family()) {
  case ir::Family::compute: return compute(i);
  case ir::Family::move: return move(i);
  case ir::Family::memory: return memory(i);
  case ir::Family::texture: return texture(i);
  case ir::Family::control: return control(i);
  case ir::Family::warp: return warp(i);
  case ir::Family::barrier: return barrier(i);
  case ir::Family::hint: emit(lowered_as(module_.form(i).opcode).value_or(OpKind::nothing), i); return;
  case ir::Family::unsupported: return unsupported(i);
  }
}

void Lowering::resolve_targets() {
  u32 end = static_cast<u32>(code_->ops.size()) - 1; // the implicit return
  auto at = [&](u32 block) { return block < block_start_.size() ? block_start_[block] : end; };
  for (Op& op : code_->ops) {
    if (!op.has(Payload::jump)) continue;
    Op::Jump& jump = op.jump();
    if (jump.target != no_target) jump.target = at(jump.target);
    if (jump.reconvergence != no_target) jump.reconvergence = at(jump.reconvergence);
  }
  for (auto& table : code_->tables)
    for (u32& target : table) target = at(target);
}

// Compilers write atom where red would do, and take four components of a texel where they use one: what no op reads need
// not be kept.
void Lowering::drop_unread_results() {
  std::vector<bool> read(bits_.size());
  auto see = [&](SlotId slot) {
    if (slot < read.size()) read[slot] = true;
  };
  for (const Op& op : code_->ops) {
    see(op.guard);
    for (u32 s = 0; s < op.sources; ++s) see(op.source(s));
  }
  for (Op& op : code_->ops)
    for (u32 d = 0;
         (op.kind() == OpKind::atomic || op.kind() == OpKind::fetch_texture) && d < op.destinations; ++d)
      if (SlotId slot = op.destination(d); slot < read.size() && !read[slot]) op.slot[d] = no_slot;
}

bool Lowering::is_unread_atomic(const Op& op) {
  return op.kind() == OpKind::atomic && std::all_of(op.slot.begin(), op.slot.begin() + op.destinations,
                                                    [](SlotId slot) { return slot == no_slot; });
}

// The first of the ops that a jump may go to; no_target for one that goes nowhere.
u32 Lowering::lowest_target(const Op& op) const {
  if (!op.has(Payload::jump)) return no_target;
  u32 lowest = op.jump().target;
  if (op.kind() == OpKind::branch_table)
    for (u32 target : code_->tables[op.table_index()]) lowest = std::min(lowest, target);
  return lowest;
}

// A backward branch closes a loop; if the loop reads what other threads may write, it may be waiting for
// them.
void Lowering::mark_waiting_loops() {
  Waiting waits_for_others(module_);
  std::vector<u32> waiting(code_->ops.size() + 1); // prefix sums
  for (u32 i = 0; i < code_->ops.size(); ++i) {
    const Op& op = code_->ops[i];
    bool waits = op.form != nullptr && !is_unread_atomic(op) &&
                 waits_for_others.may_wait(function_, function_.instructions[op.instruction]);
    waiting[i + 1] = waiting[i] + waits;
  }
  for (u32 i = 0; i < code_->ops.size(); ++i) {
    Op& op = code_->ops[i];
    if (u32 target = lowest_target(op); target <= i) op.jump().spins = waiting[i + 1] != waiting[target];
  }
}

// Prefix sums of the branches that close a loop, so that a stretch of code can be asked for loops. A branch backwards in the
// text closes none where compilers put code that is seldom run before the loop that it is in; it does where it goes
// round in the order of the blocks, or leads over a block that falls through to where its loop begins (a body in front
// of its test).
void Lowering::count_loops(const ir::Cfg& cfg) {
  const u32 blocks = static_cast<u32>(function_.blocks.size());
  std::vector<u32> order(blocks);
  for (u32 i = 0; i < cfg.reverse_post_order.size(); ++i) order[cfg.reverse_post_order[i].value] = i;
  auto goes_round = [&](u32 from, u32 to) { return order[to] <= order[from]; };
  std::vector<u32> falls_round(
      blocks + 1); // prefix sums of the blocks that lead forwards in the text, and yet go round
  for (u32 b = 0; b < blocks; ++b) {
    falls_round[b + 1] = falls_round[b];
    for (ir::BlockId to : function_.blocks[b].successors)
      if (to.value > b && goes_round(b, to.value)) ++falls_round[b + 1];
  }
  std::vector<bool> closes(code_->ops.size());
  for (u32 b = 0; b < blocks; ++b)
    for (ir::BlockId to : function_.blocks[b].successors)
      if (to.value <= b && block_end_[b] > block_start_[b] &&
          (goes_round(b, to.value) || falls_round[b + 1] != falls_round[to.value]))
        closes[block_end_[b] - 1] = true;
  code_->loops.push_back(0);
  for (bool one : closes) code_->loops.push_back(code_->loops.back() + one);
}

// Where lanes may come to a branch of machine code again before they meet, since they meet behind a loop that it is in, or nowhere, it
// counts which side goes first; with YIELD it counts everywhere. Not in loops that wait for other threads: there the parts of a warp take
// turns (exec/splits.h).
void Lowering::order_sides() {
  if (function_.meetings.empty()) return;
  std::vector<Op>& ops = code_->ops;
  const bool takes_turns = std::ranges::any_of(ops, [](const Op& op) { return op.kind() == OpKind::yield; });
  std::vector<i32> waiting(ops.size() + 1); // differences: loops that an op is in
  for (u32 i = 0; i < ops.size(); ++i)
    if (ops[i].has(Payload::jump) && ops[i].jump().spins) ++waiting[lowest_target(ops[i])], --waiting[i + 1];
  for (u32 i = 0; i < ops.size(); ++i) {
    waiting[i + 1] += waiting[i];
    if (ops[i].kind() != OpKind::branch_if || waiting[i] != 0) continue;
    Op::Jump& jump = ops[i].jump();
    const u32 join = jump.reconvergence, next = i + 1;
    jump.by_lanes = takes_turns || join == no_target ||
                    (join != jump.target && join != next && code_->loops[join] != code_->loops[next]);
  }
}

std::vector<std::vector<u32>> Lowering::successors() const {
  std::vector<std::vector<u32>> out;
  for (const ir::Block& block : function_.blocks) {
    std::vector<u32>& s = out.emplace_back();
    for (ir::BlockId b : block.successors) s.push_back(b.value);
  }
  return out;
}

std::unique_ptr<Code> lower(const ir::Module& module, std::span<const u64> variable_address,
                            ir::FunctionId id) {
  return Lowering(module, variable_address, id).run();
}

} // namespace warplens::sim
