// Where a group stands says what it waits for: behind a barrier, before a warp-level instruction, or inside the loop that
// it goes round. Such a loop polls with its first atomic or load of what others write; what that finds is looked at by
// going round once more before the eyes of an observer.
#include "sim/watch/stuck.h"
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/lower/spin_loops.h"
#include "sim/ops/mbarrier.h"
#include "sim/watch/observe.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// The loop around an op, as op indices [first, last]; both no_target where there is none.
struct Loop {
  u32 first = no_target, last = no_target;
};

Loop loop_around(const Code& code, u32 pc) {
  for (u32 i = pc; i < code.ops.size(); ++i) {
    const Op& op = code.ops[i];
    if (!op.has(Payload::jump)) continue;
    u32 target = op.jump().target;
    if (op.kind() == OpKind::branch_table)
      for (u32 entry : code.tables[op.table_index()]) target = std::min(target, entry);
    if (target <= pc) return {target, i};
  }
  return {};
}

// The op that a waiting loop polls with; none where it only computes, or calls a function that polls.
const Op* polling_op(const Code& code, const Loop& loop) {
  if (loop.first == no_target) return nullptr;
  for (u32 i = loop.first; i <= loop.last; ++i) {
    const Op& op = code.ops[i];
    bool memory =
        op.kind() == OpKind::load || op.kind() == OpKind::atomic || op.kind() == OpKind::mbarrier_wait;
    if (memory && reads_what_others_write(*op.form)) return &op;
  }
  return nullptr;
}

// The op at which a group waits; what it polls with, where it spins and that is known.
struct Place {
  const Op* op = nullptr;
  bool polls = false;
};

Place place_of_group(const Exec& x, const Group& group) {
  const std::vector<Op>& ops = x.code->ops;
  u32 pc = std::min<u32>(x.pc, static_cast<u32>(ops.size() - 1));
  if (group.state == GroupState::at_barrier || group.state == GroupState::at_cluster)
    return {&ops[pc == 0 ? 0 : pc - 1], false};
  if (group.state == GroupState::at_warp_sync) return {&ops[pc], false};
  if (ops[pc].kind() == OpKind::mbarrier_wait) return {&ops[pc], true};
  Loop loop = loop_around(*x.code, pc);
  if (const Op* op = polling_op(*x.code, loop)) return {op, true};
  return {&ops[loop.first == no_target ? pc : loop.last], false};
}

// Sees which address an op accesses for one thread.
class Watch final : public StepObserver {
public:
  Watch(const Op& op, u32 thread) : op_(op), thread_(thread) {}
  void entered(const CallFrame&, const Mask&) override {}
  void before(const Step& step) override {
    if (&step.op != &op_) return;
    Mask one;
    one.word[thread_ / warp_size] = step.active.word[thread_ / warp_size] & 1u << thread_ % warp_size;
    if (one == Mask{}) return;
    step.each_access(one, [&](const StepAccess& access) {
      space = access.space;
      bytes = access.bytes;
      access.each_address([&](u64 at) { address = at; });
    });
  }
  std::optional<u64> address;
  u32 bytes = 0;
  ir::StateSpace space{};

private:
  const Op& op_;
  u32 thread_;
};

// What the first lane of a spinning group reads, and finds there. The group goes round its loop once more.
std::string polled(Exec& x, Group& group, const Op& op) {
  u32 thread = first_thread(x.active);
  Watch watch(op, thread);
  access::Sink* sink = std::exchange(x.sink, nullptr);
  OpLoop* before = std::exchange(x.loop, &watch);
  try {
    run_group(x, group);
  } catch (const FaultError&) { // the time was over just then
  }
  x.loop = before;
  x.sink = sink;
  if (!watch.address) return {};
  u64 value = 0, address = *watch.address;
  const std::byte* host = nullptr;
  std::string where;
  if (watch.space == ir::StateSpace::shared) {
    host = x.cta->shared.data() + x.cta_of(thread) * x.launch.shared_stride + address;
    where = fmt::format("offset {:#x} of shared memory", offset_in_shared(x, address));
  } else if (watch.space == ir::StateSpace::global && x.launch.device.memory->mapped(address, watch.bytes)) {
    host = reinterpret_cast<const std::byte*>(address);
    where = fmt::format("{:#x}, {}", address, describe_address(x, address));
  }
  if (host == nullptr || watch.bytes > sizeof value) return {};
  std::memcpy(&value, host, watch.bytes);
  return fmt::format("the {} bytes at {} hold {}", watch.bytes, where, value);
}

