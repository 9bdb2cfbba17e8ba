#include "check/flow.h"

namespace warplens::check {

bool Split::reaches(u32 b) const { return (meeting.valid() && meeting.value == b) || goes_apart_to(b); }
bool Split::goes_apart_to(u32 b) const {
  return std::any_of(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.blocks[b]; });
}

Flow::Flow(const ir::Module& m, const ir::Function& f)
    : module(m), function(f), cfg(ir::analyse(f)), ssa(ir::single_assignment(f, cfg)) {
  find_loops();
}

void Flow::find_loops() {
  u32 count = static_cast<u32>(function.blocks.size());
  loops_of.resize(count);
  std::vector<u32> position(count, ~u32{0});
  for (u32 i = 0; i < cfg.reverse_post_order.size(); ++i) position[cfg.reverse_post_order[i].value] = i;
  std::map<u32, Loop> found;
  for (ir::BlockId from : cfg.reverse_post_order)
    for (ir::BlockId header : function.blocks[from.value].successors) {
      if (position[header.value] > position[from.value]) continue;
      if (!ssa.dominates(header, from)) irreducible = true;
      Loop& loop = found[header.value];
      loop.header = header.value;
      if (loop.body.empty()) loop.body.assign(count, false);
      loop.body[header.value] = true;
      std::vector<u32> work{from.value};
      while (!work.empty()) {
        u32 at = work.back();
        work.pop_back();
        if (loop.body[at] || position[at] == ~u32{0}) continue;
        loop.body[at] = true;
        for (ir::BlockId p : cfg.predecessors[at]) work.push_back(p.value);
      }
    }
  for (auto& [header, loop] : found) {
    for (u32 b = 0; b < count; ++b)
      if (loop.body[b]) loops_of[b].push_back(header);
    loops.push_back(std::move(loop));
  }
}

const Loop* Flow::loop_at(u32 header) const {
  for (const Loop& loop : loops)
    if (loop.header == header) return &loop;
  return nullptr;
}

const Split& Flow::split(u32 block) {
  auto [known, fresh] = splits_.try_emplace(block);
  Split& out = known->second;
  if (!fresh) return out;
  out.block = block;
  out.meeting = cfg.post_dominator[block];
  for (ir::BlockId s : function.blocks[block].successors) {
    Arm arm{s.value, Blocks(function.blocks.size(), false)};
    std::vector<u32> work{s.value};
    while (!work.empty()) {
      u32 at = work.back();
      work.pop_back();
      if (arm.blocks[at] || (out.meeting.valid() && out.meeting.value == at)) continue;
      arm.blocks[at] = true;
      for (ir::BlockId next : function.blocks[at].successors) work.push_back(next.value);
    }
    out.repeats = out.repeats || arm.blocks[block];
    out.arms.push_back(std::move(arm));
  }
  return out;
}

bool Flow::joins(const Split& split, u32 b, const std::vector<ir::BlockId>& predecessors) const {
  if (predecessors.size() < 2 || !split.reaches(b)) return false;
  ir::BlockId above = ssa.dominator[b];
  // Lanes that come together to the block above did so after the split.
  if (above.valid() && !ssa.dominates(above, ir::BlockId(split.block)) && loop_at(b) == nullptr) return false;
  auto arms_to = [&](ir::BlockId p) { // the ways that lead there; one more: straight from the branch
    std::vector<u32> ways;
    for (const Arm& arm : split.arms)
      if (arm.blocks[p.value]) ways.push_back(arm.successor);
    if (p.value == split.block) ways.push_back(~b);
    return ways;
  };
  std::vector<u32> first = arms_to(predecessors[0]);
  bool any = !first.empty(), alike = first.size() == 1;
  for (ir::BlockId p : predecessors) {
    std::vector<u32> ways = arms_to(p);
    any = any || !ways.empty();
    alike = alike && ways == first;
  }
  return any && !alike;
}

bool Flow::only_way(u32 block, u32 successor) const {
  const auto& from = cfg.predecessors[successor];
  return from.size() == 1 && from[0].value == block;
}

bool Flow::partly_controls(const Split& split, u32 b) const {
  bool inside = false, by_one_edge = false;
  for (const Arm& arm : split.arms) {
    inside = inside || arm.blocks[b];
    by_one_edge = by_one_edge || (only_way(split.block, arm.successor) &&
                                  ssa.dominates(ir::BlockId(arm.successor), ir::BlockId(b)));
  }
  return inside && (split.repeats || !by_one_edge);
}

bool Flow::leaves_apart(const Split& split, const Loop& loop) const {
  if (!loop.body[split.block]) return false;
  for (u32 b = 0; b < loop.body.size(); ++b) {
    bool apart = b == split.block;
    for (const Arm& arm : split.arms) apart = apart || arm.blocks[b];
    if (!apart || !loop.body[b]) continue;
    for (ir::BlockId s : function.blocks[b].successors)
      if (!loop.body[s.value]) return true;
  }
  return false;
}

const ir::Instruction* Flow::conditional_end(u32 block) const {
  const ir::Block& b = function.blocks[block];
  if (b.count == 0) return nullptr;
  const ir::Instruction& last = function.instructions[b.first + b.count - 1];
  ir::Opcode opcode = module.form(last).opcode;
  if (opcode == ir::Opcode::brx) return &last;
  bool jumps = opcode == ir::Opcode::bra || opcode == ir::Opcode::ret || opcode == ir::Opcode::exit ||
               opcode == ir::Opcode::trap;
  return jumps && last.guard.valid() ? &last : nullptr;
}

} // namespace warplens::check
