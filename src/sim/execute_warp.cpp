// Warp-level instructions: shuffles, votes, matches, reductions, barriers of a warp or a CTA.
//
// The .sync forms name the lanes that take part. When some of them are elsewhere (diverged in this group's
// stack, or in another group), the lanes that are here wait for them as a group of their own, and the op runs
// again when they are joined. Lanes that have exited count as present. If the missing ones cannot come, the
// op goes on without them.
#include "sim/exec.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;

// Calls f(team, named) for the lanes of a warp that name the same members: tiles of a warp do so in one
// instruction.
template <class F> void each_team(Exec& x, SlotId member_slot, u32 warp, F&& f) {
  u32 lanes = x.mask->word[warp];
  if (member_slot == no_slot) return f(lanes, full_mask);
  const Value& v = x.values[member_slot];
  if (v.uniform()) return f(lanes, static_cast<u32>(v.base));
  const u32* named = static_cast<const u32*>(x.lanes_of(member_slot)) + warp * warp_size;
  while (lanes != 0) {
    u32 members = named[std::countr_zero(lanes)], team = 0;
    for_each_lane(lanes, [&](u32 lane) { team |= u32{named[lane] == members} << lane; });
    f(team, members);
    lanes &= ~team;
  }
}

// True when every named lane of every warp is here. Otherwise the warps that miss some are parted and wait.
bool gathered(Exec& x, SlotId member_slot) {
  Group& group = *x.group;
  if (group.alone) { // released without the others
    group.alone = false;
    return true;
  }
  Mask waiting, awaited;
  bool missing = false, alone = true;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u32 here = x.mask->word[w];
    if (here == 0) continue;
    each_team(x, member_slot, w, [&](u32, u32 named) { awaited.word[w] |= named; });
    awaited.word[w] &= x.shape.all.word[w] & ~x.cta->exited.word[w] & ~here;
    if (awaited.word[w] == 0) continue;
    missing = true;
    waiting.word[w] = x.active.word[w];
  }
  if (!missing) return true;
  for (const StackEntry& entry : group.stack)
    for (u32 w = 0; w < x.shape.warps; ++w) alone &= (entry.mask.word[w] & ~waiting.word[w]) == 0;
  group.stack.back().pc = x.pc - 1; // this op again
  if (alone) {
    group.state = GroupState::at_warp_sync;
    group.awaited = awaited;
  } else {
    std::unique_ptr<Group> part = split_off(x, group, waiting);
    part->awaited = awaited;
    part->state = GroupState::at_warp_sync;
    x.cta->groups.push_back(std::move(part));
  }
  x.stop = true;
  return false;
}

// Runs f(warp, lanes) for each warp that takes part.
template <class F> void each_warp(Exec& x, F&& f) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    if (x.mask->word[w] != 0) f(w, x.mask->word[w]);
}

// Runs f(warp, lanes, named) for each set of lanes of a warp that work together; `named` are those of them
// that are here.
template <class F> void each_team(Exec& x, SlotId member_slot, F&& f) {
  each_warp(x, [&](u32 w, u32 lanes) {
    each_team(x, member_slot, w, [&](u32 team, u32 named) { f(w, team, named & lanes); });
  });
}

Value scratch_like(Exec& x, const Value& v, u32 which) {
  Value out;
  out.bits = v.bits;
  out.data = x.scratch[which];
  return out;
}

} // namespace

