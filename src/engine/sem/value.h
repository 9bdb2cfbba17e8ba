// Values that PTX instructions compute on, as C++ types: integers are the fixed-width integers, f32 and f64
// are float and double, f16 and bf16 are F16 and BF16 (their bits), packed forms are Packed<element>.
//
// Everything in sem/ is a template or inline function inside an inline namespace named by
// WARPLENS_TARGET_NAMESPACE: the kernels compile these headers once per instruction set, and a function that
// the compiler decides not to inline must never be shared by the linker between baseline and AVX-512 code.
// For the same reason nothing here calls the standard library, libm's C functions apart.
#pragma once
#include "base/types.h"

#ifndef WARPLENS_TARGET_NAMESPACE
#define WARPLENS_TARGET_NAMESPACE portable
#endif

namespace warplens::sem {
inline namespace WARPLENS_TARGET_NAMESPACE {

template <class To, class From> inline To bits_as(From from) { return __builtin_bit_cast(To, from); }

struct F16 {
  u16 bits;
};
struct BF16 {
  u16 bits;
};
// Two or four elements in one register; element 0 in the least significant bits.
template <class E> struct Packed {
  using Element = E;
  static constexpr int count = 2;
  E element[2];
};

// Two results of one instruction: the second is a carry, a predicate, or the other half.
template <class A, class B> struct Two {
  A first;
  B second;
};

template <class T> struct IntegerTraits;
template <class S, class U, class W> struct IntegerPair {
  using Signed = S;
  using Unsigned = U;
  using Wide = W; // of twice the width
};
template <> struct IntegerTraits<u8> : IntegerPair<i8, u8, u16> { static constexpr bool is_signed = false; };
template <> struct IntegerTraits<i8> : IntegerPair<i8, u8, i16> { static constexpr bool is_signed = true; };
template <> struct IntegerTraits<u16> : IntegerPair<i16, u16, u32> {
  static constexpr bool is_signed = false;
};
template <> struct IntegerTraits<i16> : IntegerPair<i16, u16, i32> {
  static constexpr bool is_signed = true;
};
template <> struct IntegerTraits<u32> : IntegerPair<i32, u32, u64> {
  static constexpr bool is_signed = false;
};
template <> struct IntegerTraits<i32> : IntegerPair<i32, u32, i64> {
  static constexpr bool is_signed = true;
};
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;
template <> struct IntegerTraits<u64> : IntegerPair<i64, u64, u128> {
  static constexpr bool is_signed = false;
};
template <> struct IntegerTraits<i64> : IntegerPair<i64, u64, i128> {
  static constexpr bool is_signed = true;
};
template <> struct IntegerTraits<u128> : IntegerPair<i128, u128, u128> {
  static constexpr bool is_signed = false;
};
template <> struct IntegerTraits<i128> : IntegerPair<i128, u128, i128> {
  static constexpr bool is_signed = true;
};

template <class T> using Unsigned = typename IntegerTraits<T>::Unsigned;
template <class T> using Signed = typename IntegerTraits<T>::Signed;
template <class T> using Wide = typename IntegerTraits<T>::Wide;
template <class T> inline constexpr bool is_signed_integer = IntegerTraits<T>::is_signed;
template <class T> inline constexpr u32 width = sizeof(T) * 8;

template <bool> struct WrapTypes;
template <> struct WrapTypes<true> { template <class T> using Of = u32; };
template <> struct WrapTypes<false> { template <class T> using Of = Unsigned<T>; };
// Unsigned arithmetic that wraps without C++'s promotion of 8 and 16 bits to (overflowing) int.
template <class T> using Wrap = typename WrapTypes<(sizeof(T) < 4)>::template Of<T>;

template <class T>
inline constexpr T lowest = is_signed_integer<T> ? static_cast<T>(Unsigned<T>{1} << (width<T> - 1)) : T{0};
template <class T> inline constexpr T highest = static_cast<T>(~static_cast<Unsigned<T>>(lowest<T>));

// Into T's range; From must hold every value exactly.
template <class T, class From> inline T clamp_to(From x) {
  if (x < From{lowest<T>}) return lowest<T>;
  return x > From{highest<T>} ? highest<T> : static_cast<T>(x);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sem
