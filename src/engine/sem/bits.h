// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions" and the bit instructions of "Integer
// Arithmetic Instructions"). Written with branches turned into selections, so that loops over lanes
// vectorise.
#pragma once
#include "sem/value.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return static_cast<T>(~a); }
};
struct Cnot { // logical negation, as C's !
  template <class T> static T apply(T a) { return a == 0 ? T{1} : T{0}; }
};

// Bit (a·4 + b·2 + c) of `table` is the result: three levels of selection, the innermost between table bits.
struct Lop3 {
  static u32 choose(u32 selector, u32 one, u32 zero) { return (selector & one) | (~selector & zero); }
  static u32 bit(u32 table, u32 i) { return 0u - ((table >> i) & 1); }
  static u32 apply(u32 a, u32 b, u32 c, u32 table) {
    u32 upper = choose(b, choose(c, bit(table, 7), bit(table, 6)), choose(c, bit(table, 5), bit(table, 4)));
    u32 lower = choose(b, choose(c, bit(table, 3), bit(table, 2)), choose(c, bit(table, 1), bit(table, 0)));
    return choose(a, upper, lower);
  }
};

// Shift amounts are u32 and clamp at the width: everything is shifted out.
struct Shl {
  template <class T> static T apply(T a, u32 n) {
    return n >= width<T> ? T{0} : static_cast<T>(Wrap<T>(a) << (n & (width<T> - 1)));
  }
};
struct Shr {
  template <class T> static T apply(T a, u32 n) {
    if constexpr (is_signed_integer<T>)
      return static_cast<T>(a >> (n >= width<T> ? width<T> - 1 : n));
    else
      return n >= width<T> ? T{0} : static_cast<T>(a >> (n & (width<T> - 1)));
  }
};
// shf: the upper word of {b,a} << n, or the lower word of {b,a} >> n; n wraps (n & 31) or clamps (min(n,
// 32)).
template <bool Left, bool Wrapped> struct Shf {
  static u32 apply(u32 a, u32 b, u32 n) {
    u32 amount = Wrapped ? n & 31 : (n < 32 ? n : 32);
    u64 both = u64{b} << 32 | a;
    return static_cast<u32>(Left ? (both << amount) >> 32 : both >> amount);
  }
};

struct Popc {
  static u32 apply(u32 a) {
    a -= (a >> 1) & 0x55555555u;
    a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    return (a * 0x01010101u) >> 24;
  }
  static u32 apply(u64 a) { return apply(static_cast<u32>(a)) + apply(static_cast<u32>(a >> 32)); }
};
struct Clz {
  template <class T> static u32 apply(T a) {
    if (a == 0) return width<T>;
    return static_cast<u32>(sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(static_cast<u32>(a)));
  }
};
// Position of the most significant non-sign bit, or all ones; .shiftamt: the shift that brings it to the top.
template <bool ShiftAmount> struct Bfind {
  template <class T> static u32 apply(T a) {
    Unsigned<T> pattern = static_cast<Unsigned<T>>(a);
    if constexpr (is_signed_integer<T>) pattern = a < 0 ? ~pattern : pattern;
    u32 leading = Clz::apply(pattern);
    if (leading == width<T>) return ~0u;
    return ShiftAmount ? leading : width<T> - 1 - leading;
  }
};
struct Brev {
  static u32 apply(u32 a) {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    a = ((a >> 8) & 0x00ff00ffu) | ((a & 0x00ff00ffu) << 8);
    return (a >> 16) | (a << 16);
  }
  static u64 apply(u64 a) { return u64{apply(static_cast<u32>(a))} << 32 | apply(static_cast<u32>(a >> 32)); }
};

// Position or length of a bit field. The ISA reads their low 8 bits; the 64-bit forms, which ptxas composes
// of other instructions, take all 32 (measured on an H100).
template <class T> inline u32 field_operand(u32 x) { return sizeof(T) == 8 ? (x < 255 ? x : 255) : x & 0xff; }

