// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"). Ordered comparisons of floats
// are false when a source is NaN, the …u ones true.
#pragma once
#include "sem/floating.h"

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

enum class Relation : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Relation R, class T> inline bool related(T a, T b) {
  switch (R) {
  case Relation::eq: return a == b;
  case Relation::ne: return (a < b) | (a > b);
  case Relation::lt: return a < b;
  case Relation::le: return a <= b;
  case Relation::gt: return a > b;
  case Relation::ge: return a >= b;
  case Relation::equ: return !((a < b) | (a > b));
  case Relation::neu: return a != b;
  case Relation::ltu: return !(a >= b);
  case Relation::leu: return !(a > b);
  case Relation::gtu: return !(a <= b);
  case Relation::geu: return !(a < b);
  case Relation::num: return (a == a) & (b == b);
  case Relation::nan: return (a != a) | (b != b);
  }
  return false;
}

template <Relation R> struct Compare {
  template <class T> static bool apply(T a, T b) { return related<R>(a, b); }
};
template <Relation R, bool Ftz> struct CompareFloat {
  template <class T> static bool apply(T a, T b) { return related<R>(flush<Ftz>(a), flush<Ftz>(b)); }
};

struct Selp { // with a mask, not a branch: T is an integer of the operands' width
  template <class T> static T apply(T a, T b, bool c) {
    T mask = static_cast<T>(0 - static_cast<Wrap<T>>(c));
    return static_cast<T>((a & mask) | (b & ~mask));
  }
};
// slct: a where c ≥ 0, else b; a float c that is NaN selects b, and .ftz makes −subnormal count as zero.
template <bool Ftz> struct Slct {
  template <class T> static T apply(T a, T b, i32 c) { return c >= 0 ? a : b; }
  template <class T> static T apply(T a, T b, float c) { return flush<Ftz>(c) >= 0.0f ? a : b; }
};

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
