// Values that follow from polls, over assignments and the branches that choose between them; loops that such a value ends;
// walks forward from these to the next barrier. See waits.h.
#include "check/waits.h"
#include "ir/call_graph.h"
#include "ir/timing.h"
#include <algorithm>

namespace warplens::check {

using ir::Instruction;
using ir::Modifier;
using ir::Opcode;
using ir::Operand;

Waits::Waits(const Flow& flow) : flow_(flow), polled_(flow.ssa.values(), false) {
  const ir::Function& f = flow.function;
  syncs_.resize(f.blocks.size());
  bool any = false;
  for (ir::BlockId b : flow.cfg.reverse_post_order)
    for (u32 i = f.blocks[b.value].first; i < f.blocks[b.value].first + f.blocks[b.value].count; ++i) {
      syncs_[b.value] = syncs_[b.value] || syncs_warp(f.instructions[i]);
      const bool waits = calls_waiting(f.instructions[i]);
      if (waits) calls_.push_back(i), block_of_call_.push_back(b.value);
      any = any || waits || polls(f.instructions[i]);
    }
  if (!any || flow.loops.empty()) return;
  find_polled();
  for (const Loop& loop : flow.loops)
    if (may_wait(loop)) loops_.push_back(loop.header);
}

// Is it a compare-and-swap with a value that was loaded, or found by another one?
bool Waits::expects_what_was_found(const Instruction& i) const {
  constexpr u32 of_expected = 1;
  if (flow_.module.form(i).atomic_op() != ir::AtomicOp::cas || i.sources <= of_expected) return false;
  const u32 value = flow_.ssa.of_operand[i.first_operand + i.destinations + of_expected];
  if (value == ir::no_value) return false;
  const Instruction* made = flow_.definition(value);
  for (u32 step = 0; made != nullptr && step < 4; ++step) { // through moves and conversions
    const Opcode opcode = flow_.module.form(*made).opcode;
    if (opcode == Opcode::ld || opcode == Opcode::atom) return true;
    if ((opcode != Opcode::mov && opcode != Opcode::cvt) || made->sources != 1) return false;
    const u32 from = flow_.ssa.of_operand[made->first_operand + made->destinations];
    if (from == ir::no_value) return false;
    made = flow_.definition(from);
    if (made == nullptr) return true; // one of several
  }
  return made == nullptr;
}

bool Waits::polls(const Instruction& i) const {
  const ir::Form& form = flow_.module.form(i);
  return ir::polls(form) || (form.opcode == Opcode::atom && !expects_what_was_found(i));
}

bool Waits::calls_waiting(const Instruction& i) const {
  if (flow_.module.form(i).opcode != Opcode::call || i.sources == 0) return false;
  const Operand& callee = flow_.function.sources(i)[0];
  if (callee.kind != Operand::Kind::function) return true; // through a pointer: who knows
  const ir::Reachable called = ir::reachable(flow_.module, callee.function);
  return called.indirect || std::ranges::any_of(called.functions, [&](ir::FunctionId id) {
           return std::ranges::any_of(
               flow_.module.functions[id.value].instructions, [&](const Instruction& one) {
                 const ir::Form& form = flow_.module.form(one);
                 return ir::polls(form) ||
                        (form.opcode == Opcode::atom &&
                         (form.atomic_op() == ir::AtomicOp::cas || form.atomic_op() == ir::AtomicOp::exch));
               });
         });
}

bool Waits::syncs_warp(const Instruction& i) const {
  const ir::Form& form = flow_.module.form(i);
  switch (form.opcode) {
  case Opcode::bar: return form.has(Modifier::warp);
  case Opcode::shfl:
  case Opcode::vote:
  case Opcode::match:
  case Opcode::redux: return true;
  default: return false;
  }
}

bool Waits::syncs_all(const Instruction& i) const {
  if (i.guard.valid()) return false;
  const ir::Form& form = flow_.module.form(i);
  if (syncs_warp(i)) { // the mask is the last operand
    const u32 at = i.first_operand + i.destinations + i.sources - 1;
    const Operand* mask = &flow_.function.operands[at];
    if (const Instruction* made = flow_.definition(flow_.ssa.of_operand[at]);
        made != nullptr && flow_.module.form(*made).opcode == Opcode::mov && made->sources == 1)
      mask = &flow_.function.sources(*made)[0];
    return mask->kind == Operand::Kind::immediate && static_cast<u32>(mask->value) == full_mask;
  }
  return (form.opcode == Opcode::bar || form.opcode == Opcode::barrier) && !form.has(Modifier::cluster) &&
         !form.has(Modifier::arrive);
}

// Does what the instruction gives follow from a poll?
bool Waits::follows(u32 index) const {
  const Instruction& i = flow_.function.instructions[index];
  if (polls(i)) return true;
  auto is_polled = [&](u32 value) { return value != ir::no_value && polled_[value]; };
  if (i.guard.valid() && is_polled(flow_.ssa.of_guard[index])) return true;
  const ir::Form& form = flow_.module.form(i);
  if (form.opcode == Opcode::ld && form.space() == ir::StateSpace::param && !calls_.empty()) {
    const std::vector<ir::VariableId>& parameters = flow_.function.parameters;
    if (std::ranges::find(parameters, flow_.function.sources(i)[0].variable) == parameters.end())
      return true; // the result of a call
  }
  for (u32 o = i.first_operand + i.destinations; o < i.first_operand + i.destinations + i.sources; ++o)
    if (is_polled(flow_.ssa.of_operand[o])) return true;
  return false;
}

// Does a branch between the two blocks, the second above the first, follow from a poll?
bool Waits::decided_by_polled(u32 block, u32 above) const {
  for (u32 at = block;; at = flow_.ssa.dominator[at].value) {
    if (const Instruction* end = flow_.conditional_end(at))
      if (follows(static_cast<u32>(end - flow_.function.instructions.data()))) return true;
    if (at == above || !flow_.ssa.dominator[at].valid()) return false;
  }
}

void Waits::find_polled() {
  const ir::Function& f = flow_.function;
  for (bool changed = true; changed;) {
    changed = false;
    auto note = [&](u32 value) {
      if (value == ir::no_value || polled_[value]) return;
      changed = polled_[value] = true;
    };
    for (ir::BlockId b : flow_.cfg.reverse_post_order) {
      const ir::BlockId above = flow_.ssa.dominator[b.value];
      for (const ir::Phi& phi : flow_.ssa.phis[b.value]) {
        if (polled_[phi.value] || !above.valid()) continue;
        bool any = false;
        for (std::size_t p = 0; p < phi.incoming.size() && !any; ++p)
          any = (phi.incoming[p] != ir::no_value && polled_[phi.incoming[p]]) ||
                decided_by_polled(flow_.cfg.predecessors[b.value][p].value, above.value);
        if (any) note(phi.value);
      }
      for (u32 n = f.blocks[b.value].first; n < f.blocks[b.value].first + f.blocks[b.value].count; ++n) {
        const Instruction& i = f.instructions[n];
        if (i.destinations == 0 || !follows(n)) continue;
        for (u32 o = i.first_operand; o < i.first_operand + i.destinations; ++o)
          note(flow_.ssa.of_operand[o]);
      }
    }
  }
}

bool Waits::may_wait(const Loop& loop) const {
  const ir::Function& f = flow_.function;
  bool found = false, ended = false;
  loop.body.each([&](u32 b) {
    for (u32 n = f.blocks[b].first; n < f.blocks[b].first + f.blocks[b].count && !found; ++n)
      found = polls(f.instructions[n]) || std::ranges::binary_search(calls_, n);
    const Instruction* end = flow_.conditional_end(b);
    const bool leaves =
        std::ranges::any_of(f.blocks[b].successors, [&](ir::BlockId s) { return !loop.body[s.value]; });
    ended = ended || (leaves && end != nullptr && follows(static_cast<u32>(end - f.instructions.data())));
  });
  return found && ended;
}

// From an instruction of a block on, up to barriers that everyone comes to who came to `since`.
void Waits::mark(u32 block, u32 instruction, u32 since, std::vector<bool>& out) const {
  const ir::Function& f = flow_.function;
  std::vector<bool> comes(f.blocks.size(), false), seen(f.blocks.size(), false);
  for (ir::BlockId at(since); at.valid() && !comes[at.value]; at = flow_.cfg.meeting[at.value])
    comes[at.value] = true;
  std::vector<std::pair<u32, u32>> work{{block, instruction}};
  while (!work.empty()) {
    const auto [b, from] = work.back();
    work.pop_back();
    const u32 end = f.blocks[b].first + f.blocks[b].count;
    if (from == f.blocks[b].first) {
      if (seen[b]) continue;
      seen[b] = true;
    }
    u32 n = from;
    for (; n < end && !(comes[b] && syncs_all(f.instructions[n])); ++n) out[n] = true;
    if (n != end) continue;
    for (ir::BlockId s : f.blocks[b].successors) work.emplace_back(s.value, f.blocks[s.value].first);
  }
}

void Waits::mark_behind_loop(u32 header, std::vector<bool>& out) const {
  const Loop& loop = *flow_.loop_at(header);
  loop.body.each([&](u32 b) {
    for (ir::BlockId s : flow_.function.blocks[b].successors)
      if (!loop.body[s.value]) mark(s.value, flow_.function.blocks[s.value].first, header, out);
  });
}
void Waits::mark_behind_split(const Split& split, std::vector<bool>& out) const {
  if (!split.meeting.valid()) return;
  const u32 meeting = split.meeting.value;
  mark(meeting, flow_.function.blocks[meeting].first, meeting, out);
}
void Waits::mark_behind_calls(std::vector<bool>& out) const {
  for (std::size_t c = 0; c < calls_.size(); ++c)
    mark(block_of_call_[c], calls_[c] + 1, block_of_call_[c], out);
}

bool Waits::on_two_ways(const Split& split) const {
  u32 ways = 0;
  for (const Arm& arm : split.arms) {
    bool any = false;
    arm.blocks.each([&](u32 b) { any = any || syncs_[b]; });
    ways += any;
  }
  return ways >= 2;
}

} // namespace warplens::check
