// Warp-level instructions: shuffles, votes, matches, reductions, barriers of a warp or a CTA.
//
// The .sync forms name the lanes that take part. When some of them are elsewhere and may still come (on the other path
// of a branch, or in another group), the lanes that are here wait for them as a group of their own, and the op runs
// again when they are joined. Nobody waits for lanes that have exited, nor for those that wait themselves where a branch
// ends, for the lanes that are here: the hardware holds them there. If the missing ones cannot come, the op goes on
// without them.
//
// An op is performed by the lanes that are here, whatever it names: votes, matches and reductions are over them, and a
// shuffle from any other lane (elsewhere, exited, never there) reads 0. docs/understand/how-it-works.md has the rule and what was
// measured.
//
// Results are computed for whole warps: a word per warp that all its lanes get, or a permutation of its
// lanes.
#include "sim/exec/barriers.h"
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/exec/splits.h"
#include "sim/kernels/lane_exchange.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;

using PerWarp = std::array<u32, most_warps>;

const u32* words_of(Exec& x, SlotId slot) { return static_cast<const u32*>(x.lanes_of(slot)); }

// Calls f(warp, lanes) for each warp that takes part.
template <class F> void each_warp(Exec& x, F&& f) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    if (x.mask->word[w] != 0) f(w, x.mask->word[w]);
}

// The lanes of each warp that are named: by all of its lanes, or by some of them each for their team.
PerWarp named_lanes(Exec& x, SlotId member_slot) {
  PerWarp out{};
  const Value& v = x.values[member_slot];
  if (v.uniform()) {
    each_warp(x, [&](u32 w, u32) { out[w] = static_cast<u32>(v.base); });
    return out;
  }
  const u32* named = words_of(x, member_slot);
  each_warp(x, [&](u32 w, u32 lanes) {
    for_each_lane(lanes, [&](u32 lane) { out[w] |= named[w * warp_size + lane]; });
  });
  return out;
}

// The lanes of a warp that wait at the end of a branch for some of those that are here, before their group goes on: in
// the stack, an entry below that holds both.
u32 held_lanes(const Group& group, u32 warp, u32 here) {
  u32 above = group.stack.back().mask.word[warp], held = 0;
  for (std::size_t i = group.stack.size() - 1; i-- > 0;) {
    u32 lanes = group.stack[i].mask.word[warp];
    if ((lanes & here) != 0) held |= lanes & ~above;
    above |= lanes;
  }
  return held;
}

// Lanes that the op names are held elsewhere, so that it goes on without them.
void tell_held(Exec& x, const Mask& held) {
  Group& group = *x.group;
  group.stack.back().pc = x.pc - 1;
  group.awaited = held;
  for (auto& watcher : x.watchers) watcher->go_on_without(group);
}

