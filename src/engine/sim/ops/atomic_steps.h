// What atomics do to one location, as types: Step::apply(old, value, compare) is the new value of the location, as bits;
// `compare` is the value that cas expects. with_step() calls a template with the step of an operation on a type, so
// that there is a loop for each and nothing is decided per lane.
//
// Arithmetic on halves is that of sem/: it is written once.
#pragma once
#include "ir/form.h"
#include "sem/half.h"
#include <bit>
#include <type_traits>

namespace warplens::sim {

using ir::AtomicOp;
using ir::Type;

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

// Global memory adds floats without subnormals, shared memory with them (PTX ISA, atom).
template <bool flushes> struct AddFloat : FloatStep {
  using Bits = u32;
  static Bits apply(Bits old, Bits value, Bits) {
    float a = sem::flush<flushes>(std::bit_cast<float>(old)),
          b = sem::flush<flushes>(std::bit_cast<float>(value));
    return std::bit_cast<u32>(sem::flush<flushes>(a + b));
  }
};

struct AddDouble : FloatStep {
  using Bits = u64;
  static Bits apply(Bits old, Bits value, Bits) {
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  }
};

// H: sem::F16 or sem::BF16; add, min or max
template <AtomicOp operation, class H>
using HalfRule = std::conditional_t<operation == AtomicOp::add, sem::Half<sem::HalfAdd>,
                                    sem::HalfMinMax<operation == AtomicOp::max, false>>;

template <AtomicOp operation, class H> struct HalfStep : FloatStep {
  using Bits = u16;
  static Bits apply(Bits old, Bits value, Bits) {
    return HalfRule<operation, H>::apply(H{old}, H{value}).bits;
  }
};

template <AtomicOp operation, class H> struct HalfPairStep : FloatStep {
  using Bits = u32;
  static Bits apply(Bits old, Bits value, Bits) {
    using One = HalfStep<operation, H>;
    u16 low = One::apply(static_cast<u16>(old), static_cast<u16>(value), 0);
    u16 high = One::apply(static_cast<u16>(old >> 16), static_cast<u16>(value >> 16), 0);
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
  case AtomicOp::none: return; // lower_memory.cpp lets none through
  }
}

template <template <AtomicOp, class> class Step, class H, class F>
void with_half_step(AtomicOp operation, F&& f) {
  switch (operation) {
  case AtomicOp::add: return f.template operator()<Step<AtomicOp::add, H>>();
  case AtomicOp::min: return f.template operator()<Step<AtomicOp::min, H>>();
  default: return f.template operator()<Step<AtomicOp::max, H>>();
  }
}

template <class F> void with_step(AtomicOp operation, Type type, bool global, F&& f) {
  switch (type) {
  case Type::f16: return with_half_step<HalfStep, sem::F16>(operation, f);
  case Type::bf16: return with_half_step<HalfStep, sem::BF16>(operation, f);
  case Type::f16x2: return with_half_step<HalfPairStep, sem::F16>(operation, f);
  case Type::bf16x2: return with_half_step<HalfPairStep, sem::BF16>(operation, f);
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

} // namespace warplens::sim
