// Atomics and reductions: lane by lane, in lane order. What is done is decided once per instruction: a loop
// for each operation and type.
//
// CTAs run on several host threads, so atomics on global memory are host atomics, unless the launch has only
// one worker. Shared memory belongs to one host thread. Where all lanes add integers to one address, their
// sum is added once: nobody can tell.
#include "sim/memory/execute_memory.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warplens::sim {
namespace {

using ir::AtomicOp;
using ir::Type;

float half_to_float(u16 h) { return static_cast<float>(std::bit_cast<_Float16>(h)); }
u16 float_to_half(float f) { return std::bit_cast<u16>(static_cast<_Float16>(f)); }
float bfloat_to_float(u16 b) { return std::bit_cast<float>(static_cast<u32>(b) << 16); }
u16 float_to_bfloat(float f) {
  u32 bits = std::bit_cast<u32>(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

u16 half_operation(AtomicOp operation, bool bfloat, u16 a, u16 b) {
  float x = bfloat ? bfloat_to_float(a) : half_to_float(a),
        y = bfloat ? bfloat_to_float(b) : half_to_float(b);
  float r = operation == AtomicOp::add   ? x + y
            : operation == AtomicOp::min ? (x != x  ? y
                                            : y < x ? y
                                                    : x)
                                         : (x != x  ? y
                                            : y > x ? y
                                                    : x);
  return bfloat ? float_to_bfloat(r) : float_to_half(r);
}

// Global memory adds floats without subnormals, shared memory with them (PTX ISA, atom).
float flush(float f) { return std::fabs(f) < std::numeric_limits<float>::min() ? std::copysign(0.0f, f) : f; }

// Steps: the new value of a location, as bits. `compare` is cas's expected value.
template <AtomicOp operation, class T> struct IntegerStep {
  using Bits = std::make_unsigned_t<T>;
  static constexpr bool adds = operation == AtomicOp::add, compares = operation == AtomicOp::cas,
                        exchanges = operation == AtomicOp::exch;
  static Bits apply(Bits old, Bits value, Bits compare) {
    switch (operation) {
    case AtomicOp::add: return static_cast<Bits>(old + value);
    case AtomicOp::min: return static_cast<T>(value) < static_cast<T>(old) ? value : old;
    case AtomicOp::max: return static_cast<T>(value) > static_cast<T>(old) ? value : old;
    case AtomicOp::inc: return old >= value ? 0 : static_cast<Bits>(old + 1);
    case AtomicOp::dec: return old == 0 || old > value ? value : static_cast<Bits>(old - 1);
    case AtomicOp::and_: return old & value;
    case AtomicOp::or_: return old | value;
    case AtomicOp::xor_: return old ^ value;
    case AtomicOp::exch: return value;
    case AtomicOp::cas: return old == compare ? value : old;
    case AtomicOp::none: break;
    }
    return old;
  }
};

struct FloatStep {
  static constexpr bool adds = false, compares = false, exchanges = false; // `adds`: in any order
};

template <bool flushes> struct AddFloat : FloatStep {
  using Bits = u32;
  static Bits apply(Bits old, Bits value, Bits) {
    float a = std::bit_cast<float>(old), b = std::bit_cast<float>(value);
    return std::bit_cast<u32>(flushes ? flush(flush(a) + flush(b)) : a + b);
  }
};

struct AddDouble : FloatStep {
  using Bits = u64;
  static Bits apply(Bits old, Bits value, Bits) {
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  }
};

template <AtomicOp operation, bool bfloat> struct HalfStep : FloatStep {
  using Bits = u16;
  static Bits apply(Bits old, Bits value, Bits) { return half_operation(operation, bfloat, old, value); }
};

template <AtomicOp operation, bool bfloat> struct HalfPairStep : FloatStep {
  using Bits = u32;
  static Bits apply(Bits old, Bits value, Bits) {
    u16 low = half_operation(operation, bfloat, static_cast<u16>(old), static_cast<u16>(value));
    u16 high = half_operation(operation, bfloat, static_cast<u16>(old >> 16), static_cast<u16>(value >> 16));
    return low | u32{high} << 16;
  }
};

// Calls f.operator()<Step>() for the step of an operation on a type.
template <class U, class F> void with_integer_step(AtomicOp operation, bool sign, F&& f) {
  using S = std::make_signed_t<U>;
  switch (operation) {
  case AtomicOp::add: return f.template operator()<IntegerStep<AtomicOp::add, U>>();
  case AtomicOp::min:
    return sign ? f.template operator()<IntegerStep<AtomicOp::min, S>>()
                : f.template operator()<IntegerStep<AtomicOp::min, U>>();
  case AtomicOp::max:
    return sign ? f.template operator()<IntegerStep<AtomicOp::max, S>>()
                : f.template operator()<IntegerStep<AtomicOp::max, U>>();
  case AtomicOp::inc: return f.template operator()<IntegerStep<AtomicOp::inc, U>>();
  case AtomicOp::dec: return f.template operator()<IntegerStep<AtomicOp::dec, U>>();
  case AtomicOp::and_: return f.template operator()<IntegerStep<AtomicOp::and_, U>>();
  case AtomicOp::or_: return f.template operator()<IntegerStep<AtomicOp::or_, U>>();
  case AtomicOp::xor_: return f.template operator()<IntegerStep<AtomicOp::xor_, U>>();
  case AtomicOp::exch: return f.template operator()<IntegerStep<AtomicOp::exch, U>>();
  case AtomicOp::cas: return f.template operator()<IntegerStep<AtomicOp::cas, U>>();
  case AtomicOp::none: return; // lower.cpp lets none through
  }
}

template <template <AtomicOp, bool> class Step, bool bfloat, class F>
void with_half_step(AtomicOp operation, F&& f) {
  switch (operation) {
  case AtomicOp::add: return f.template operator()<Step<AtomicOp::add, bfloat>>();
  case AtomicOp::min: return f.template operator()<Step<AtomicOp::min, bfloat>>();
  default: return f.template operator()<Step<AtomicOp::max, bfloat>>();
  }
}

template <class F> void with_step(AtomicOp operation, Type type, bool global, F&& f) {
  switch (type) {
  case Type::f16: return with_half_step<HalfStep, false>(operation, f);
  case Type::bf16: return with_half_step<HalfStep, true>(operation, f);
  case Type::f16x2: return with_half_step<HalfPairStep, false>(operation, f);
  case Type::bf16x2: return with_half_step<HalfPairStep, true>(operation, f);
  case Type::f32:
    if (operation != AtomicOp::add) break;
    return global ? f.template operator()<AddFloat<true>>() : f.template operator()<AddFloat<false>>();
  case Type::f64:
    if (operation != AtomicOp::add) break;
    return f.template operator()<AddDouble>();
  default: break;
  }
  bool sign = ir::is_signed(type);
  switch (ir::bytes(type)) {
  case 2: return with_integer_step<u16>(operation, sign, f);
  case 4: return with_integer_step<u32>(operation, sign, f);
  default: return with_integer_step<u64>(operation, sign, f);
  }
}

template <class T> T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Performs a step on memory and returns what was there. `shared`: other host threads may do so too. A step
// that changes nothing need not be written.
template <class Step, bool shared, class T = typename Step::Bits>
T perform(std::byte* at, T value, T compare, T& changed) {
  if constexpr (!shared) {
    T old = read<T>(at), now = Step::apply(old, value, compare);
    std::memcpy(at, &now, sizeof now);
    changed |= old ^ now;
    return old;
  }
  T* word = reinterpret_cast<T*>(at);
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

// The lanes and operands of one instruction in one state space.
struct Job {
  Exec& x;
  const Mask& mask;
  const u64* address;
  Extremes span;
  Place place;
  u32 elements = 1;
  const Value* value[most_elements] = {}; // registers may be wider than what they hold
  const Value* compare = nullptr;
  Value* result[most_elements] = {};
};

template <class T> T value_of(const Value* from, u32 thread) {
  return read<T>(static_cast<const std::byte*>(from->data) + u64{thread} * (from->bits / 8));
}
template <class T> void give(Exec& x, Value* to, u32 thread, T old) {
  if (to == nullptr) return;
  if (to->bits == sizeof(T) * 8)
    to->at<T>(0)[thread] = old;
  else
    x.set_lane(*to, thread, old);
}

// Calls f(thread, its address on the host) in lane order.
template <class F> void each_thread(const Job& job, F&& f) {
  const Place place = job.place;
  const u64* address = job.address;
  for (u32 w = job.x.first_warp; w < job.x.end_warp; ++w) {
    if (job.mask.word[w] == 0) continue;
    std::byte* base = place.at_warp(w);
    for_each_lane(job.mask.word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      f(thread, base + address[thread] + thread * place.thread_stride);
    });
  }
}

// One element per lane, in registers as wide as it: nearly all atomics. What does not change from lane to
// lane is in locals, since the compiler must expect memory to be anything's.
template <class Step, bool shared, class T = typename Step::Bits>
T run_plain(const Job& job, const T* values, const T* compares, T* results) {
  T changed = 0;
  for (u32 w = job.x.first_warp; w < job.x.end_warp; ++w) {
    std::byte* base = job.place.at_warp(w);
    u32 first = w * warp_size;
    const u64* address = job.address + first;
    const T *value = values + first, *compare = compares + first;
    T *result = results == nullptr ? nullptr : results + first, now_changed = 0;
    auto one = [&](u32 lane) {
      T old = perform<Step, shared>(base + address[lane], value[lane], compare[lane], now_changed);
      if (result != nullptr) result[lane] = old;
    };
    if (job.mask.word[w] == full_mask)
      for (u32 lane = 0; lane < warp_size; ++lane) one(lane);
    else
      for_each_lane(job.mask.word[w], one);
    changed |= now_changed;
  }
  return changed;
}

template <class Step, bool shared> bool run_each(const Job& job) {
  using T = typename Step::Bits;
  T changed = 0;
  const Value *value = job.value[0], *compare = Step::compares ? job.compare : value, *result = job.result[0];
  auto fits = [](const Value* v) { return v == nullptr || v->bits == sizeof(T) * 8; };
  if (job.elements == 1 && job.place.thread_stride == 0 && fits(value) && fits(compare) && fits(result))
    return run_plain<Step, shared>(job, value->at<T>(0), compare->at<T>(0),
                                   result == nullptr ? nullptr : result->at<T>(0)) != 0;
  each_thread(job, [&](u32 thread, std::byte* at) {
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
  T total = 0, changed = 0;
  u32 lanes = 0;
  bool uniform = value->uniform();
  for (u32 w = first; w < end; ++w) {
    lanes += static_cast<u32>(std::popcount(job.mask.word[w]));
    if (uniform) continue;
    for_each_lane(job.mask.word[w], [&](u32 lane) {
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
  T old = perform<IntegerStep<AtomicOp::add, T>, shared>(job.place.at_warp(first) + job.span.lowest, total,
                                                         total, unused);
  if (job.result[0] != nullptr)
    for (u32 w = first; w < end; ++w)
      for_each_lane(job.mask.word[w], [&](u32 lane) {
        T v = value_of<T>(value, w * warp_size + lane); // the result may go where the value is
        give<T>(job.x, job.result[0], w * warp_size + lane, old);
        old = static_cast<T>(old + v);
      });
  return changed != 0;
}

template <class Step, bool shared> bool run(const Job& job) {
  if constexpr (Step::adds) {
    const Place& place = job.place;
    if (job.elements == 1 && job.span.lowest == job.span.highest && place.thread_stride == 0) {
      bool changed = false;
      for (u32 w = job.x.first_warp, end; w < job.x.end_warp; w = end) {
        end = place.cta_stride == 0 ? job.x.end_warp
                                    : std::min(job.x.end_warp, w - w % place.cta_warps + place.cta_warps);
        changed |= add_together<typename Step::Bits, shared>(job, w, end);
      }
      return changed;
    }
  }
  return run_each<Step, shared>(job);
}

} // namespace

namespace ops {

// slots: destinations (elements, none for red), address, values (elements), for cas: compare, then value
void atomic(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const ir::Form& form = *op.form;
  AtomicOp operation = form.atomic_op();
  bool cas = operation == AtomicOp::cas;
  LaneAddresses addresses = lane_addresses(x, op, op.source(0));
  for (u32 s = 1; s < op.sources; ++s) need_lanes(x.values[op.source(s)], x.shape);
  for (u32 d = 0; d < op.destinations; ++d)
    if (op.destination(d) != no_slot && !x.overwrites(op)) need_lanes(x.values[op.destination(d)], x.shape);
  // The host may watch memory while a kernel runs, with operations of the whole system's scope.
  bool alone =
      (x.launch.options.workers == 1 || x.launch.spec.grid.count() == 1) && !form.has(ir::Modifier::sys);
  by_space(x, op, addresses, [&](ir::StateSpace space, const Mask& mask, const u64* a, const Extremes& span) {
    check_lanes(x, op, space, mask, a, span);
    report_lanes(x, op, space, mask, a);
    bool global = space == ir::StateSpace::global;
    Job job{x, mask, a, span, place_of(x, space), op.elements};
    for (u32 e = 0; e < op.elements; ++e) {
      job.value[e] = &x.values[op.source(cas ? 2 : 1 + e)];
      if (e < op.destinations && op.destination(e) != no_slot) job.result[e] = &x.values[op.destination(e)];
    }
    if (cas) job.compare = &x.values[op.source(1)];
    with_step(operation, form.type(), global, [&]<class Step>() {
      x.writes += global && !alone ? run<Step, true>(job) : run<Step, false>(job);
    });
  });
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) != no_slot) x.values[op.destination(i)].set_lanes();
}

} // namespace ops
} // namespace warplens::sim