// True when every named lane of every warp is here, or cannot come. Otherwise the warps that miss some are split off and
// wait.
bool gathered(Exec& x, SlotId member_slot) {
  Group& group = *x.group;
  for (auto& watcher : x.watchers) watcher->execute(x.code->ops[x.pc - 1], member_slot);
  if (group.alone) { // released without the others
    group.alone = false;
    return true;
  }
  if (x.whole && x.unguarded) return true;
  Mask waiting, awaited, held;
  bool missing = false, alone = true;
  PerWarp named = named_lanes(x, member_slot);
  each_warp(x, [&](u32 w, u32 here) {
    u32 others = named[w] & x.shape.all.word[w] & ~x.cta->exited.word[w] & ~x.active.word[w];
    if (others == 0) return;
    held.word[w] = others & held_lanes(group, w, here);
    awaited.word[w] = others & ~held.word[w];
    if (awaited.word[w] == 0) return;
    missing = true;
    waiting.word[w] = x.active.word[w];
  });
  if (!x.watchers.empty() && held != Mask{}) tell_held(x, held);
  if (!missing) return true;
  part_for_good(x);
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

// Runs f(warp, team, named) for each set of lanes of a warp that name the same members: tiles of a warp do so
// in one instruction. `named` are those of them that are here.
template <class F> void each_team(Exec& x, SlotId member_slot, F&& f) {
  const Value& v = x.values[member_slot];
  if (v.uniform())
    return each_warp(x, [&](u32 w, u32 lanes) { f(w, lanes, static_cast<u32>(v.base) & lanes); });
  const u32* members = words_of(x, member_slot);
  each_warp(x, [&](u32 w, u32 lanes) {
    const u32* named = members + w * warp_size;
    for (u32 rest = lanes; rest != 0;) {
      u32 common = named[std::countr_zero(rest)];
      u32 team = lane_exchange().equal(named, common) & rest;
      f(w, team, common & lanes);
      rest &= ~team;
    }
  });
}

// Where a 32-bit result goes: straight into the destination when nobody needs its old value.
struct Result {
  Exec& x;
  Value* to;
  u32* lanes;
  bool whole;
  Result(Exec& exec, const Op& op, u32 destination, bool in_place = true)
      : x(exec), to(&exec.values[op.destination(destination)]), whole(in_place && exec.kills(op)) {
    lanes = whole ? to->writable<u32>(0) : static_cast<u32*>(x.scratch[destination]);
  }
  u32* warp(u32 w) const { return lanes + w * warp_size; }
  void finish() {
    if (whole)
      to->set_lanes();
    else
      x.merge(*to, lanes);
  }
};

// A result with one word per warp: a predicate's lanes, or the value of every lane.
void give(Exec& x, const Op& op, u32 destination, PerWarp& words) {
  if (op.destination(destination) == no_slot) return;
  Value& to = x.values[op.destination(destination)];
  if (x.kills(op)) {
    u32 first = words[x.first_warp];
    bool same = to.bits != 1 || first == 0 || first == full_mask;
    each_warp(x, [&](u32 w, u32) { same &= words[w] == first; });
    if (same) return to.set_uniform(to.bits == 1 ? first & 1 : first);
  }
  if (to.bits == 1) return x.merge(to, words.data());
  Result result(x, op, destination);
  lane_exchange().spread(result.warp(x.first_warp), &words[x.first_warp], x.end_warp - x.first_warp);
  result.finish();
}

// One word per team, for every lane of it: word(warp, named lanes that are here).
template <class F> void give_teams(Exec& x, const Op& op, SlotId member_slot, F&& word) {
  if (op.destination(0) == no_slot) return;
  if (x.values[member_slot].uniform()) {
    PerWarp words{};
    each_team(x, member_slot, [&](u32 w, u32, u32 named) { words[w] = word(w, named); });
    return give(x, op, 0, words);
  }
  Result result(x, op, 0);
  each_team(x, member_slot,
            [&](u32 w, u32 team, u32 named) { lane_exchange().put(result.warp(w), team, word(w, named)); });
  result.finish();
}

// Lanes that read one that does not perform the shuffle get 0. `from` and `step`: LaneExchange::permute.
void clear_missing(Exec& x, const Result& result, const u32* from, u32 step) {
  each_warp(x, [&](u32 w, u32 lanes) {
    const u32* source = from + u64{w - x.first_warp} * step;
    for_each_lane(lanes, [&](u32 lane) {
      if ((lanes >> source[lane] & 1) == 0) result.warp(w)[lane] = 0;
    });
  });
}

ShuffleMode mode_of(const ir::Form& form) {
  return form.has(Modifier::up)     ? ShuffleMode::up
         : form.has(Modifier::down) ? ShuffleMode::down
         : form.has(Modifier::bfly) ? ShuffleMode::butterfly
                                    : ShuffleMode::index;
}

} // namespace

