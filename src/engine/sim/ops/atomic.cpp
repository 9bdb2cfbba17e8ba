// Atomics and reductions: lane by lane, in lane order. What is done is decided once per instruction: a loop
// for each operation and type.
//
// CTAs run on several host threads, so atomics on global memory are host atomics, unless the launch has only
// one worker. Shared memory belongs to one host thread. Where all lanes add integers to one address, their
// sum is added once: nobody can tell.
#include "sim/memory/element.h"
#include "sim/ops/atomic_steps.h"
#include "sim/ops/move.h"
#include <algorithm>
#include <bit>

namespace warplens::sim {
namespace {

// Performs a step on memory and returns what was there. `shared`: other host threads may do so too. A step
// that changes nothing need not be written.
template <class Step, bool shared, class T = typename Step::Bits>
T perform(u64 at, T value, T compare, T& changed) {
  if constexpr (!shared) {
    T old = read_element<T>(at), now = Step::apply(old, value, compare);
    write_element(at, now);
    changed |= old ^ now;
    return old;
  }
  T* word = reinterpret_cast<T*>(host_pointer(at));
  if constexpr (Step::adds) {
    changed |= value;
    return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
  }
  if constexpr (Step::exchanges) {
    T old = __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
    changed |= old ^ value;
    return old;
  }
  T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (true) {
    T now = Step::apply(old, value, compare);
    if (now == old) return old;
    if (!__atomic_compare_exchange_n(word, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
    changed |= old ^ now;
    return old;
  }
}

constexpr u32 most_elements = 8;

// An access and its operands.
struct Job {
  Exec& x;
  const AccessView& access;
  u32 elements = 1;
  const Value* value[most_elements] = {}; // registers may be wider than what they hold
  const Value* compare = nullptr;
  Value* result[most_elements] = {};
};

template <class T> T value_of(const Value* from, u32 thread) {
  return read_element<T>(from->read(0) + u64{thread} * (from->bits / 8));
}
template <class T> void give(Exec& x, Value* to, u32 thread, T old) {
  if (to == nullptr) return;
  if (to->bits == sizeof(T) * 8)
    to->writable<T>(0)[thread] = old;
  else
    x.set_lane(*to, thread, old);
}

// Calls f(thread, its address on the host) in lane order.
template <class F> void each_thread(const Job& job, F&& f) {
  const HostPlace host = job.access.host;
  const Mask& mask = *job.access.mask;
  const u64* address = job.access.address;
  for (u32 w = job.x.first_warp; w < job.x.end_warp; ++w) {
    if (mask.word[w] == 0) continue;
    u64 base = host.at_warp(w);
    for_each_lane(mask.word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      f(thread, base + address[thread] + thread * host.thread_stride);
    });
  }
}

// One element per lane, in registers as wide as it: nearly all atomics. What does not change from lane to
// lane is in locals, since the compiler must expect memory to be anything's.
template <class Step, bool shared, class T = typename Step::Bits>
T run_plain(const Job& job, const T* values, const T* compares, T* results) {
  const Mask& mask = *job.access.mask;
  T changed = 0;
  for (u32 w = job.x.first_warp; w < job.x.end_warp; ++w) {
    u64 base = job.access.host.at_warp(w);
    u32 first = w * warp_size;
    const u64* address = job.access.address + first;
    const T *value = values + first, *compare = compares + first;
    T *result = results == nullptr ? nullptr : results + first, now_changed = 0;
    auto one = [&](u32 lane) {
      T old = perform<Step, shared>(base + address[lane], value[lane], compare[lane], now_changed);
      if (result != nullptr) result[lane] = old;
    };
    if (mask.word[w] == full_mask)
      for (u32 lane = 0; lane < warp_size; ++lane) one(lane);
    else
      for_each_lane(mask.word[w], one);
    changed |= now_changed;
  }
  return changed;
}

template <class Step, bool shared> bool run_each(const Job& job) {
  using T = typename Step::Bits;
  T changed = 0;
  const Value *value = job.value[0], *compare = Step::compares ? job.compare : value;
  Value* result = job.result[0];
  auto fits = [](const Value* v) { return v == nullptr || v->bits == sizeof(T) * 8; };
  if (job.elements == 1 && job.access.host.thread_stride == 0 && fits(value) && fits(compare) && fits(result))
    return run_plain<Step, shared>(job, value->read<T>(0), compare->read<T>(0),
                                   result == nullptr ? nullptr : result->writable<T>(0)) != 0;
  each_thread(job, [&](u32 thread, u64 at) {
    T value[most_elements]; // results may go where later elements come from
    T expected = Step::compares ? value_of<T>(job.compare, thread) : T{};
    for (u32 e = 0; e < job.elements; ++e) value[e] = value_of<T>(job.value[e], thread);
    for (u32 e = 0; e < job.elements; ++e)
      give<T>(job.x, job.result[e], thread,
              perform<Step, shared>(at + e * sizeof(T), value[e], expected, changed));
  });
  return changed != 0;
}

// All lanes of warps [first, end) add to one integer.
template <class T, bool shared> bool add_together(const Job& job, u32 first, u32 end) {
  const Value* value = job.value[0];
  const Mask& mask = *job.access.mask;
  T total = 0, changed = 0;
  u32 lanes = 0;
  bool uniform = value->uniform();
  for (u32 w = first; w < end; ++w) {
    lanes += static_cast<u32>(std::popcount(mask.word[w]));
    if (uniform) continue;
    for_each_lane(mask.word[w], [&](u32 lane) {
      T v = value_of<T>(value, w * warp_size + lane);
      total = static_cast<T>(total + v);
      changed |= v;
    });
  }
  if (lanes == 0) return false;
  if (uniform) {
    changed = static_cast<T>(value->base);
    total = static_cast<T>(changed * lanes);
  }
  T unused = 0;
  u64 at = job.access.host.at_warp(first) + job.access.lowest;
  T old = perform<IntegerStep<AtomicOp::add, T>, shared>(at, total, total, unused);
  if (job.result[0] != nullptr)
    for (u32 w = first; w < end; ++w)
      for_each_lane(mask.word[w], [&](u32 lane) {
        T v = value_of<T>(value, w * warp_size + lane); // the result may go where the value is
        give<T>(job.x, job.result[0], w * warp_size + lane, old);
        old = static_cast<T>(old + v);
      });
  return changed != 0;
}

template <class Step, bool shared> bool run(const Job& job) {
  if constexpr (Step::adds) {
    const HostPlace& host = job.access.host;
    if (job.elements == 1 && job.access.lowest == job.access.highest && host.thread_stride == 0) {
      bool changed = false;
      for (u32 w = job.x.first_warp, end; w < job.x.end_warp; w = end) {
        end = host.cta_stride == 0 ? job.x.end_warp
                                   : std::min(job.x.end_warp, w - w % host.cta_warps + host.cta_warps);
        changed |= add_together<typename Step::Bits, shared>(job, w, end);
      }
      return changed;
    }
  }
  return run_each<Step, shared>(job);
}

// Whether no other host thread can look at what this one does to global memory: CTAs run on several, and the host may
// watch memory while a kernel runs, with operations of the whole system's scope.
bool is_alone(const Exec& x, const ir::Form& form) {
  return (x.launch.options.workers == 1 || x.launch.spec.grid.count() == 1) && !form.has(ir::Modifier::sys);
}

// Says whether memory that others see has changed.
bool update_memory(Exec& x, const Op& op, const AccessView& a) {
  const ir::Form& form = *op.form;
  AtomicOp operation = form.atomic_op();
  bool cas = operation == AtomicOp::cas, global = a.space == ir::StateSpace::global, changed = false;
  for (u32 s = 1; s < op.sources; ++s) need_lanes(x.values[op.source(s)], x.shape);
  Job job{x, a, op.elements};
  for (u32 e = 0; e < op.elements; ++e) job.value[e] = &x.values[op.source(cas ? 2 : 1 + e)];
  if (cas) job.compare = &x.values[op.source(1)];
  for (u32 d = 0; d < op.destinations; ++d) {
    if (op.destination(d) == no_slot) continue;
    job.result[d] = &x.values[op.destination(d)];
    if (!x.kills(op)) need_lanes(*job.result[d], x.shape);
  }
  with_step(operation, form.type(), global, [&]<class Step>() {
    changed = global && !is_alone(x, form) ? run<Step, true>(job) : run<Step, false>(job);
  });
  for (Value* result : job.result)
    if (result != nullptr) result->set_lanes();
  return changed;
}

} // namespace

namespace ops {

// slots: destinations (elements, none for red), address, values (elements), for cas: compare, then value
void atomic(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  resolve(x, op, Purpose::atomic, [&](const AccessView& a) {
    check(x, op, a);
    report(x, op, a);
    bool changed = !x.performs_stores || update_memory(x, op, a);
    x.writes += changed;
    x.effects += changed;
  });
}

} // namespace ops
} // namespace warplens::sim
