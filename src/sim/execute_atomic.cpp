// Atomics and reductions: lane by lane, in lane order. CTAs run on several host threads, so those on global
// memory are host atomics; shared memory belongs to one host thread.
#include "sim/execute_memory.h"
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

template <class T> T pick_min(T a, T b) { return b < a ? b : a; }
template <class T> T pick_max(T a, T b) { return b > a ? b : a; }

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

// The new value of a location. `compare` is cas's expected value.
u64 combine(AtomicOp operation, Type type, bool global, u64 old, u64 value, u64 compare) {
  u32 bits = ir::bits(type);
  switch (type) {
  case Type::f32: {
    float a = std::bit_cast<float>(static_cast<u32>(old)), b = std::bit_cast<float>(static_cast<u32>(value));
    if (operation == AtomicOp::add) return std::bit_cast<u32>(global ? flush(flush(a) + flush(b)) : a + b);
    break;
  }
  case Type::f64:
    if (operation == AtomicOp::add)
      return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
    break;
  case Type::f16:
  case Type::bf16:
    return half_operation(operation, type == Type::bf16, static_cast<u16>(old), static_cast<u16>(value));
  case Type::f16x2:
  case Type::bf16x2: {
    bool bfloat = type == Type::bf16x2;
    u16 low = half_operation(operation, bfloat, static_cast<u16>(old), static_cast<u16>(value));
    u16 high = half_operation(operation, bfloat, static_cast<u16>(old >> 16), static_cast<u16>(value >> 16));
    return low | u64{high} << 16;
  }
  default: break;
  }
  bool sign = ir::is_signed(type);
  auto extend = [&](u64 v) { return static_cast<i64>(v << (64 - bits)) >> (64 - bits); };
  switch (operation) {
  case AtomicOp::add: return old + value;
  case AtomicOp::min:
    return sign ? static_cast<u64>(pick_min(extend(old), extend(value))) : pick_min(old, value);
  case AtomicOp::max:
    return sign ? static_cast<u64>(pick_max(extend(old), extend(value))) : pick_max(old, value);
  case AtomicOp::inc: return old >= value ? 0 : old + 1;
  case AtomicOp::dec: return old == 0 || old > value ? value : old - 1;
  case AtomicOp::and_: return old & value;
  case AtomicOp::or_: return old | value;
  case AtomicOp::xor_: return old ^ value;
  case AtomicOp::exch: return value;
  case AtomicOp::cas: return old == compare ? value : old;
  case AtomicOp::none: break;
  }
  return old;
}

template <class T> u64 apply_shared(std::byte* at, AtomicOp operation, Type type, u64 value, u64 compare) {
  T old;
  std::memcpy(&old, at, sizeof old);
  T now = static_cast<T>(combine(operation, type, false, old, value, compare));
  std::memcpy(at, &now, sizeof now);
  return old;
}

template <class T> u64 apply_global(std::byte* at, AtomicOp operation, Type type, u64 value, u64 compare) {
  T* word = reinterpret_cast<T*>(at);
  if (operation == AtomicOp::add && !ir::is_float(type))
    return __atomic_fetch_add(word, static_cast<T>(value), __ATOMIC_SEQ_CST);
  T old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (true) {
    T now = static_cast<T>(combine(operation, type, true, old, value, compare));
    if (__atomic_compare_exchange_n(word, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
  }
}

u64 apply(std::byte* at, u32 bytes, bool global, AtomicOp operation, Type type, u64 value, u64 compare) {
  switch (bytes) {
  case 2:
    return global ? apply_global<u16>(at, operation, type, value, compare)
                  : apply_shared<u16>(at, operation, type, value, compare);
  case 4:
    return global ? apply_global<u32>(at, operation, type, value, compare)
                  : apply_shared<u32>(at, operation, type, value, compare);
  default:
    return global ? apply_global<u64>(at, operation, type, value, compare)
                  : apply_shared<u64>(at, operation, type, value, compare);
  }
}

} // namespace

namespace ops {

// slots: destinations (elements, none for red), address, values (elements), for cas: compare, then value
void atomic(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  AtomicOp operation = op.form->atomic_op();
  Type type = op.form->type();
  bool cas = operation == AtomicOp::cas;
  u32 elements = op.elements;
  u64* address = const_cast<u64*>(lane_addresses(x, op, op.source(0)));
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) != no_slot) need_lanes(x.values[op.destination(i)], x.shape);
  u64 limit = ir::bits(type) >= 64 ? ~u64{0} : (u64{1} << ir::bits(type)) - 1;
  by_space(x, op, *x.mask, address, [&](ir::StateSpace space, const Mask& mask, const u64* a) {
    check_lanes(x, op, space, mask, a);
    report_lanes(x, op, space, mask, a);
    Place place = place_of(x, space);
    bool global = space == ir::StateSpace::global;
    bool changes = false;
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(mask.word[w], [&](u32 lane) {
        u32 thread = w * warp_size + lane;
        std::byte* at = place.at_warp(w) + a[thread] + thread * place.thread_stride;
        for (u32 e = 0; e < elements; ++e) {
          u64 first = x.lane_value(op.source(1 + e), thread) & limit;
          u64 value = cas ? x.lane_value(op.source(2), thread) & limit : first;
          u64 old = apply(at + e * op.element_bytes, op.element_bytes, global, operation, type, value, first);
          changes |= combine(operation, type, global, old, value, first) != old;
          if (e < op.destinations && op.destination(e) != no_slot)
            x.set_lane(x.values[op.destination(e)], thread, old);
        }
      });
    x.writes += changes;
  });
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) != no_slot) x.values[op.destination(i)].set_lanes();
}

} // namespace ops
} // namespace warplens::sim
