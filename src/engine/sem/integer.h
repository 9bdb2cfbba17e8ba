// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic
// Instructions"). One functor per instruction; T is the instruction type. All arithmetic wraps unless .sat.
//
// Division by zero does not trap: quotient and remainder are all ones, as the instruction sequences that
// ptxas emits leave them (the ISA calls the result unspecified). 32-bit division goes through double, which
// holds the quotient exactly and vectorises; the 64-bit one is the processor's.
#pragma once
#include "sem/value.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

struct Add {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) + Wrap<T>(b)); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) - Wrap<T>(b)); }
};
struct AddSat {
  template <class T> static T apply(T a, T b) { return clamp_to<T>(Wide<T>(a) + Wide<T>(b)); }
};
struct SubSat {
  template <class T> static T apply(T a, T b) { return clamp_to<T>(Wide<T>(a) - Wide<T>(b)); }
};
struct MulLo {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) * Wrap<T>(b)); }
};
struct MulHi {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> width<T>);
  }
};
struct MulWide {
  template <class T> static Wide<T> apply(T a, T b) { return Wide<T>(Wide<T>(a) * Wide<T>(b)); }
};
struct MadLo {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(MulLo::apply(a, b), c); }
};
struct MadHi {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(MulHi::apply(a, b), c); }
};
struct MadHiSat {
  template <class T> static T apply(T a, T b, T c) { return AddSat::apply(MulHi::apply(a, b), c); }
};
struct MadWide {
  template <class T> static Wide<T> apply(T a, T b, Wide<T> c) { return Add::apply(MulWide::apply(a, b), c); }
};

// mul24: the low 24 bits of each source, as a signed or unsigned number.
template <class T> inline T low24(T a) {
  return is_signed_integer<T> ? static_cast<T>(static_cast<i32>(static_cast<u32>(a) << 8) >> 8)
                              : static_cast<T>(a & 0xffffff);
}
struct Mul24Lo {
  template <class T> static T apply(T a, T b) { return MulLo::apply(low24(a), low24(b)); }
};
struct Mul24Hi { // bits 47…16 of the 48-bit product
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(MulWide::apply(low24(a), low24(b)) >> 16);
  }
};
struct Mad24Lo {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(Mul24Lo::apply(a, b), c); }
};
struct Mad24Hi {
  template <class T> static T apply(T a, T b, T c) { return Add::apply(Mul24Hi::apply(a, b), c); }
};
struct Mad24HiSat {
  template <class T> static T apply(T a, T b, T c) { return AddSat::apply(Mul24Hi::apply(a, b), c); }
};

template <class T> inline Unsigned<T> magnitude(T a) {
  if constexpr (is_signed_integer<T>)
    return static_cast<Unsigned<T>>(a < 0 ? Wrap<T>(0) - Wrap<T>(a) : Wrap<T>(a));
  else
    return a;
}

// floor(a / b) for b ≥ 1. The double nearest to a/b is off by less than 2^-21, and a/b is at least 2^-32
// below the next integer, so only rounding to the nearest integer needs correcting. 2^52 is where a double's
// last bit is 1.
inline u32 divide(u32 a, u32 b) {
  constexpr double integers = 4503599627370496.0;
  double quotient = static_cast<double>(a) / static_cast<double>(b);
  double nearest = (quotient + integers) - integers;
  double floor = nearest > quotient ? nearest - 1.0 : nearest;
  return static_cast<u32>(bits_as<u64>(floor + integers));
}
inline u64 divide(u64 a, u64 b) { return a / b; }
inline u16 divide(u16 a, u16 b) { return static_cast<u16>(static_cast<float>(a) / static_cast<float>(b)); }