// The `length` bits of a from `position`. Bits beyond the top repeat the sign
// (signed) or are zero; a signed field's own top bit extends it.
struct Bfe {
  template <class T> static T apply(T a, u32 b, u32 c) {
    u32 position = field_operand<T>(b), length = field_operand<T>(c);
    constexpr u32 top = width<T> - 1;
    using U = Unsigned<T>;
    U bits = static_cast<U>(a);
    U field = position > top ? U{0} : static_cast<U>(bits >> (position & top));
    U mask = length > top ? ~U{0} : static_cast<U>((U{1} << (length & top)) - 1);
    if constexpr (!is_signed_integer<T>) return static_cast<T>(field & mask);
    u32 last = position + length - 1;
    U sign = length == 0 ? U{0} : static_cast<U>((bits >> (last > top ? top : last)) & 1);
    U available = position > top ? U{0} : static_cast<U>(~U{0} >> (position & top));
    mask &= available;
    return static_cast<T>((field & mask) | (sign ? static_cast<U>(~mask) : U{0}));
  }
};
// b with its field at `position` of `length` bits replaced by the low bits of a.
struct Bfi {
  template <class T> static T apply(T a, T b, u32 c, u32 d) {
    u32 position = field_operand<T>(c), length = field_operand<T>(d);
    T mask =
        length >= width<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << (length & (width<T> - 1))) - 1);
    mask = position >= width<T> ? T{0} : static_cast<T>(mask << (position & (width<T> - 1)));
    T field = static_cast<T>(a << (position & (width<T> - 1)));
    return static_cast<T>((field & mask) | (b & ~mask));
  }
};
// bmsk: `length` ones from `position`; .clamp limits both to 32, .wrap takes them modulo 32.
template <bool Wrapped> struct Bmsk {
  static u32 apply(u32 a, u32 b) {
    u32 position = Wrapped ? a & 31 : a, length = Wrapped ? b & 31 : b;
    u32 ones = length >= 32 ? ~0u : (1u << (length & 31)) - 1;
    return position >= 32 ? 0 : ones << (position & 31);
  }
};
// szext: the low n bits of a, sign- or zero-extended; n clamps at 32 or wraps.
template <bool Wrapped> struct Szext {
  template <class T> static T apply(T a, u32 b) {
    u32 n = Wrapped ? b & 31 : (b < 32 ? b : 32);
    if (n == 0) return 0;
    u32 shift = 32 - n;
    if constexpr (is_signed_integer<T>)
      return static_cast<T>(static_cast<u32>(a) << shift) >> shift;
    else
      return (a << shift) >> shift;
  }
};
// fns: position of the n-th set bit of `mask` counting from `base`, upwards for n > 0, downwards for n < 0.
struct Fns {
  static u32 apply(u32 mask, u32 base, i32 n) {
    if (base > 31) return ~0u;
    if (n == 0) return (mask >> base) & 1 ? base : ~0u;
    i32 step = n > 0 ? 1 : -1;
    u32 left = n > 0 ? static_cast<u32>(n) : 0u - static_cast<u32>(n);
    for (i32 at = static_cast<i32>(base); at >= 0 && at < 32; at += step)
      if (((mask >> at) & 1) && --left == 0) return static_cast<u32>(at);
    return ~0u;
  }
};

enum class PrmtMode : u8 { index, f4e, b4e, rc8, ecl, ecr, rc16 };
// prmt: four bytes picked from {b,a}; bit 3 of a selector nibble repeats the byte's sign instead of the byte.
template <PrmtMode Mode> struct Prmt {
  static u32 nibble(u32 i, u32 selector) {
    u32 s = selector & 3;
    switch (Mode) {
    case PrmtMode::index: return (selector >> (4 * i)) & 15;
    case PrmtMode::f4e: return (s + i) & 7;
    case PrmtMode::b4e: return (s - i) & 7;
    case PrmtMode::rc8: return s;
    case PrmtMode::ecl: return i > s ? i : s;
    case PrmtMode::ecr: return i < s ? i : s;
    case PrmtMode::rc16: return (s & 1) * 2 + (i & 1);
    }
    return 0;
  }
  static u32 apply(u32 a, u32 b, u32 selector) {
    u64 bytes = u64{b} << 32 | a;
    u32 result = 0;
    for (u32 i = 0; i < 4; ++i) {
      u32 pick = nibble(i, selector);
      u32 byte = static_cast<u32>(bytes >> (8 * (pick & 7))) & 0xff;
      u32 sign = 0u - (byte >> 7);
      result |= ((pick & 8 ? sign : byte) & 0xff) << (8 * i);
    }
    return result;
  }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
