// See cluster.h: addresses of other CTAs' shared memory, and the barrier of all threads of a cluster.
//
// The barrier. A thread that arrives is marked in its CTA; when all threads of all CTAs are marked or have ended, the marks
// go, all at once. Who waits, waits for its mark to go. A launch without clusters has clusters of one CTA.
#include "sim/exec/cluster.h"
#include "sim/memory/access.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;

template <class F> void each_cta(const Cta& cta, F&& f) {
  if (!cta.cluster) return f(const_cast<Cta&>(cta));
  for (Cta* one : cta.cluster->ctas) f(*one);
}

bool any(const Mask& a, const Mask& b, u32 warps) {
  for (u32 w = 0; w < warps; ++w)
    if (a.word[w] & b.word[w]) return true;
  return false;
}

void complete_if_all_came(Exec& x, Cta& cta) {
  bool all = true;
  each_cta(cta, [&](const Cta& one) {
    for (u32 w = 0; w < x.shape.warps; ++w)
      all &= (x.shape.all.word[w] & ~(one.at_cluster.word[w] | one.exited.word[w])) == 0;
  });
  if (!all) return;
  each_cta(cta, [](Cta& one) { one.at_cluster = {}; });
  ++x.effects;
}

// Holds back those of the current lanes that are marked.
void hold_back(Exec& x) {
  Group& group = *x.group;
  Cta& cta = *x.cta;
  if (!any(*x.mask, cta.at_cluster, x.shape.warps)) return;
  group.stack.back().pc = x.pc;
  x.stop = true;
  bool alone = true;
  for (const StackEntry& entry : group.stack)
    for (u32 w = 0; w < x.shape.warps; ++w) alone &= (entry.mask.word[w] & ~x.mask->word[w]) == 0;
  Group* held = &group;
  if (!alone) held = cta.groups.emplace_back(split_off(x, group, Mask(*x.mask))).get();
  held->state = GroupState::at_cluster;
}

// As an address of .shared::cluster (cluster.h); none for one in no shared memory.
std::optional<u64> in_cluster(const Exec& x, u64 generic) {
  const Memory& memory = *x.launch.device.memory;
  if (u64 own = generic - memory.shared_window(); own < Memory::window_size) return own;
  if (u64 other = generic - memory.cluster_window(); other < Memory::cluster_window_size) return other;
  return {};
}

u64 generic_of(const Exec& x, u64 address) {
  const Memory& memory = *x.launch.device.memory;
  return (address >> cluster_rank_shift == 0 ? memory.shared_window() : memory.cluster_window()) + address;
}

u64 own_rank(const Exec& x) { return x.cta->cluster ? x.cta->cluster_rank : 0; }

u64 with_rank(Exec& x, const Op& op, u64 address, u64 rank, u32 thread) {
  u64 count = x.launch.cluster.count();
  if (rank >= count)
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-cluster-rank",
          fmt::format("block {} of a cluster of {}", rank, count), thread, 0, {},
          "ranks go from 0 to the cluster's size - 1; launch with more blocks in a cluster");
  u64 owner = rank == own_rank(x) ? 0 : rank + 1;
  return owner << cluster_rank_shift | (address & (Memory::window_size - 1));
}

// What mapa, getctarank, cvta and isspacep give for one address.
u64 mapped(Exec& x, const Op& op, u64 address, u32 thread) {
  const ir::Form& form = *op.form;
  bool generic = !form.has(Modifier::shared_cluster) ||
                 (form.opcode == Opcode::cvta && form.has(Modifier::to)) || form.opcode == Opcode::isspacep;
  if (form.opcode == Opcode::cvta && !generic) return generic_of(x, address);
  std::optional<u64> shared = generic ? in_cluster(x, address) : address;
  if (form.opcode == Opcode::isspacep) return shared.has_value();
  if (!shared)
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-cluster-address",
          fmt::format("{:#x} is no address in shared memory", address), thread, address);
  if (form.opcode == Opcode::getctarank) {
    u64 owner = *shared >> cluster_rank_shift;
    return owner == 0 ? own_rank(x) : owner - 1;
  }
  if (form.opcode != Opcode::mapa) return *shared;
  u64 there = with_rank(x, op, *shared, x.lane_value(op.source(1), thread), thread);
  return generic ? generic_of(x, there) : there;
}

} // namespace

bool release_cluster_waits(Exec& x, Cta& cta) {
  bool released = false;
  for (auto& group : cta.groups) {
    if (group->state != GroupState::at_cluster) continue;
    if (!released) complete_if_all_came(x, cta);
    if (any(group->stack.back().mask, cta.at_cluster, x.shape.warps)) continue;
    group->state = GroupState::runnable;
    group->rounds = group->spins = group->turn = 0;
    released = true;
  }
  return released;
}

std::string describe_cluster_barrier(const Exec& x, const Cta& cta) {
  u32 here = 0, ended = 0, ctas = 0;
  each_cta(cta, [&](const Cta& one) {
    ++ctas;
    for (u32 w = 0; w < x.shape.warps; ++w) {
      here += static_cast<u32>(std::popcount(one.at_cluster.word[w] & ~one.exited.word[w]));
      ended += static_cast<u32>(std::popcount(one.exited.word[w]));
    }
  });
  return fmt::format("of the {} threads of the cluster {} have come, and {} have ended",
                     ctas * x.shape.cta_threads, here, ended);
}

namespace ops {

// barrier.cluster.arrive, .wait
void cluster_barrier(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  if (op.form->has(Modifier::wait)) return hold_back(x);
  for (u32 w = 0; w < x.shape.warps; ++w) x.cta->at_cluster.word[w] |= x.mask->word[w];
  ++x.effects;
  complete_if_all_came(x, *x.cta);
}

// slots: generic address, address
void cluster_to_generic(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  u64* to = static_cast<u64*>(x.scratch[0]);
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      to[thread] = generic_of(x, x.lane_value(op.source(0), thread));
    });
  x.merge(x.values[op.destination(0)], to);
}

// slots: result, address [, rank]
void cluster_map(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Value& to = x.values[op.destination(0)];
  Value result = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      x.set_lane(result, thread, mapped(x, op, x.lane_value(op.source(0), thread), thread));
    });
  x.merge(to, x.scratch[0]);
}

} // namespace ops
} // namespace warplens::sim
