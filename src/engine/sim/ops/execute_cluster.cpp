// See exec/cluster.h: addresses of other CTAs' shared memory, and the barrier of all threads of a cluster.
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/exec/splits.h"
#include "sim/ops/access.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;

// Holds back those of the current lanes that are marked.
void hold_back(Exec& x) {
  Group& group = *x.group;
  Cta& cta = *x.cta;
  if (!overlap(*x.mask, cta.at_cluster, x.shape.warps)) return;
  part_for_good(x);
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
  const u64 address = generic - x.launch.device.memory->shared_window();
  return address < Memory::shared_windows_size ? std::optional(address) : std::nullopt;
}

u64 generic_of(const Exec& x, u64 address) { return x.launch.device.memory->shared_window() + address; }

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

namespace ops {

// barrier.cluster.arrive, .wait
void cluster_barrier(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  if (op.form->has(Modifier::wait)) return hold_back(x);
  for (u32 w = 0; w < x.shape.warps; ++w) x.cta->at_cluster.word[w] |= x.mask->word[w];
  ++x.effects;
  complete_cluster_barrier(x, *x.cta);
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