namespace ops {

// slots: destination [, predicate], value, lane operand, clamp, [member mask]
void shuffle(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  if (op.form->has(Modifier::sync) && !gathered(x, op.source(3))) return;
  const LaneExchange& exchange = lane_exchange();
  auto sources = exchange.sources[static_cast<u32>(mode_of(*op.form))];
  Value &in = x.values[op.source(0)], &by = x.values[op.source(1)], &bounds = x.values[op.source(2)];
  u32 first = x.first_warp, warps = x.end_warp - first;
  bool everyone = x.whole && x.unguarded && x.shape.threads % warp_size == 0, complete = true; // whole warps
  if (!everyone) each_warp(x, [&](u32, u32 lanes) { complete &= lanes == full_mask; });
  PerWarp inside{};
  alignas(64) std::array<u32, warp_size> one_set;
  u32* from = static_cast<u32*>(x.scratch[2]);
  u32 step = warp_size;
  if (by.uniform() && bounds.uniform()) {
    std::array<u32, warp_size> steps, limits;
    steps.fill(static_cast<u32>(by.base));
    limits.fill(static_cast<u32>(bounds.base));
    u32 all = 0;
    from = one_set.data(), step = 0;
    sources(from, &all, steps.data(), limits.data(), 1);
    inside.fill(all);
  } else {
    need_lanes(by, x.shape);
    need_lanes(bounds, x.shape);
    sources(from, &inside[first], by.read<u32>(first), bounds.read<u32>(first), warps);
  }
  if (op.destination(0) != no_slot && in.uniform() && complete && x.kills(op)) {
    x.values[op.destination(0)].set_uniform(in.base);
  } else if (op.destination(0) != no_slot) {
    need_lanes(in, x.shape);
    Result result(x, op, 0);
    exchange.permute(result.warp(first), in.read<u32>(first), from, step, warps);
    if (!complete) clear_missing(x, result, from, step);
    result.finish();
  }
  if (op.destinations > 1) give(x, op, 1, inside);
}

// slots: destination, predicate [, member mask]
void vote(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const ir::Form& form = *op.form;
  bool sync = form.has(Modifier::sync);
  if (sync && !gathered(x, op.source(1))) return;
  const u32* predicate = words_of(x, op.source(0));
  u32 flip = op.predicate().negated ? full_mask : 0;
  auto holds = [&](u32 w, u32 named) { return (predicate[w] ^ flip) & named; };
  PerWarp words{};
  if (form.has(Modifier::ballot)) {
    if (sync) return give_teams(x, op, op.source(1), holds);
    each_warp(x, [&](u32 w, u32 lanes) { words[w] = holds(w, lanes); });
    return give(x, op, 0, words);
  }
  auto count = [&](u32 w, u32 team, u32 named) {
    u32 set = holds(w, named);
    bool value = form.has(Modifier::all)   ? set == named
                 : form.has(Modifier::any) ? set != 0
                                           : set == named || set == 0;
    // Lanes that take no part may have anything: where one team is the warp, so that warps agree.
    words[w] |= value ? (team == x.mask->word[w] ? full_mask : team) : 0;
  };
  if (sync)
    each_team(x, op.source(1), count);
  else
    each_warp(x, [&](u32 w, u32 lanes) { count(w, lanes, lanes); });
  give(x, op, 0, words);
}

// slots: destination [, predicate], value, member mask
void match(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(1))) return;
  bool all = op.form->has(Modifier::all);
  Value& in = x.values[op.source(0)];
  need_lanes(in, x.shape);
  auto equal = [&](u32 w, u32 lane) {
    return in.bits == 64 ? lane_exchange().equal64(in.read<u64>(w), in.read<u64>(w)[lane])
                         : lane_exchange().equal(in.read<u32>(w), in.read<u32>(w)[lane]);
  };
  u32* result = static_cast<u32*>(x.scratch[0]); // the destination may be the source
  PerWarp all_same{};
  each_team(x, op.source(1), [&](u32 w, u32 team, u32 named) {
    for (u32 rest = team; rest != 0;) {
      u32 alike = equal(w, static_cast<u32>(std::countr_zero(rest))), same = alike & named;
      alike &= rest;
      if (all) {
        all_same[w] |= same == named ? alike : 0;
        same = same == named ? named : 0;
      }
      lane_exchange().put(result + w * warp_size, alike, same);
      rest &= ~alike;
    }
  });
  if (op.destination(0) != no_slot) x.merge(x.values[op.destination(0)], result);
  if (op.destinations > 1) give(x, op, 1, all_same);
}

namespace {

LaneReduction reduction_of(const ir::Form& form) {
  bool sign = ir::is_signed(form.type());
  switch (form.atomic_op()) {
  case ir::AtomicOp::add: return LaneReduction::add;
  case ir::AtomicOp::and_: return LaneReduction::and_;
  case ir::AtomicOp::or_: return LaneReduction::or_;
  case ir::AtomicOp::xor_: return LaneReduction::xor_;
  case ir::AtomicOp::min: return sign ? LaneReduction::min_signed : LaneReduction::min_unsigned;
  default: return sign ? LaneReduction::max_signed : LaneReduction::max_unsigned;
  }
}

// redux.sync.min, .max of f32 [.abs] [.NaN]
u32 reduce_floats(const ir::Form& form, const u32* in, u32 lanes) {
  bool absolute = form.has(Modifier::abs), propagate = form.has(Modifier::nan), first = true;
  u32 total = 0;
  for_each_lane(lanes, [&](u32 lane) {
    u32 v = absolute ? in[lane] & 0x7fffffff : in[lane];
    float a = std::bit_cast<float>(total), b = std::bit_cast<float>(v);
    bool a_nan = a != a, b_nan = b != b;
    if (first)
      total = v;
    else if (a_nan || b_nan)
      total = propagate || (a_nan && b_nan) ? 0x7fffffff : a_nan ? v : total;
    else
      total = std::bit_cast<u32>(form.atomic_op() == ir::AtomicOp::min ? std::min(a, b) : std::max(a, b));
    first = false;
  });
  return total;
}

} // namespace