u32 count(const Mask& mask) {
  u32 n = 0;
  for (u32 word : mask.word) n += static_cast<u32>(std::popcount(word));
  return n;
}

std::string at_barrier(const Exec& x, const Cta& cta, const Group& group) {
  const Barrier& barrier = cta.barriers[group.barrier];
  u32 cta_number = x.cta_of(first_thread(barrier.arrived));
  Mask ended;
  for (u32 w = 0; w < x.shape.cta_warps; ++w)
    ended.word[w] = cta.exited.word[cta_number * x.shape.cta_warps + w];
  std::string all = barrier.expected == 0 ? "all threads of the block that have not ended"
                                          : fmt::format("{} threads", barrier.expected);
  return fmt::format("barrier {} needs {}, {} have come, {} of {} have ended", group.barrier, all,
                     count(in_first_cta(x, barrier.arrived)), count(ended), x.shape.cta_threads);
}

Wait describe(Exec& x, Cta& cta, Group& group, bool for_ever) {
  Place place = place_of_group(x, group);
  Wait out;
  const OpPlace at = place_of(*x.code, *place.op);
  out.place = at.spans[0];
  out.who = who(x, x.active);
  out.cta = cta.index + x.cta_of(first_thread(x.active));
  std::string where = text_of_place(at);
  switch (group.state) {
  case GroupState::at_barrier:
    out.what = "waiting at the barrier " + where;
    out.detail = at_barrier(x, cta, group);
    break;
  case GroupState::at_cluster:
    out.what = "waiting at the cluster's barrier " + where;
    out.detail = describe_cluster_barrier(x, cta);
    break;
  case GroupState::at_warp_sync: out.what = "waiting for other lanes of their warps " + where; break;
  default:
    if (place.polls && place.op->kind() == OpKind::mbarrier_wait) {
      out.what = "waiting at the mbarrier " + where;
      out.detail = describe_mbarrier(x, *place.op);
      break;
    }
    out.what = (place.polls ? "spinning on what is read " : "going round the loop ") + where;
    if (place.polls && for_ever) out.detail = polled(x, group, *place.op);
  }
  return out;
}

bool spins(const Group& group) { return group.state == GroupState::runnable; }

u64 mix(u64 hash, u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

u64 hash_of(u64 hash, const std::byte* bytes, u64 size) {
  u64 word = 0;
  for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
    std::memcpy(&word, bytes, sizeof word);
    hash = mix(hash, word);
  }
  for (; size != 0; ++bytes, --size) hash = mix(hash, static_cast<u64>(*bytes));
  return hash;
}

u64 hash_of(u64 hash, const Mask& mask, u32 warps) {
  for (u32 w = 0; w < warps; ++w) hash = mix(hash, mask.word[w]);
  return hash;
}

u64 hash_of(const Frame& frame, u32 warps) {
  u64 hash = hash_of(reinterpret_cast<u64>(&frame), frame.live, warps);
  for (const Value& v : frame.values)
    if (v.affine) {
      hash = mix(hash, v.base);
      for (i64 stride : v.stride) hash = mix(hash, static_cast<u64>(stride));
    } else {
      hash = hash_of(hash, v.read(0), v.lane_bytes());
    }
  return hash_of(hash, frame.parameters.data(), frame.parameters.size());
}

