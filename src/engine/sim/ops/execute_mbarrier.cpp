// mbarrier: initialising, arriving, waiting (PTX ISA 9.0). memory/phase_barrier.h says what the object holds.
//
// Lanes act one after the other, and all on shared memory, which belongs to one host thread: nothing here is atomic.
//
// Waiting. test_wait answers at once, and then lets the others run: who asks waits for someone. try_wait first lets them
// run and asks once more; a GPU suspends the thread for some time. In both cases the loop around it is one that waits
// (lower/spin_loops.h), so that a phase that nobody completes is found like any other wait without an end (stall.h).
// Groups are cut at warps that wait: the warps that the group has besides may be those that they wait for.
//
// Invalidating changes nothing: ptxas writes no instruction for it before 9.0, and one that drops a cache's line from then on.
// libcu++ counts on it. ~pipeline invalidates the barriers of its shared state, and the destructor of that state does so again;
// other threads may still wait at them.
//
// These instructions are not counted: which counters of a GPU see them was not measured.
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/exec/splits.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include "sim/ops/mbarrier.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

using ir::Modifier;
using ir::Opcode;

// Calls f(thread, host address of its object) in the order of the lanes.
template <class F> void each_object(Exec& x, const Op& op, F&& f) {
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check(x, op, a);
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(a.mask->word[w], [&](u32 lane) {
        u32 thread = w * warp_size + lane;
        if (a.space != ir::StateSpace::shared)
          raise(x, op, FaultKind::invalid_instruction, "kernel-bad-mbarrier",
                fmt::format("an mbarrier at {:#x}, which is not in shared memory", a.address[thread]), thread,
                a.address[thread], {}, "declare it __shared__");
        f(thread, a.host.at_warp(w) + a.address[thread]);
      });
  });
}

bool is_of_8x(const Exec& x) {
  constexpr u32 hopper = 90;
  return x.code->function->is_machine_code && x.launch.program.module.sm < hopper;
}

u64 word_of(const Exec& x, const PhaseBarrier& barrier) {
  return is_of_8x(x) ? barrier.word_8x() : barrier.word();
}

PhaseBarrier object_at(Exec& x, const Op& op, u64 at, u32 thread) {
  const u64 word = read_element<u64>(at);
  const PhaseBarrier barrier = is_of_8x(x) ? PhaseBarrier::of_8x(word) : PhaseBarrier::of(word);
  if (!barrier.valid)
    raise(x, op, FaultKind::invalid_instruction, "kernel-bad-mbarrier",
          "an mbarrier is used that was not initialised", thread, 0, {},
          "one thread initialises it, then __syncthreads(), before the others come");
  return barrier;
}

void put(Exec& x, u64 at, const PhaseBarrier& barrier) {
  write_element(at, word_of(x, barrier));
  ++x.writes;
  ++x.effects;
}

void initialise(Exec& x, const Op& op) {
  each_object(x, op, [&](u32 thread, u64 at) {
    u32 count = static_cast<u32>(x.lane_value(op.source(1), thread));
    if (count == 0 || count > PhaseBarrier::most_arrivals)
      raise(x, op, FaultKind::invalid_instruction, "kernel-bad-mbarrier",
            fmt::format("an mbarrier for {} arrivals: there can be 1 to {}", count,
                        PhaseBarrier::most_arrivals),
            thread);
    put(x, at, {count, count, 0, 0, true});
  });
}

void check_arrival(Exec& x, const Op& op, const PhaseBarrier& barrier, u32 count, u32 thread) {
  if (count <= barrier.pending) return;
  warn(x, op, "sync-mbarrier-overflow",
       fmt::format("{} arrivals at an mbarrier whose phase lacks {} of {}: what happens is undefined", count,
                   barrier.pending, barrier.expected),
       thread, {}, "initialise it for as many arrivals as there are in a phase");
}

// arrive, arrive_drop; both may announce bytes.
void arrive(Exec& x, const Op& op) {
  const ir::Form& form = *op.form;
  bool announces = form.has(Modifier::expect_tx), drops = form.has(Modifier::arrive_drop);
  u64* state = static_cast<u64*>(x.scratch[0]);
  each_object(x, op, [&](u32 thread, u64 at) {
    PhaseBarrier barrier = object_at(x, op, at, thread);
    state[thread] = word_of(x, barrier);
    u32 given = op.sources > 1 ? static_cast<u32>(x.lane_value(op.source(1), thread)) : 1;
    u32 count = announces ? 1 : given;
    check_arrival(x, op, barrier, count, thread);
    if (announces) barrier.bytes += static_cast<i32>(given);
    if (drops) barrier.expected -= count;
    barrier.arrive(count);
    put(x, at, barrier);
  });
  if (op.destinations != 0 && op.destination(0) != no_slot) x.merge(x.values[op.destination(0)], state);
}

// expect_tx, complete_tx
void move_bytes(Exec& x, const Op& op) {
  bool completes =
      op.form->has(Modifier::complete_tx) || op.form->opcode != Opcode::mbarrier; // st.async, red.async
  each_object(x, op, [&](u32 thread, u64 at) {
    PhaseBarrier barrier = object_at(x, op, at, thread);
    i64 bytes = static_cast<u32>(x.lane_value(op.source(1), thread));
    barrier.add_bytes(completes ? -bytes : bytes);
    put(x, at, barrier);
  });
}

