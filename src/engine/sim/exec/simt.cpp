// The SIMT machine: groups of lanes, their stacks and frames, and running a CTA to its end (barriers.cpp: where they wait).
//
// A CTA's groups take turns: one runs until it ends, blocks at a barrier or a warp-level synchronisation, or
// notices that it only spins. When all that could run only spin, the CTA steps back and the worker turns to
// another one.
//
// Divergence, by an example: one warp, whose lanes 0…7 find %p1 to be true (masks of its first 16 lanes):
//
//        op                     stack afterwards, its top at the right: what runs
//   0    setp.lt.u32 %p1, …     (pc 1, ffff)
//   1    @%p1 bra LESS          (pc 4, join –, ffff)  (pc 3, join 4, 00ff)  (pc 2, join 4, ff00)
//   2    add …; bra MEET        (pc 4, join –, ffff)  (pc 3, join 4, 00ff)  (pc 4, join 4, ff00)
//   4    MEET: join             (pc 4, join –, ffff)  (pc 3, join 4, 00ff)
//   3    LESS: sub …            (pc 4, join –, ffff)  (pc 4, join 4, 00ff)
//   4    MEET: join             (pc 4, join –, ffff)
//   4    MEET: join, st …       (pc 5, join –, ffff)
//
// MEET is the branch's immediate post-dominator: the first place that every path from it comes to, but for those that
// only end (ir::Cfg::meeting). In machine code it is where the innermost region ends that both paths are in. The entry
// that was on top goes there and waits for all lanes; above it, each path has an entry with its lanes, and the
// op `join` that lowering puts at MEET drops the entry of the path that arrives. Where the paths come to one
// place before that (`if (a || b)`), an op `merge` lets the first to arrive wait for the second.
#include "sim/exec/simt.h"
#include "sim/exec/barriers.h"
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/exec/splits.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {

namespace {

Frame* fresh_frame(Exec& x, const Code& code) {
  for (auto& f : x.cta->frames)
    if (f->users == 0 && f->code == &code) return f.get();
  auto frame = std::make_unique<Frame>();
  frame->code = &code;
  u64 bytes = 64;
  for (u8 bits : code.slot_bits) bytes += storage_bytes(bits, x.shape.lanes);
  frame->storage = std::make_unique<std::byte[]>(bytes);
  x.cta->frame_bytes += bytes;
  std::byte* at = reinterpret_cast<std::byte*>(align_up(reinterpret_cast<u64>(frame->storage.get()), 64));
  frame->values.resize(code.slot_bits.size());
  for (std::size_t i = 0; i < frame->values.size(); ++i) {
    frame->values[i].bits = code.slot_bits[i];
    frame->values[i].set_storage(at, x.shape.lanes);
    at += storage_bytes(code.slot_bits[i], x.shape.lanes);
  }
  frame->parameters.resize(u64{x.shape.lanes} * code.parameter_bytes);
  // Plain constants never change; their lanes, once written out, stay good for every later use of the frame.
  for (const Constant& c : code.constants)
    if (c.kind == Constant::Kind::value) frame->values[c.slot].set_uniform(c.value);
  x.cta->frames.push_back(std::move(frame));
  return x.cta->frames.back().get();
}

void remove(Mask& from, const Mask& lanes, u32 warps) {
  for (u32 w = 0; w < warps; ++w) from.word[w] &= ~lanes.word[w];
}

void add(Mask& to, const Mask& lanes, u32 warps) {
  for (u32 w = 0; w < warps; ++w) to.word[w] |= lanes.word[w];
}

// No lane of the group is left in the callee's frame: what is on top of the stack goes on after the call.
void leave_frame(Exec& x) {
  Group& group = *x.group;
  FrameLink link = group.frames.back();
  group.frames.pop_back();
  release_frame(*link.frame);
}

void end(Exec& x) {
  if (x.group->splits != nullptr) release_frame(*x.group->frames.back().frame);
  x.group->splits.reset();
  release_frame(*x.group->frames.back().frame);
  x.group->frames.clear();
  x.group->state = GroupState::done;
  x.stop = true;
}

// After entries lost lanes: drop what is empty, leave frames that ended, and continue at the top, or end the
// group.
void settle(Exec& x) {
  Group& group = *x.group;
  while (true) {
    if (splits_here(group) != nullptr && empty(group.stack.back().mask, x.shape.warps) && run_next_part(x))
      return;
    u32 floor = group.frames.back().floor;
    while (group.stack.size() > floor && empty(group.stack.back().mask, x.shape.warps))
      group.stack.pop_back();
    if (group.stack.size() > floor) break;
    if (group.frames.size() == 1) return end(x);
    leave_frame(x);
  }
  x.load_top();
}

} // namespace

Frame* enter_frame(Exec& x, const Code& code, const Mask& lanes, u64 local_base) {
  Frame* frame = fresh_frame(x, code);
  frame->live = lanes;
  frame->local_base = local_base;
  frame->users = 1;
  for (const Constant& c : code.constants) {
    if (c.kind == Constant::Kind::shared)
      frame->values[c.slot].set_uniform(x.launch.shared_offset[c.variable.value] + c.value);
    if (c.kind == Constant::Kind::local) frame->values[c.slot].set_uniform(local_base + c.value);
  }
  for (SlotId slot : code.live_at_entry) frame->values[slot].set_uniform(0);
  return frame;
}

std::unique_ptr<Group> split_off(Exec& x, Group& group, const Mask& lanes) {
  auto part = std::make_unique<Group>();
  part->frames = group.frames;
  for (FrameLink& link : part->frames) ++link.frame->users;
  std::vector<StackEntry> rest;
  u32 f = 0; // frame whose entries we are in: floors move as empty entries go
  std::vector<u32> part_floor(group.frames.size()), rest_floor(group.frames.size());
  for (u32 i = 0; i < group.stack.size(); ++i) {
    while (f < group.frames.size() && group.frames[f].floor == i) {
      part_floor[f] = static_cast<u32>(part->stack.size());
      rest_floor[f] = static_cast<u32>(rest.size());
      ++f;
    }
    StackEntry mine = group.stack[i], other = group.stack[i];
    for (u32 w = 0; w < x.shape.warps; ++w) {
      mine.mask.word[w] &= lanes.word[w];
      other.mask.word[w] &= ~lanes.word[w];
    }
    if (!empty(mine.mask, x.shape.warps)) part->stack.push_back(mine);
    if (!empty(other.mask, x.shape.warps)) rest.push_back(other);
  }
  for (; f < group.frames.size(); ++f) {
    part_floor[f] = static_cast<u32>(part->stack.size());
    rest_floor[f] = static_cast<u32>(rest.size());
  }
  for (u32 i = 0; i < group.frames.size(); ++i) {
    part->frames[i].floor = part_floor[i];
    group.frames[i].floor = rest_floor[i];
  }
  group.stack = std::move(rest);
  auto trim = [](Group& g) { // frames that no lane of this group is in any more
    while (g.frames.size() > 1 && g.stack.size() <= g.frames.back().floor) {
      release_frame(*g.frames.back().frame);
      g.frames.pop_back();
    }
  };
  trim(*part);
  trim(group);
  return part;
}

void copy_parameters(const Exec& x, const Mask& lanes, const Frame& from,
                     std::span<const ir::VariableId> read, Frame& to,
                     std::span<const ir::VariableId> written) {
  const std::vector<ir::Variable>& variables = from.code->module->variables;
  for (std::size_t i = 0; i < std::min(read.size(), written.size()); ++i) {
    const u32 source = from.code->parameter_offset[read[i].value],
              target = to.code->parameter_offset[written[i].value];
    const u64 bytes = std::min(variables[read[i].value].size, variables[written[i].value].size);
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(lanes.word[w], [&](u32 lane) {
        const u64 thread = u64{w} * warp_size + lane;
        std::memcpy(to.parameters.data() + thread * to.code->parameter_bytes + target,
                    from.parameters.data() + thread * from.code->parameter_bytes + source, bytes);
      });
  }
}

void return_lanes(Exec& x, const Mask& lanes) {
  Group& group = *x.group;
  group.stack.back().pc = x.pc;
  const FrameLink link = group.frames.back();
  for (u32 i = link.floor; i < group.stack.size(); ++i) remove(group.stack[i].mask, lanes, x.shape.warps);
  remove(link.frame->live, lanes, x.shape.warps);
  // Results go over as each lane returns.
  Frame& callee = *link.frame;
  Frame& caller = *group.frames[group.frames.size() - 2].frame;
  copy_parameters(x, lanes, callee, callee.code->function->results, caller,
                  caller.code->calls[link.call].result_variables);
  settle(x);
}

// Each lane is where the topmost entry that has it is: lanes that no entry at `here` has go on.
void wait_below(Exec& x, u32 here) {
  Group& group = *x.group;
  const u32 floor = group.frames.back().floor;
  bool waits = false;
  for (std::size_t i = group.stack.size() - 1; i-- > floor;) {
    if (group.stack[i].pc != here) continue;
    Mask lanes = group.stack.back().mask;
    for (u32 w = 0; w < x.shape.warps; ++w) lanes.word[w] &= group.stack[i].mask.word[w];
    if (empty(lanes, x.shape.warps)) continue;
    for (std::size_t above = i + 1; above < group.stack.size(); ++above)
      remove(group.stack[above].mask, lanes, x.shape.warps);
    waits = true;
  }
  if (!waits) return;
  group.stack.back().pc = x.pc;
  settle(x);
}

void exit_lanes(Exec& x, const Mask& lanes) {
  Group& group = *x.group;
  if (x.whole && x.unguarded && group.frames.size() == 1) { // the usual end: everyone at once
    add(x.cta->exited, lanes, x.shape.warps);
    return end(x);
  }
  group.stack.back().pc = x.pc;
  for (StackEntry& entry : group.stack) remove(entry.mask, lanes, x.shape.warps);
  for (FrameLink& link : group.frames) remove(link.frame->live, lanes, x.shape.warps);
  add(x.cta->exited, lanes, x.shape.warps);
  settle(x);
}

void start_cta(Exec& x, Cta& cta) {
  x.cta = &cta;
  cta.exited = {};
  if (cta.open_barriers != 0) cta.barriers = {};
  cta.open_barriers = 0;
  cta.at_cluster = {};
  cta.groups.clear();
  for (auto& frame : cta.frames) frame->users = 0;
  cta.shared.assign(x.launch.shared_stride * x.shape.ctas, std::byte{0});
  for (auto& watcher : x.watchers) watcher->begin(cta);
  if (x.launch.local_bytes != 0 && cta.local == nullptr) {
    u64 bytes = x.launch.local_bytes * x.shape.lanes;
    // calloc gives zero pages that cost nothing until touched: deep stacks are rarely used to their end.
    cta.local = {static_cast<std::byte*>(std::calloc(bytes, 1)), [](std::byte* p) { std::free(p); }};
    if (cta.local == nullptr) throw std::bad_alloc();
  }
  std::unique_ptr<Group> group;
  if (cta.spare.empty()) {
    group = std::make_unique<Group>();
  } else {
    group = std::move(cta.spare.back());
    cta.spare.pop_back();
    group->state = GroupState::runnable;
    group->rounds = group->spins = group->turn = 0;
    group->alone = group->asked = false;
    group->barrier_result = no_slot;
    group->stack.clear();
  }
  Frame* frame = enter_frame(x, *x.launch.entry, x.shape.all, 0);
  group->frames.push_back({frame, 0, 0, 0});
  group->stack.push_back({0, no_target, x.shape.all});
  cta.groups.push_back(std::move(group));
  cta.started = true;
}

void run_group(Exec& x, Group& group) {
  x.group = &group;
  x.stop = false;
  group.spinning = false;
  group.writes = x.writes; // its own count from here on
  x.load_top();
  if (x.loop != nullptr) return x.loop->run(x);
  // The loop that everything else is for.
  while (!x.stop) {
    const Op& op = x.code->ops[x.pc++];
    op.execute(x);
  }
}

namespace {

// A group that had its turn goes to the end of the queue; one that ended leaves it.
void put_back(Cta& cta, Group* group) {
  auto at = std::find_if(cta.groups.begin(), cta.groups.end(), [&](auto& g) { return g.get() == group; });
  std::unique_ptr<Group> taken = std::move(*at);
  cta.groups.erase(at);
  (group->state == GroupState::done ? cta.spare.emplace_back() : cta.groups.emplace_back()) =
      std::move(taken);
}

// Threads that no stack has any more did not do their work: what the kernel wrote and what was counted is wrong.
void check_that_all_ended(const Exec& x, const Cta& cta) {
  if (cta.exited == x.shape.all) return;
  Mask lost = x.shape.all;
  remove(lost, cta.exited, x.shape.warps);
  FaultError error;
  error.fault.kind = FaultKind::internal;
  error.fault.cta = x.cta_id(first_thread(lost));
  error.fault.diagnostic =
      diag::error("launch-lost-threads", fmt::format("WarpLens lost {} on the way", who(x, lost)), {},
                  "this is a defect of WarpLens: please report it; --code ptx may avoid it");
  throw error;
}

bool waits_for_cluster(const Cta& cta) {
  return std::any_of(cta.groups.begin(), cta.groups.end(),
                     [](auto& g) { return g->state == GroupState::at_cluster; });
}

} // namespace

Progress run_cta(Exec& x, Cta& cta) {
  x.cta = &cta;
  std::size_t fruitless = 0; // groups in a row that only spun
  while (!cta.groups.empty()) {
    auto next = std::find_if(cta.groups.begin(), cta.groups.end(),
                             [](auto& g) { return g->state == GroupState::runnable; });
    if (next == cta.groups.end()) {
      if (release_barriers(x, cta) || release_cluster_waits(x, cta) || release_warp_syncs(x, cta, false))
        continue;
      if (waits_for_cluster(cta)) return Progress::waiting;
      if (release_warp_syncs(x, cta, true)) continue;
      return Progress::deadlocked;
    }
    Group* group = next->get();
    run_group(x, *group);
    bool spun = group->spinning;
    if (cta.groups.size() > 1 || group->state == GroupState::done) put_back(cta, group);
    if (cta.groups.empty()) break;
    release_barriers(x, cta);
    if (waits_for_cluster(cta)) release_cluster_waits(x, cta);
    release_warp_syncs(x, cta, false);
    fruitless = spun ? fruitless + 1 : 0;
    std::size_t runnable = static_cast<std::size_t>(std::count_if(
        cta.groups.begin(), cta.groups.end(), [](auto& g) { return g->state == GroupState::runnable; }));
    if (fruitless >= runnable && fruitless != 0) return Progress::waiting;
  }
  check_that_all_ended(x, cta);
  return Progress::finished;
}

} // namespace warplens::sim
