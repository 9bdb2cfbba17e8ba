// Video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions"): integer operations
// on words, halves or bytes at more than 32 bits of precision, then saturation, then a secondary operation
// with c.
//
// Byte and half selectors of operands (r1.b0, r2.h10) and merging into parts of the destination are not
// covered.
#pragma once
#include "sem/value.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

struct VideoAdd {
  static i64 apply(i64 a, i64 b) { return a + b; }
};
struct VideoSub {
  static i64 apply(i64 a, i64 b) { return a - b; }
};
struct VideoAbsDiff {
  static i64 apply(i64 a, i64 b) { return a < b ? b - a : a - b; }
};
struct VideoMin {
  static i64 apply(i64 a, i64 b) { return a < b ? a : b; }
};
struct VideoMax {
  static i64 apply(i64 a, i64 b) { return a > b ? a : b; }
};
struct VideoAverage { // rounds halves up, negative sums down
  static i64 apply(i64 a, i64 b) { return (a + b + (a + b >= 0)) >> 1; }
};
template <bool Wrapped> struct VideoShl {
  static i64 apply(i64 a, i64 b) { return a << (Wrapped ? b & 31 : b > 32 ? 32 : b); }
};
template <bool Wrapped> struct VideoShr {
  static i64 apply(i64 a, i64 b) { return a >> (Wrapped ? b & 31 : b > 32 ? 32 : b); }
};
enum class VideoRelation : u8 { eq, ne, lt, le, gt, ge };
template <VideoRelation R> struct VideoSet {
  static i64 apply(i64 a, i64 b) {
    switch (R) {
    case VideoRelation::eq: return a == b;
    case VideoRelation::ne: return a != b;
    case VideoRelation::lt: return a < b;
    case VideoRelation::le: return a <= b;
    case VideoRelation::gt: return a > b;
    case VideoRelation::ge: return a >= b;
    }
    return 0;
  }
};

enum class VideoSecond : u8 { none, add, min, max };

// One operation on a whole word. D, A, B are i32 or u32: how result and sources are read.
template <class Op, class D, class A, class B, bool Sat, VideoSecond Second> struct VideoScalar {
  static u32 primary(u32 a, u32 b) {
    i64 result = Op::apply(i64{static_cast<A>(a)}, i64{static_cast<B>(b)});
    return static_cast<u32>(Sat ? static_cast<u32>(clamp_to<D>(result)) : static_cast<u32>(result));
  }
  static u32 apply(u32 a, u32 b) { return primary(a, b); }
  static u32 apply(u32 a, u32 b, u32 c) {
    D first = static_cast<D>(primary(a, b)), second = static_cast<D>(c);
    switch (Second) {
    case VideoSecond::none: return static_cast<u32>(first);
    case VideoSecond::add: return static_cast<u32>(first) + c;
    case VideoSecond::min: return static_cast<u32>(first < second ? first : second);
    case VideoSecond::max: return static_cast<u32>(first > second ? first : second);
    }
    return 0;
  }
};

// The same operation on the two halves or four bytes of a word; D, A, B are integers of that width. With
// Accumulate, the results are added to c; else they are packed and c does not matter (it fills elements that
// a mask leaves out).
template <class Op, class D, class A, class B, bool Sat, bool Accumulate> struct VideoSimd {
  static u32 apply(u32 a, u32 b, u32 c) {
    u32 packed = 0, sum = c;
    for (u32 at = 0; at < 32; at += width<D>) {
      i64 result = Op::apply(i64{static_cast<A>(a >> at)}, i64{static_cast<B>(b >> at)});
      if constexpr (Sat) result = clamp_to<D>(result);
      packed |= u32{static_cast<Unsigned<D>>(result)} << at;
      sum += static_cast<u32>(result);
    }
    return Accumulate ? sum : packed;
  }
};

// vmad: a·b + c (+ 1 with .po), shifted right by 0, 7 or 15, saturated to the signedness of the sources.
template <class A, class B, u32 Scale, bool PlusOne, bool Sat> struct VideoMad {
  static constexpr bool is_signed = is_signed_integer<A> || is_signed_integer<B>;
  static u32 apply(u32 a, u32 b, u32 c) {
    i128 addend = is_signed ? i128{static_cast<i32>(c)} : i128{c};
    i128 sum = (i128{static_cast<A>(a)} * static_cast<B>(b) + addend + PlusOne) >> Scale;
    if (!Sat) return static_cast<u32>(sum);
    return is_signed ? static_cast<u32>(clamp_to<i32>(sum)) : clamp_to<u32>(sum);
  }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
