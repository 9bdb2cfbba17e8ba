// Loops found from back edges; which blocks the two sides of a branch reach before they meet. See flow.h.
#include "check/flow.h"
#include "ir/operands.h"
#include <algorithm>
#include <set>

namespace warplens::check {

bool Split::reaches(u32 b) const { return (meeting.valid() && meeting.value == b) || goes_apart_to(b); }
bool Split::goes_apart_to(u32 b) const {
  return std::any_of(arms.begin(), arms.end(), [&](const Arm& arm) { return arm.blocks[b]; });
}

Blocks::Blocks(std::vector<u32> some, std::size_t of_all) {
  constexpr std::size_t bits = 32; // of an item
  if (some.size() * bits < of_all) {
    items_ = std::move(some);
    std::sort(items_.begin(), items_.end());
    return;
  }
  flags_.assign(of_all, false);
  for (u32 b : some) flags_[b] = true;
}
bool Blocks::operator[](u32 block) const {
  return flags_.empty() ? std::binary_search(items_.begin(), items_.end(), block) : flags_[block];
}

Flow::Flow(const ir::Module& m, const ir::Function& f)
    : module(m), function(f), cfg(ir::analyse(f)), ssa(ir::single_assignment(f, cfg)),
      mark_(f.blocks.size(), 0) {
  find_loops();
  find_decisions();
  find_definitions();
}

void Flow::find_definitions() {
  defined_by_.assign(ssa.values(), ir::no_value);
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    const ir::Instruction& i = function.instructions[n];
    for (u32 o = i.first_operand; o < i.first_operand + i.destinations; ++o)
      if (const u32 value = ssa.of_operand[o]; value != ir::no_value && !i.guard.valid())
        defined_by_[value] = n;
  }
}

const ir::Instruction* Flow::definition(u32 value) const {
  const u32 at = value == ir::no_value ? ir::no_value : defined_by_[value];
  return at == ir::no_value ? nullptr : &function.instructions[at];
}

template <class Next, class Stops> std::vector<u32> Flow::reachable(u32 from, Next&& next, Stops&& stops) {
  ++walk_;
  std::vector<u32> out, work{from};
  while (!work.empty()) {
    u32 at = work.back();
    work.pop_back();
    if (mark_[at] == walk_ || stops(at)) continue;
    mark_[at] = walk_;
    out.push_back(at);
    for (ir::BlockId b : next(at)) work.push_back(b.value);
  }
  return out;
}

void Flow::find_loops() {
  u32 count = static_cast<u32>(function.blocks.size());
  loops_of.resize(count);
  loop_at_.assign(count, ir::no_value);
  std::vector<u32> position(count, ~u32{0});
  for (u32 i = 0; i < cfg.reverse_post_order.size(); ++i) position[cfg.reverse_post_order[i].value] = i;
  std::map<u32, std::set<u32>> found; // by header
  for (ir::BlockId from : cfg.reverse_post_order)
    for (ir::BlockId header : function.blocks[from.value].successors) {
      if (position[header.value] > position[from.value]) continue;
      if (!ssa.dominates(header, from)) irreducible = true;
      std::set<u32>& body = found[header.value];
      body.insert(header.value);
      for (u32 b : reachable(
               from.value, [&](u32 at) -> const auto& { return cfg.predecessors[at]; },
               [&](u32 at) { return body.contains(at) || position[at] == ~u32{0}; }))
        body.insert(b);
    }
  for (const auto& [header, body] : found) {
    loop_at_[header] = static_cast<u32>(loops.size());
    for (u32 b : body) loops_of[b].push_back(header);
    loops.push_back({header, Blocks(std::vector<u32>(body.begin(), body.end()), count)});
  }
}

void Flow::find_decisions() {
  decided_at.assign(function.blocks.size(), ir::no_value);
  for (ir::BlockId b : cfg.reverse_post_order) {
    ir::BlockId above = ssa.dominator[b.value];
    if (!above.valid()) continue;
    const ir::Instruction* end = conditional_end(above.value);
    bool decides =
        end != nullptr && (only_way(above.value, b.value) || module.form(*end).opcode == ir::Opcode::brx);
    decided_at[b.value] = decides ? b.value : decided_at[above.value];
  }
}

const Sources& Flow::sources(u32 ssa_value) {
  constexpr std::size_t most_values = 64;
  std::vector<u32> work{ssa_value};
  std::set<u32> seen;
  auto [known, fresh] = sources_.try_emplace(ssa_value);
  Sources& out = known->second;
  if (!fresh) return out;
  while (!work.empty()) {
    const u32 value = work.back();
    work.pop_back();
    if (!seen.insert(value).second) continue;
    const ir::Instruction* i = definition(value);
    if (i == nullptr || seen.size() > most_values) {
      out.other = true;
      continue;
    }
    if (const ir::Form& form = module.form(*i); form.opcode == ir::Opcode::ld) {
      if (form.space() == ir::StateSpace::param && ir::bits(form.type()) == 64)
        out.parameters.push_back(function.sources(*i)[0].variable);
      else
        out.other = true;
      continue;
    }
    for (u32 o = i->first_operand + i->destinations; o < i->first_operand + i->destinations + i->sources;
         ++o) {
      const ir::Operand& operand = function.operands[o];
      if (operand.kind == ir::Operand::Kind::reg) work.push_back(ssa.of_operand[o]);
      if (operand.kind != ir::Operand::Kind::special) continue;
      const auto is_one_of = [&](ir::Special first, ir::Special last) {
        return operand.special >= first && operand.special <= last;
      };
      (is_one_of(ir::Special::tid_x, ir::Special::tid_z)       ? out.thread
       : is_one_of(ir::Special::ctaid_x, ir::Special::ctaid_z) ? out.block
                                                               : out.other) = true;
    }
  }
  return out;
}

const Loop* Flow::loop_at(u32 header) const {
  return loop_at_[header] == ir::no_value ? nullptr : &loops[loop_at_[header]];
}

const Split& Flow::split(u32 block) {
  auto [known, fresh] = splits_.try_emplace(block);
  Split& out = known->second;
  if (!fresh) return out;
  out.block = block;
  out.meeting = cfg.post_dominator[block];
  for (ir::BlockId s : function.blocks[block].successors) {
    std::vector<u32> blocks = reachable(
        s.value, [&](u32 at) -> const auto& { return function.blocks[at].successors; },
        [&](u32 at) { return out.meeting.valid() && out.meeting.value == at; });
    Arm arm{s.value, Blocks(std::move(blocks), function.blocks.size())};
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
  auto leaves = [&](u32 b) {
    return loop.body[b] &&
           std::any_of(function.blocks[b].successors.begin(), function.blocks[b].successors.end(),
                       [&](ir::BlockId s) { return !loop.body[s.value]; });
  };
  bool out = leaves(split.block);
  for (const Arm& arm : split.arms) arm.blocks.each([&](u32 b) { out = out || leaves(b); });
  return out;
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

std::optional<u32> address_operand(const ir::Form& form, const ir::Instruction& i, const ir::Function& f) {
  if (form.family() != ir::Family::memory || ir::bulk_copy(form) != ir::BulkCopy::none ||
      form.opcode == ir::Opcode::tensormap)
    return {};
  bool skip = ir::copies_asynchronously(form); // where it writes comes first
  for (u32 o = i.first_operand + i.destinations; o < i.first_operand + i.destinations + i.sources; ++o) {
    if (f.operands[o].kind != ir::Operand::Kind::address) continue;
    if (!skip) return o;
    skip = false;
  }
  return {};
}

} // namespace warplens::check
