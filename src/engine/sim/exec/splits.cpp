// YIELD, as an H200 performs it (tests/hardware/yield_in_loop.cu says how it was found, and how often it holds).
//
// A warp that has diverged has parts: those that are ready to run, at some place each, and lanes that are blocked at the end of a region
// (BSYNC), until all lanes that opened it (BSSY) are there. YIELD lets another part run:
//
//   * What has not yielded since it last ran goes first, and of that the side of a branch that was put off last.
//   * Else, behind YIELD, the largest other part, and of equal ones the one that ran least lately; where a part waits, the one that is furthest in
//     the code.
//   * Where a part ends, the first in the code, of those that have not yielded if there are some.
//   * If that is one of blocked lanes, their region is given up: they go on, and nobody is waited for at its end any more.
//   * Parts that are ready at one place run as one.
#include "sim/exec/splits.h"
#include "sim/exec/simt.h"
#include <bit>

namespace warplens::sim {
namespace {

void run(Exec& x, u32 pc, u32 lanes) {
  Splits& s = *x.group->splits;
  s.ready &= ~lanes, s.yielded &= ~lanes;
  StackEntry& top = x.group->stack.back();
  top.pc = pc, top.mask.word[s.warp] = lanes;
  x.load_top();
}

void release(Splits& s, u32 region) {
  for_each_lane(s.blocked, [&](u32 lane) {
    if (s.pc[lane] != region) return;
    ++s.pc[lane];
    s.blocked &= ~(1u << lane), s.ready |= 1u << lane;
  });
  s.awaited(region) = 0;
}

u32 at(const Splits& s, u32 lanes, u32 pc) {
  u32 out = 0;
  for_each_lane(lanes, [&](u32 lane) { out |= u32{s.pc[lane] == pc} << lane; });
  return out;
}

// Runs another part. False: there is none.
bool select(Exec& x, Splits::Event event, u32 own = 0) {
  Splits& s = *x.group->splits;
  u32 candidates = s.ready & ~s.yielded;
  if (candidates == 0) candidates = s.ready | s.blocked;
  if ((candidates & ~own) == 0) candidates = s.ready | s.blocked;
  if ((candidates & ~own) != 0) candidates &= ~own;
  if (candidates == 0) return false;
  const bool fresh = (candidates & ~(s.ready & ~s.yielded)) == 0;
  u32 best = 0; // lanes of a part
  for (u32 left = candidates; left != 0;) {
    const u32 lane = static_cast<u32>(std::countr_zero(left)),
              kind = s.blocked >> lane & 1 ? s.blocked : s.ready;
    const u32 part = at(s, candidates & kind, s.pc[lane]);
    left &= ~part;
    const u32 other = best == 0 ? lane : static_cast<u32>(std::countr_zero(best)), pc = s.pc[lane],
              best_pc = s.pc[other];
    const int more = std::popcount(part) - std::popcount(best);
    const bool better = event == Splits::Event::ends ? pc < best_pc
                        : fresh                      ? s.turn[lane] > s.turn[other]
                        : event == Splits::Event::yields
                            ? more > 0 || (more == 0 && s.turn[lane] < s.turn[other])
                            : pc > best_pc;
    if (best == 0 || better) best = part;
  }
  const u32 first = static_cast<u32>(std::countr_zero(best));
  if (s.blocked >> first & 1) {
    release(s, s.pc[first]);
    s.yielded = 0;
  }
  run(x, s.pc[first], at(s, s.ready, s.pc[first]));
  return true;
}

// Lanes that end, or that wait at the end of another region, are not waited for.
bool is_complete(const Exec& x, Splits& s, u32 region) {
  const u32 elsewhere = s.blocked & ~at(s, s.blocked, region);
  return (s.awaited(region) & ~(s.blocked | elsewhere | x.cta->exited.word[s.warp])) == 0;
}

// What the group's stack says of its only warp.
void read_stack(Exec& x, u32 warp) {
  Group& group = *x.group;
  auto splits = std::make_unique<Splits>();
  splits->warp = warp;
  splits->turns = group.stack.size();
  u32 known = 0;
  for (std::size_t i = group.stack.size(); i-- > 0;) {
    const StackEntry& entry = group.stack[i];
    const u32 lanes = entry.mask.word[warp], here = lanes & ~known;
    const bool is_end = x.code->ops[entry.pc].kind() == OpKind::reconverge && i + 1 != group.stack.size();
    if (is_end) splits->awaited(entry.pc) |= lanes;
    if (i + 1 != group.stack.size()) (is_end ? splits->blocked : splits->ready) |= here;
    for_each_lane(here, [&](u32 lane) { splits->pc[lane] = entry.pc, splits->turn[lane] = i; });
    known |= lanes;
  }
  StackEntry top = group.stack.back();
  top.reconvergence = no_target;
  group.stack.assign(1, top);
  ++group.frames.back().frame->users; // what runs may not overwrite what lanes elsewhere need (Exec::kills)
  group.splits = std::move(splits);
}

} // namespace

u32& Splits::awaited(u32 region) {
  for (auto& [end, lanes] : regions)
    if (end == region) return lanes;
  return regions.emplace_back(region, 0).second;
}

void yield(Exec& x) {
  Group& group = *x.group;
  if (group.frames.size() != 1) return;
  if (group.splits == nullptr) {
    if (group.stack.size() == 1) return;
    group.stack.back().pc = x.pc;
    Mask below;
    for (std::size_t i = 0; i + 1 < group.stack.size(); ++i)
      for (u32 w = 0; w < x.shape.warps; ++w) below.word[w] |= group.stack[i].mask.word[w];
    bool alone = true; // nothing of other warps
    u32 mine = no_target;
    for (u32 w = 0; w < x.shape.warps; ++w) {
      const u32 active = x.active.word[w];
      alone &= mine == no_target || (below.word[w] | active) == 0;
      if (active == 0 || (below.word[w] & ~active) == 0) {
        alone &= (below.word[w] | active) == 0;
        continue;
      }
      if (mine == no_target) mine = w;
    }
    if (mine == no_target) return;
    if (!alone) { // the warp's group comes to this op again, and the others now
      Mask lanes;
      lanes.word[mine] = below.word[mine] | x.active.word[mine];
      group.stack.back().pc = x.pc - 1;
      x.cta->groups.push_back(split_off(x, group, lanes));
      x.load_top();
      return;
    }
    read_stack(x, mine);
  }
  Splits& s = *group.splits;
  const u32 own = x.active.word[s.warp];
  ++s.turns;
  for_each_lane(own, [&](u32 lane) { s.pc[lane] = x.pc, s.turn[lane] = s.turns; });
  s.ready |= own, s.yielded |= own;
  select(x, Splits::Event::yields, own);
}

void wait_for_region(Exec& x, u32 end) {
  Splits& s = *x.group->splits;
  const u32 own = x.active.word[s.warp], waits = own & s.awaited(end);
  ++s.turns;
  for_each_lane(own, [&](u32 lane) { s.pc[lane] = waits >> lane & 1 ? end : x.pc, s.turn[lane] = s.turns; });
  s.blocked |= waits, s.ready |= own & ~waits;
  if (waits != 0 && is_complete(x, s, end)) release(s, end);
  if (const u32 go_on = at(s, s.ready, x.pc); go_on != 0 && (s.blocked & waits) == 0)
    return run(x, x.pc, go_on);
  if (const u32 passed = own & ~waits; passed != 0) return run(x, x.pc, passed);
  select(x, Splits::Event::waits);
}

void part_at_branch(Exec& x, u32 taken, u32 target, u32 next) {
  Splits& s = *x.group->splits;
  const u32 rest = x.active.word[s.warp] & ~taken;
  const bool rest_first = std::popcount(rest) <= std::popcount(taken);
  const u32 later = rest_first ? taken : rest;
  ++s.turns;
  for_each_lane(later, [&](u32 lane) { s.pc[lane] = rest_first ? target : next, s.turn[lane] = s.turns; });
  s.ready |= later;
  run(x, rest_first ? next : target, rest_first ? rest : taken);
}

bool run_next_part(Exec& x) {
  Splits& s = *x.group->splits;
  for (const auto& [end, lanes] : std::vector(s.regions))
    if (at(s, s.blocked, end) != 0 && is_complete(x, s, end)) release(s, end);
  return select(x, Splits::Event::ends);
}

void part_for_good(Exec& x) {
  Group& group = *x.group;
  if (group.splits == nullptr) return;
  const std::unique_ptr<Splits> s = std::move(group.splits);
  release_frame(*group.frames.front().frame);
  for (u32 left = s->ready | s->blocked; left != 0;) {
    const u32 lane = static_cast<u32>(std::countr_zero(left)), pc = s->pc[lane];
    const u32 lanes = at(*s, left, pc);
    left &= ~lanes;
    auto part = std::make_unique<Group>();
    part->frames.assign(1, group.frames.front());
    ++part->frames.back().frame->users;
    part->stack.push_back({pc, no_target, {}});
    part->stack.back().mask.word[s->warp] = lanes;
    x.cta->groups.push_back(std::move(part));
  }
}

} // namespace warplens::sim