namespace ops {

// slots: destination [, predicate], value, lane operand, clamp, [member mask]
void shuffle(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  bool sync = op.form->has(Modifier::sync);
  if (sync && !gathered(x, op.source(3))) return;
  Value result, valid;
  bool has_result = op.destination(0) != no_slot,
       has_valid = op.destinations > 1 && op.destination(1) != no_slot;
  result.bits = 32;
  result.data = x.scratch[0];
  valid.bits = 1;
  valid.data = x.scratch[1];
  const u32* in = static_cast<const u32*>(x.lanes_of(op.source(0)));
  const u32* by = static_cast<const u32*>(x.lanes_of(op.source(1)));
  const u32* bounds = static_cast<const u32*>(x.lanes_of(op.source(2)));
  const ir::Form& form = *op.form;
  each_warp(x, [&](u32 w, u32 lanes) {
    u32 ok = 0;
    for_each_lane(lanes, [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      u32 b = by[thread] & 31, c = bounds[thread] & 31, segment = bounds[thread] >> 8 & 31;
      u32 highest = (lane & segment) | (c & ~segment), lowest = lane & segment;
      i32 from;
      bool inside;
      if (form.has(Modifier::up)) {
        from = static_cast<i32>(lane) - static_cast<i32>(b);
        inside = from >= static_cast<i32>(highest);
      } else if (form.has(Modifier::down)) {
        from = static_cast<i32>(lane + b);
        inside = from <= static_cast<i32>(highest);
      } else if (form.has(Modifier::bfly)) {
        from = static_cast<i32>(lane ^ b);
        inside = from <= static_cast<i32>(highest);
      } else {
        from = static_cast<i32>(lowest | (b & ~segment));
        inside = from <= static_cast<i32>(highest);
      }
      if (!inside) from = static_cast<i32>(lane);
      ok |= u32{inside} << lane;
      result.at<u32>(0)[thread] = in[w * warp_size + static_cast<u32>(from)];
    });
    valid.at<u32>(0)[w] = ok;
  });
  if (has_result) x.merge(x.values[op.destination(0)], result.data);
  if (has_valid) x.merge(x.values[op.destination(1)], valid.data);
}

// slots: destination, predicate [, member mask]; aux: the predicate is negated
void vote(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  bool sync = op.form->has(Modifier::sync);
  if (sync && !gathered(x, op.source(1))) return;
  Value& to = x.values[op.destination(0)];
  Value result = scratch_like(x, to, 0);
  const u32* predicate = static_cast<const u32*>(x.lanes_of(op.source(0)));
  u32 flip = op.aux ? full_mask : 0;
  if (!op.form->has(Modifier::ballot)) std::fill_n(result.at<u32>(0), x.shape.warps, 0);
  each_team(x, sync ? op.source(1) : no_slot, [&](u32 w, u32 lanes, u32 named) {
    u32 holds = (predicate[w] ^ flip) & named;
    if (op.form->has(Modifier::ballot)) {
      for_each_lane(lanes, [&](u32 lane) { x.set_lane(result, w * warp_size + lane, holds); });
      return;
    }
    bool value = op.form->has(Modifier::all)   ? holds == named
                 : op.form->has(Modifier::any) ? holds != 0
                                               : holds == named || holds == 0;
    result.at<u32>(0)[w] |= value ? lanes : 0;
  });
  x.merge(to, result.data);
}

// slots: destination [, predicate], value, member mask
void match(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(1))) return;
  Value result, all_same;
  result.bits = 32;
  result.data = x.scratch[0];
  all_same.bits = 1;
  all_same.data = x.scratch[1];
  bool all = op.form->has(Modifier::all);
  std::fill_n(all_same.at<u32>(0), x.shape.warps, 0);
  each_team(x, op.source(1), [&](u32 w, u32 lanes, u32 named) {
    u32 same_everywhere = 0;
    for_each_lane(lanes, [&](u32 lane) {
      u64 mine = x.lane_value(op.source(0), w * warp_size + lane);
      u32 same = 0;
      for_each_lane(named, [&](u32 other) {
        same |= u32{x.lane_value(op.source(0), w * warp_size + other) == mine} << other;
      });
      if (all) {
        same_everywhere |= u32{same == named} << lane;
        same = same == named ? named : 0;
      }
      result.at<u32>(0)[w * warp_size + lane] = same;
    });
    all_same.at<u32>(0)[w] |= same_everywhere;
  });
  if (op.destination(0) != no_slot) x.merge(x.values[op.destination(0)], result.data);
  if (op.destinations > 1 && op.destination(1) != no_slot)
    x.merge(x.values[op.destination(1)], all_same.data);
}

// redux.sync: destination, value, member mask
void reduce(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(1))) return;
  Value& to = x.values[op.destination(0)];
  Value result = scratch_like(x, to, 0);
  ir::Type type = op.form->type();
  ir::AtomicOp operation = op.form->atomic_op();
  bool absolute = op.form->has(Modifier::abs), propagate = op.form->has(Modifier::nan);
  each_team(x, op.source(1), [&](u32 w, u32 lanes, u32 named) {
    bool first = true;
    u32 total = 0;
    for_each_lane(named, [&](u32 lane) {
      u32 v = static_cast<u32>(x.lane_value(op.source(0), w * warp_size + lane));
      if (absolute) v &= 0x7fffffff;
      if (first) {
        total = v;
        first = false;
        return;
      }
      if (type == ir::Type::f32) {
        float a = std::bit_cast<float>(total), b = std::bit_cast<float>(v);
        bool a_nan = a != a, b_nan = b != b;
        if (a_nan || b_nan)
          total = propagate || (a_nan && b_nan) ? 0x7fffffff : a_nan ? v : total;
        else
          total = std::bit_cast<u32>(operation == ir::AtomicOp::min ? std::min(a, b) : std::max(a, b));
        return;
      }
      switch (operation) {
      case ir::AtomicOp::add: total += v; break;
      case ir::AtomicOp::and_: total &= v; break;
      case ir::AtomicOp::or_: total |= v; break;
      case ir::AtomicOp::xor_: total ^= v; break;
      case ir::AtomicOp::min:
        total = ir::is_signed(type) ? static_cast<u32>(std::min(static_cast<i32>(total), static_cast<i32>(v)))
                                    : std::min(total, v);
        break;
      default:
        total = ir::is_signed(type) ? static_cast<u32>(std::max(static_cast<i32>(total), static_cast<i32>(v)))
                                    : std::max(total, v);
      }
    });
    for_each_lane(lanes, [&](u32 lane) { x.set_lane(result, w * warp_size + lane, total); });
  });
  x.merge(to, result.data);
}