struct Div {
  template <class T> static T apply(T a, T b) {
    using U = Unsigned<T>;
    U quotient = divide(magnitude(a), b == 0 ? U{1} : magnitude(b));
    bool negative = is_signed_integer<T> && ((a < 0) != (b < 0));
    T result = static_cast<T>(negative ? Wrap<T>(0) - quotient : Wrap<T>(quotient));
    return b == 0 ? static_cast<T>(~U{0}) : result;
  }
};
struct Rem { // takes the sign of the dividend
  template <class T> static T apply(T a, T b) {
    T result = Sub::apply(a, MulLo::apply(Div::apply(a, b), b));
    return b == 0 ? static_cast<T>(~Unsigned<T>{0}) : result;
  }
};

struct Abs {
  template <class T> static T apply(T a) { return static_cast<T>(magnitude(a)); }
};
struct Neg {
  template <class T> static T apply(T a) { return static_cast<T>(Wrap<T>(0) - Wrap<T>(a)); }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
template <class Base> struct Relu { // negative results become 0
  template <class T> static T apply(T a, T b) { return Max::apply(Base::apply(a, b), T{0}); }
};
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    Wrap<T> difference = a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
    return static_cast<T>(Wrap<T>(c) + difference);
  }
};

// add.cc, addc, addc.cc: `In` reads the carry flag, `Out` writes it.
template <bool Out, class T> inline auto with_carry(T result, bool carry) {
  if constexpr (Out)
    return Two<T, bool>{result, carry};
  else
    return result;
}
template <bool Out> struct AddCarry {
  template <class T> static auto apply(T a, T b, bool carry = false) {
    T partial = Add::apply(a, b), sum = Add::apply(partial, static_cast<T>(carry));
    return with_carry<Out>(sum, (Unsigned<T>(partial) < Unsigned<T>(a)) |
                                    (Unsigned<T>(sum) < Unsigned<T>(partial)));
  }
};
// The flag of sub.cc is the carry of a + ~b + 1, the opposite of a borrow: addc and madc may read it, as ptxas has them do.
template <bool Out> struct SubCarry {
  template <class T> static auto apply(T a, T b, bool carry = true) {
    return AddCarry<Out>::apply(a, static_cast<T>(~b), carry);
  }
};
template <class Mul, bool Out> struct MadCarry {
  template <class T> static auto apply(T a, T b, T c, bool carry = false) {
    return AddCarry<Out>::apply(Mul::apply(a, b), c, carry);
  }
};

// dp4a, dp2a: sums of products of bytes; A and B are the signs of the sources, .lo and .hi choose b's half.
template <class A, class B> struct Dp4a {
  template <class T> static T apply(u32 a, u32 b, T c) {
    u32 sum = static_cast<u32>(c);
    for (u32 i = 0; i < 32; i += 8)
      sum += static_cast<u32>(static_cast<A>(a >> i)) * static_cast<u32>(static_cast<B>(b >> i));
    return static_cast<T>(sum);
  }
};
template <class A, class B, bool High> struct Dp2a {
  template <class T> static T apply(u32 a, u32 b, T c) {
    u32 sum = static_cast<u32>(c);
    for (u32 i = 0; i < 2; ++i) {
      u32 half = static_cast<u32>(static_cast<A>(a >> (16 * i)));
      sum += half * static_cast<u32>(static_cast<B>(b >> (8 * i + (High ? 16 : 0))));
    }
    return static_cast<T>(sum);
  }
};

// Applies a scalar functor to each element of packed operands.
template <class Op> struct Elementwise {
  template <class E> static Packed<E> apply(Packed<E> a) {
    return {Op::apply(a.element[0]), Op::apply(a.element[1])};
  }
  template <class E> static Packed<E> apply(Packed<E> a, Packed<E> b) {
    return {Op::apply(a.element[0], b.element[0]), Op::apply(a.element[1], b.element[1])};
  }
  template <class E> static Packed<E> apply(Packed<E> a, Packed<E> b, Packed<E> c) {
    return {Op::apply(a.element[0], b.element[0], c.element[0]),
            Op::apply(a.element[1], b.element[1], c.element[1])};
  }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