// redux.sync: destination, value, member mask
void reduce(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(1))) return;
  const ir::Form& form = *op.form;
  const u32* in = words_of(x, op.source(0));
  auto total = lane_exchange().reduce[static_cast<u32>(reduction_of(form))];
  bool floats = form.type() == ir::Type::f32;
  give_teams(x, op, op.source(1), [&](u32 w, u32 named) {
    const u32* lanes = in + w * warp_size;
    if (floats) return reduce_floats(form, lanes, named);
    u32 out = 0;
    total(&out, lanes, &named, 1);
    return out;
  });
}

void active_mask(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  PerWarp words{};
  each_warp(x, [&](u32 w, u32 lanes) { words[w] = lanes; });
  give(x, op, 0, words);
}

// elect.sync d|p, member mask: the lowest named lane is the leader
void elect(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(0))) return;
  auto lowest = [](u32 named) { return named == 0 ? 0 : static_cast<u32>(std::countr_zero(named)); };
  PerWarp leads{};
  each_team(x, op.source(0),
            [&](u32 w, u32, u32 named) { leads[w] |= named == 0 ? 0 : u32{1} << lowest(named); });
  give_teams(x, op, op.source(0), [&](u32, u32 named) { return lowest(named); });
  if (op.destinations > 1) give(x, op, 1, leads);
}

// bar.warp.sync: lanes of a group are in lockstep already; only missing lanes have to be waited for.
void warp_barrier(Exec& x, const Op& op) {
  if (!x.enter(op) || !gathered(x, op.source(0))) return;
  if (x.watchers.empty() || !is_warp_barrier(op)) return;
  const PerWarp all_named = named_lanes(x, op.source(0));
  each_team(x, op.source(0), [&](u32 w, u32 team, u32) {
    for (auto& watcher : x.watchers) watcher->meet(w, team, all_named[w]);
  });
}

// The lanes that name another barrier, or another number of threads, than the first one.
Mask lanes_of_other_barriers(Exec& x, const Op& op, u32 named) {
  const u32 first = first_thread(*x.mask);
  Mask out;
  for (u32 n = 0; n < named; ++n) {
    if (x.values[op.source(n)].uniform()) continue;
    const u64 value = x.lane_value(op.source(n), first);
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(x.mask->word[w], [&](u32 lane) {
        if (x.lane_value(op.source(n), w * warp_size + lane) != value) out.word[w] |= 1u << lane;
      });
  }
  return out;
}

// bar.sync, bar.red, bar.arrive and their barrier.cta twins. Slots: [destination,] barrier, [count,]
// [predicate]
void barrier(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const ir::Form& form = *op.form;
  bool reduction = form.has(Modifier::red), arrive = form.has(Modifier::arrive),
       has_count = op.predicate().after_count;
  if (const Mask others = lanes_of_other_barriers(x, op, has_count ? 2 : 1); others != Mask{}) {
    part_for_good(x);
    x.group->stack.back().pc = x.pc - 1; // this op again, each by itself
    x.cta->groups.push_back(split_off(x, *x.group, others));
    x.stop = true;
    return;
  }
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
  if (!reduction && !barrier.open && x.watchers.empty() && x.full && x.unguarded &&
      x.group->frames.size() == 1 &&
      (!has_count || (expected >= x.shape.threads && expected <= x.active_warps * warp_size))) {
    // Everyone who has not exited is here at once, in lockstep: nothing to wait for.
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
    barrier.expected = expected;
    barrier.reduction = reduction_of(op);
  }
  for (auto& watcher : x.watchers) watcher->arrive(op, id, barrier, expected);
  for (u32 w = 0; w < x.shape.warps; ++w) barrier.arrived.word[w] |= x.mask->word[w];
  if (reduction) {
    SlotId predicate = op.source(has_count ? 2 : 1);
    const u32* holds = static_cast<const u32*>(x.lanes_of(predicate));
    each_warp(x, [&](u32 w, u32 lanes) {
      u32 set = (holds[w] ^ (op.predicate().negated ? full_mask : 0)) & lanes;
      barrier.count += static_cast<u32>(std::popcount(set));
      barrier.any |= set != 0;
      barrier.all &= set == lanes;
    });
  }
  group.stack.back().pc = x.pc;
  x.stop = true;
  if (arrive) return; // does not wait; the loop starts this group again
  part_for_good(x);
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