u64 hash_of(const Group& group, u32 warps) {
  u64 hash = mix(static_cast<u64>(group.state), group.barrier);
  for (const StackEntry& entry : group.stack)
    hash = hash_of(mix(hash, u64{entry.pc} << 32 | entry.reconvergence), entry.mask, warps);
  for (const FrameLink& link : group.frames)
    hash = mix(mix(hash, reinterpret_cast<u64>(link.frame)), u64{link.floor} << 32 | link.return_pc);
  return hash;
}

bool has_waiting_lanes(const Group& group, u32 warps) {
  const Mask& top = group.stack.back().mask;
  for (const StackEntry& entry : group.stack)
    for (u32 w = 0; w < warps; ++w)
      if (entry.mask.word[w] & ~top.word[w]) return true;
  return false;
}

} // namespace

void merge_wait(std::vector<Wait>& waits, Wait one) {
  for (Wait& known : waits)
    if (known.what == one.what) {
      u64 ctas = known.more_ctas + one.more_ctas + (known.cta != one.cta);
      if (one.cta < known.cta) known = std::move(one);
      known.more_ctas = ctas;
      return;
    }
  waits.push_back(std::move(one));
}

void add_waits(Exec& x, Cta& cta, bool for_ever, std::vector<Wait>& waits) {
  x.cta = &cta;
  std::vector<Wait> mine;
  std::vector<Group*> groups; // going round a loop moves none, but what is looked at may
  for (auto& group : cta.groups) groups.push_back(group.get());
  for (Group* group : groups) {
    x.group = group;
    x.load_top();
    mine.push_back(describe(x, cta, *group, for_ever));
  }
  for (Wait& wait : mine) merge_wait(waits, std::move(wait));
}

std::vector<std::string> in_words(const std::vector<Wait>& waits) {
  constexpr std::size_t most = 16;
  std::vector<std::string> out;
  for (const Wait& wait : waits) {
    if (out.size() == most) {
      out.push_back(fmt::format("and at {} more places", waits.size() - most));
      break;
    }
    std::string others = wait.more_ctas == 0 ? ""
                         : wait.more_ctas == 1
                             ? ", and threads of 1 more block"
                             : fmt::format(", and threads of {} more blocks", wait.more_ctas);
    std::string detail = wait.detail.empty() ? "" : "; " + wait.detail;
    out.push_back(fmt::format("{}{}: {}{}", wait.who, others, wait.what, detail));
  }
  return out;
}

Fault fault_of_waiting(Exec& x, Cta& cta, FaultKind kind, std::string name, std::string message,
                       std::string help) {
  x.cta = &cta;
  auto first = std::find_if(cta.groups.begin(), cta.groups.end(), [](auto& g) { return spins(*g); });
  if (first == cta.groups.end()) first = cta.groups.begin();
  x.group = first->get();
  x.load_top();
  Place place = place_of_group(x, **first);
  try {
    raise(x, *place.op, kind, std::move(name), std::move(message), first_thread(x.active), 0, {},
          std::move(help));
  } catch (FaultError& error) {
    return std::move(error.fault);
  }
}

Fault fault_of_deadlock(Exec& x, Cta& cta) {
  Fault out =
      fault_of_waiting(x, cta, FaultKind::deadlock, "kernel-deadlock",
                       "the threads of a CTA wait at barriers that can never complete",
                       "every thread of the block must reach the same __syncthreads(), and as many as a "
                       "barrier with a count names must come");
  std::vector<Wait> waits;
  add_waits(x, cta, false, waits);
  for (std::string& note : in_words(waits)) out.diagnostic.notes.push_back(std::move(note));
  return out;
}

std::optional<u64> fingerprint(const Exec& x, const Cta& cta) {
  u64 sum = cta.index; // whatever their order
  for (const auto& group : cta.groups) {
    if (spins(*group) && has_waiting_lanes(*group, x.shape.warps)) return {};
    sum += hash_of(*group, x.shape.warps);
  }
  for (const auto& frame : cta.frames)
    if (frame->users != 0) sum += hash_of(*frame, x.shape.warps);
  return sum;
}

} // namespace warplens::sim