void active_mask(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Value& to = x.values[op.destination(0)];
  Value result = scratch_like(x, to, 0);
  each_warp(x, [&](u32 w, u32 lanes) {
    for_each_lane(lanes, [&](u32 lane) { x.set_lane(result, w * warp_size + lane, lanes); });
  });
  x.merge(to, result.data);
}

// elect.sync d|p, member mask: the lowest named lane is the leader
void elect(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(0))) return;
  Value leader, is_leader;
  leader.bits = 32;
  leader.data = x.scratch[0];
  is_leader.bits = 1;
  is_leader.data = x.scratch[1];
  std::fill_n(is_leader.at<u32>(0), x.shape.warps, 0);
  each_team(x, op.source(0), [&](u32 w, u32 lanes, u32 named) {
    u32 lowest = named == 0 ? 0 : static_cast<u32>(std::countr_zero(named));
    for_each_lane(lanes, [&](u32 lane) { leader.at<u32>(0)[w * warp_size + lane] = lowest; });
    is_leader.at<u32>(0)[w] |= named == 0 ? 0 : u32{1} << lowest;
  });
  if (op.destination(0) != no_slot) x.merge(x.values[op.destination(0)], leader.data);
  if (op.destinations > 1 && op.destination(1) != no_slot)
    x.merge(x.values[op.destination(1)], is_leader.data);
}

// bar.warp.sync: lanes of a group are in step already; only missing lanes have to be waited for.
void warp_barrier(Exec& x, const Op& op) {
  if (x.enter(op)) gathered(x, op.source(0));
}

// bar.sync, bar.red, bar.arrive and their barrier.cta twins. Slots: [destination,] barrier, [count,]
// [predicate]. aux: bit 0 a count is given, bit 1 the predicate is negated
void barrier(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const ir::Form& form = *op.form;
  bool reduction = form.has(Modifier::red), arrive = form.has(Modifier::arrive), has_count = op.aux & 1;
  u32 thread = first_thread(*x.mask);
  u32 id = static_cast<u32>(x.lane_value(op.source(0), thread));
  u32 expected = has_count ? static_cast<u32>(x.lane_value(op.source(1), thread)) : 0;
  if (id >= x.cta->barriers.size())
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-barrier",
          fmt::format("barrier {} does not exist: there are 16", id), thread);
  if (has_count && (expected == 0 || expected % warp_size != 0))
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-barrier",
          fmt::format("barrier {} waits for {} threads, which is not a multiple of 32", id, expected),
          thread);
  Barrier& barrier = x.cta->barriers[id];
  if (!reduction && !barrier.open && x.full && x.mask_full && x.group->frames.size() == 1 &&
      (!has_count || expected >= x.shape.threads)) {
    // Everyone who has not exited is here at once, in step: nothing to wait for.
    bool everyone = true;
    for (u32 w = 0; w < x.shape.warps; ++w)
      everyone &= (x.shape.all.word[w] & ~x.cta->exited.word[w]) == x.active.word[w];
    if (everyone) return;
  }
  Group& group = *x.group;
  if (!barrier.open) {
    barrier = {};
    barrier.open = true;
    ++x.cta->open_barriers;
    barrier.expected = expected >= x.shape.lanes ? 0 : expected;
    barrier.reduction = !reduction                 ? BarrierReduction::none
                        : form.has(Modifier::popc) ? BarrierReduction::popc
                        : form.has(Modifier::and_) ? BarrierReduction::and_
                                                   : BarrierReduction::or_;
  }
  for (u32 w = 0; w < x.shape.warps; ++w) barrier.arrived.word[w] |= x.mask->word[w];
  if (reduction) {
    SlotId predicate = op.source(has_count ? 2 : 1);
    const u32* holds = static_cast<const u32*>(x.lanes_of(predicate));
    each_warp(x, [&](u32 w, u32 lanes) {
      u32 set = (holds[w] ^ (op.aux & 2 ? full_mask : 0)) & lanes;
      barrier.count += static_cast<u32>(std::popcount(set));
      barrier.any |= set != 0;
      barrier.all &= set == lanes;
    });
  }
  group.stack.back().pc = x.pc;
  x.stop = true;
  if (arrive) return; // does not wait; the loop starts this group again
  // Diverged lanes of this group go on by themselves: only those that are here wait.
  bool alone = true;
  for (const StackEntry& entry : group.stack)
    for (u32 w = 0; w < x.shape.warps; ++w) alone &= (entry.mask.word[w] & ~x.mask->word[w]) == 0;
  std::unique_ptr<Group> part;
  Group* held = &group;
  if (!alone) {
    Mask lanes = *x.mask;
    part = split_off(x, group, lanes);
    held = part.get();
  }
  held->state = GroupState::at_barrier;
  held->barrier = id;
  held->barrier_result = reduction ? op.destination(0) : no_slot;
  if (part) x.cta->groups.push_back(std::move(part));
}

} // namespace ops
} // namespace warplens::sim
