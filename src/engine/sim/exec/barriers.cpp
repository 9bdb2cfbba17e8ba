// Where groups of a CTA wait for each other: barriers of the block, and the instructions of a warp that name the lanes they
// need. Who waits is kept by the groups themselves (GroupState); what is here lets them go on.
#include "sim/exec/barriers.h"
#include "sim/exec/simt.h"
#include <algorithm>
#include <bit>

namespace warplens::sim {
namespace {

bool complete(const Exec& x, const Cta& cta, const Barrier& barrier) {
  u32 warps = x.shape.warps;
  if (barrier.expected == 0) {
    for (u32 w = 0; w < warps; ++w)
      if (x.shape.all.word[w] & ~(barrier.arrived.word[w] | cta.exited.word[w])) return false;
    return true;
  }
  // Thread counts are in whole warps: lanes that exited, or never existed, count with their warp's arrival. A warp
  // that ended altogether never arrives, though without a count nobody waits for it.
  u32 arrived = 0;
  for (u32 w = 0; w < warps; ++w) {
    if (barrier.arrived.word[w] == 0) continue;
    arrived +=
        static_cast<u32>(std::popcount(barrier.arrived.word[w] | cta.exited.word[w] | ~x.shape.all.word[w]));
  }
  return arrived >= barrier.expected;
}

bool same_place(const Group& a, const Group& b) {
  if (a.stack.size() != b.stack.size() || a.frames.size() != b.frames.size()) return false;
  for (std::size_t i = 0; i < a.frames.size(); ++i)
    if (a.frames[i].frame != b.frames[i].frame || a.frames[i].floor != b.frames[i].floor ||
        a.frames[i].return_pc != b.frames[i].return_pc)
      return false;
  for (std::size_t i = 0; i < a.stack.size(); ++i)
    if (a.stack[i].pc != b.stack[i].pc || a.stack[i].reconvergence != b.stack[i].reconvergence) return false;
  return true;
}

// Leaves out the entries that hold nobody: the one above has all their lanes, which have passed that place (BREAK), or go on there at once.
void drop_passed(Group& group) {
  std::vector<StackEntry>& stack = group.stack;
  for (std::size_t i = stack.size() - 1; i > group.frames.back().floor; --i) {
    if (stack[i - 1].mask != stack[i].mask || stack[i - 1].pc != stack[i].reconvergence) continue;
    stack[i].reconvergence = stack[i - 1].reconvergence;
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
}

void absorb(Group& into, Group& from, u32 warps) {
  for (std::size_t i = 0; i < into.stack.size(); ++i)
    for (u32 w = 0; w < warps; ++w) into.stack[i].mask.word[w] |= from.stack[i].mask.word[w];
  for (FrameLink& link : from.frames) release_frame(*link.frame);
}

void deliver_reduction(Exec& x, Group& group, const Barrier& barrier) {
  if (group.barrier_result == no_slot) return;
  x.group = &group;
  x.load_top();
  u64 value = barrier.reduction == BarrierReduction::popc   ? barrier.count
              : barrier.reduction == BarrierReduction::and_ ? barrier.all
                                                            : barrier.any;
  Value& to = x.value(group.barrier_result);
  need_lanes(to, x.shape);
  for (u32 w = 0; w < x.shape.warps; ++w)
    for_each_lane(x.active.word[w], [&](u32 lane) { x.set_lane(to, w * warp_size + lane, value); });
  to.set_lanes();
  group.barrier_result = no_slot;
}

} // namespace

BarrierReduction reduction_of(const Op& op) {
  const ir::Form& form = *op.form;
  return !form.has(ir::Modifier::red)   ? BarrierReduction::none
         : form.has(ir::Modifier::popc) ? BarrierReduction::popc
         : form.has(ir::Modifier::and_) ? BarrierReduction::and_
                                        : BarrierReduction::or_;
}

bool release_barriers(Exec& x, Cta& cta) {
  bool released = false;
  if (cta.open_barriers == 0) return false;
  for (u32 id = 0; id < cta.barriers.size(); ++id) {
    Barrier& barrier = cta.barriers[id];
    if (!barrier.open || !complete(x, cta, barrier)) continue;
    for (auto& watcher : x.watchers) watcher->complete(id, barrier);
    Group* first = nullptr;
    for (auto it = cta.groups.begin(); it != cta.groups.end();) {
      Group& group = **it;
      if (group.state != GroupState::at_barrier || group.barrier != id) {
        ++it;
        continue;
      }
      deliver_reduction(x, group, barrier);
      for (auto& watcher : x.watchers) watcher->go_on(id, group.stack.back().mask);
      group.state = GroupState::runnable;
      group.rounds = group.spins = group.turn = 0;
      released = true;
      drop_passed(group);
      if (first != nullptr && same_place(*first, group)) {
        absorb(*first, group, x.shape.warps);
        it = cta.groups.erase(it);
        continue;
      }
      if (first == nullptr) first = &group;
      ++it;
    }
    for (auto& watcher : x.watchers) watcher->close(id);
    barrier = {};
    --cta.open_barriers;
  }
  return released;
}

namespace {

// Groups that wait at the same warp-level instruction become one.
void join_warp_syncs(Exec& x, Cta& cta) {
  for (auto& group : cta.groups)
    if (group->state == GroupState::at_warp_sync) drop_passed(*group);
  for (auto it = cta.groups.begin(); it != cta.groups.end(); ++it) {
    Group& group = **it;
    if (group.state != GroupState::at_warp_sync) continue;
    for (auto other = std::next(it); other != cta.groups.end();) {
      if ((*other)->state != GroupState::at_warp_sync || !same_place(group, **other)) {
        ++other;
        continue;
      }
      absorb(group, **other, x.shape.warps);
      for (u32 w = 0; w < x.shape.warps; ++w) group.awaited.word[w] |= (*other)->awaited.word[w];
      other = cta.groups.erase(other);
    }
  }
}

// Which of two groups is further back in the program, the outermost places first.
bool is_before(const Group& a, const Group& b) {
  return std::lexicographical_compare(a.stack.begin(), a.stack.end(), b.stack.begin(), b.stack.end(),
                                      [](const StackEntry& x, const StackEntry& y) { return x.pc < y.pc; });
}

} // namespace

bool release_warp_syncs(Exec& x, Cta& cta, bool force) {
  Mask present = cta.exited;
  bool waiting = false, released = false;
  for (auto& group : cta.groups) {
    if (group->state != GroupState::at_warp_sync) continue;
    waiting = true;
    for (u32 w = 0; w < x.shape.warps; ++w) present.word[w] |= group->stack.back().mask.word[w];
  }
  if (!waiting) return false;
  join_warp_syncs(x, cta);
  std::array<const Group*, most_warps> first{};
  Mask met; // their lanes
  for (auto& group : cta.groups) {
    if (group->state != GroupState::at_warp_sync) continue;
    const Mask& here = group->stack.back().mask;
    for (u32 w = 0; w < x.shape.warps; ++w) {
      bool ready = here.word[w] != 0 && (force || (group->awaited.word[w] & ~present.word[w]) == 0);
      if (!ready || (first[w] != nullptr && !is_before(*group, *first[w]))) continue;
      first[w] = group.get();
      met.word[w] = here.word[w];
    }
  }
  std::vector<std::unique_ptr<Group>> parts;
  for (auto& group : cta.groups) {
    if (group->state != GroupState::at_warp_sync) continue;
    Mask ready;
    const Mask& here = group->stack.back().mask;
    for (u32 w = 0; w < x.shape.warps; ++w)
      if (first[w] == group.get())
        ready.word[w] = here.word[w];
      else
        group->awaited.word[w] &= ~met.word[w];
    if (empty(ready, x.shape.warps)) continue;
    if (force)
      for (auto& watcher : x.watchers) watcher->go_on_without(*group);
    Group* free = group.get();
    if (ready != here) free = parts.emplace_back(split_off(x, *group, ready)).get();
    free->state = GroupState::runnable;
    free->alone = true;
    released = true;
  }
  for (auto& part : parts) cta.groups.push_back(std::move(part));
  return released;
}
} // namespace warplens::sim