// cp.async.mbarrier.arrive: an arrival when the thread's earlier copies have ended, which they have (ops/copy.cpp).
// Unless .noinc says otherwise the phase lacks one arrival more for it, so that nothing changes.
void arrive_after_copies(Exec& x, const Op& op) {
  each_object(x, op, [&](u32 thread, u64 at) {
    PhaseBarrier barrier = object_at(x, op, at, thread);
    if (!op.form->has(Modifier::noinc)) return;
    check_arrival(x, op, barrier, 1, thread);
    barrier.arrive(1);
    put(x, at, barrier);
  });
}

// The warps that take part leave the group's other warps behind.
void part_from_other_warps(Exec& x) {
  Group& group = *x.group;
  Mask mine, others;
  bool alone = true;
  for (u32 w = 0; w < x.shape.warps; ++w) mine.word[w] = x.active.word[w] != 0 ? full_mask : 0;
  for (const StackEntry& entry : group.stack)
    for (u32 w = 0; w < x.shape.warps; ++w) alone &= (entry.mask.word[w] & ~mine.word[w]) == 0;
  group.spinning = alone;
  if (alone) return;
  std::unique_ptr<Group> part = split_off(x, group, mine);
  part->asked = group.asked;
  group.asked = false;
  x.cta->groups.push_back(std::move(part));
}

// Lets others run; the group goes on at `pc`. It counts as many turns of a loop: where lanes of the same warp are those that
// are waited for, the loop around lets them go on soon (execute_control.cpp).
void give_way(Exec& x, u32 pc) {
  constexpr u64 turns = 1 << 10;
  part_for_good(x);
  x.group->spins += turns;
  x.group->stack.back().pc = pc;
  x.stop = true;
  part_from_other_warps(x);
}

bool is_complete(Exec& x, const Op& op, const PhaseBarrier& barrier, u32 thread) {
  u64 given = x.lane_value(op.source(1), thread);
  if (op.form->has(Modifier::parity)) return (barrier.phase & 1) != (given & 1);
  u32 behind = (barrier.phase - PhaseBarrier::of(given).phase) & 3;
  if (behind > 1 && x.launch.options.checks.sync)
    warn(x, op, "sync-mbarrier-phase",
         "a wait for a phase of an mbarrier that is neither the current nor the one before: what happens is "
         "undefined",
         thread, {}, "wait for each phase before arriving in the next but one");
  return behind != 0;
}

} // namespace

void complete_bytes(Exec& x, const Op& op, u64 at, u64 bytes, u32 thread) {
  PhaseBarrier barrier = object_at(x, op, at, thread);
  barrier.add_bytes(-static_cast<i64>(bytes));
  put(x, at, barrier);
}

std::string describe_mbarrier(Exec& x, const Op& op) {
  std::string out;
  u32 thread = first_thread(x.active);
  Mask one;
  one.word[thread / warp_size] = u32{1} << thread % warp_size;
  x.perform(one);
  resolve(x, op, Purpose::follow, [&](const AccessView& a) {
    if (a.space != ir::StateSpace::shared ||
        !Memory::Range{0, space_size(x, a.space)}.covers(a.address[thread], 8))
      return;
    PhaseBarrier barrier =
        PhaseBarrier::of(read_element<u64>(a.host.at_warp(thread / warp_size) + a.address[thread]));
    out = fmt::format(
        "the mbarrier at offset {:#x} of shared memory is in phase {} (modulo 4) and lacks {} of {} arrivals",
        offset_in_shared(x, a.address[thread]), barrier.phase, barrier.pending, barrier.expected);
    if (barrier.bytes != 0) out += fmt::format(" and {} bytes of copies", barrier.bytes);
  });
  return out;
}

namespace ops {

// slots: [state,] address [, count, or bytes]
void mbarrier(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const ir::Form& form = *op.form;
  if (form.opcode == Opcode::cp) return arrive_after_copies(x, op);
  if (form.has(Modifier::arrive) || form.has(Modifier::arrive_drop)) return arrive(x, op);
  if (form.has(Modifier::init)) return initialise(x, op);
  if (form.has(Modifier::inval)) return each_object(x, op, [](u32, u64) {});
  move_bytes(x, op);
}

// slots: predicate, address, state or parity
void mbarrier_wait(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  u32* complete = static_cast<u32*>(x.scratch[1]);
  std::fill_n(complete, x.shape.warps, 0u);
  bool all = true;
  each_object(x, op, [&](u32 thread, u64 at) {
    bool now = is_complete(x, op, object_at(x, op, at, thread), thread);
    complete[thread / warp_size] |= u32{now} << thread % warp_size;
    all &= now;
  });
  bool tries = op.form->has(Modifier::try_wait);
  if (tries && !all && !std::exchange(x.group->asked, true)) return give_way(x, x.pc - 1);
  x.group->asked = false;
  if (op.destination(0) != no_slot) x.merge(x.values[op.destination(0)], complete);
  if (!tries && !all) give_way(x, x.pc);
}

// slots: count, state
void mbarrier_pending(Exec& x, const Op& op) {
  if (!x.enter(op) || op.destination(0) == no_slot) return;
  const u64* state = static_cast<const u64*>(x.lanes_of(op.source(0)));
  u32* pending = static_cast<u32*>(x.scratch[0]);
  for (u32 t = x.first_warp * warp_size; t < x.end_warp * warp_size; ++t)
    pending[t] = PhaseBarrier::of(state[t]).pending;
  x.merge(x.values[op.destination(0)], pending);
}

} // namespace ops
} // namespace warplens::sim
