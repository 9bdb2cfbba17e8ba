// The loops over lanes: a functor of sem/ and the C++ types of its results and sources become a Kernel.
//
// Lanes come in blocks of 32 (the inner trip count is a constant, so GCC unrolls and vectorises without a
// remainder loop) or singly, for uniform values. A predicate is one bit of a block's mask: as a source it is
// tested against constant bits; as a result, one byte per lane is stored and the sign bits gathered.
#pragma once
#include "sem/value.h"
#include "sim/kernels/request.h"
// GCC warns of its own intrinsics, whose results start out undefined (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#include <type_traits>
#include <utility>

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {

// Types of operands beyond plain C++ numbers.
struct Predicate {};
template <class E> struct Byte {}; // i8 or u8, stored extended to 16 bits

template <class T> struct Storage { // how lanes of T lie in memory
  using Lane = T;
  static constexpr u8 bits = sizeof(T) * 8;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static T load(T x) { return x; }
  static T store(T x) { return x; }
};
template <> struct Storage<float> {
  using Lane = float;
  static constexpr u8 bits = 32;
  static constexpr bool is_signed = false;
  static float load(float x) { return x; }
  static float store(float x) { return x; }
};
template <> struct Storage<double> {
  using Lane = double;
  static constexpr u8 bits = 64;
  static constexpr bool is_signed = false;
  static double load(double x) { return x; }
  static double store(double x) { return x; }
};
template <class E> struct Storage<Byte<E>> {
  using Lane = u16;
  static constexpr u8 bits = 16;
  static constexpr bool is_signed = sem::is_signed_integer<E>;
  static E load(u16 x) { return static_cast<E>(x); }
  static u16 store(E x) { return static_cast<u16>(x); }
};
template <> struct Storage<Predicate> {
  using Lane = u32;
  static constexpr u8 bits = 1;
  static constexpr bool is_signed = false;
};
template <class H> struct HalfStorage {
  using Lane = u16;
  static constexpr u8 bits = 16;
  static constexpr bool is_signed = false;
  static H load(u16 x) { return {x}; }
  static u16 store(H x) { return x.bits; }
};
template <> struct Storage<sem::F16> : HalfStorage<sem::F16> {};
template <> struct Storage<sem::BF16> : HalfStorage<sem::BF16> {};
template <class E> struct Storage<sem::Packed<E>> { // element 0 in the low half
  static constexpr bool small = sizeof(E) == 2;
  using Lane = std::conditional_t<small, u32, u64>;
  using Element = std::conditional_t<small, u16, u32>;
  static constexpr u8 bits = sizeof(Lane) * 8;
  static constexpr bool is_signed = false;
  static sem::Packed<E> load(Lane x) {
    return {
        {sem::bits_as<E>(static_cast<Element>(x)), sem::bits_as<E>(static_cast<Element>(x >> (bits / 2)))}};
  }
  static Lane store(sem::Packed<E> x) {
    return Lane{sem::bits_as<Element>(x.element[1])} << (bits / 2) | sem::bits_as<Element>(x.element[0]);
  }
};

// One byte per lane, 0 or 0xff, to one bit per lane.
[[gnu::always_inline]] inline u32 gather_bits(const u8* flags) {
#ifdef __AVX2__
  return static_cast<u32>(_mm256_movemask_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(flags))));
#else
  auto half = [&](int i) {
    return static_cast<u32>(_mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(flags) + i)));
  };
  return half(0) | half(1) << 16;
#endif
}

// All bits of lane i when the mask has it, else none. Without a branch and without a shift by i, so that it
// is a vector operation everywhere.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;
template <class T> struct LaneBits { T bit[32]; };
template <class T> constexpr LaneBits<T> make_lane_bits() {
  LaneBits<T> out{};
  for (u32 i = 0; i < 32; ++i) out.bit[i] = T{1} << i;
  return out;
}
template <class T> inline constexpr LaneBits<T> lane_bits = make_lane_bits<T>();
template <class Bits> [[gnu::always_inline]] inline Bits lane_of(u32 mask, u32 i) {
  using Wide = std::conditional_t<sizeof(Bits) == 8, u64, u32>;
  return static_cast<Bits>(-static_cast<Wide>((mask & lane_bits<Wide>.bit[i]) != 0));
}

// The sources of one block.
template <class S> struct Source {
  const typename Storage<S>::Lane* lanes;
  Source(const void* array, u32 first)
      : lanes(static_cast<const typename Storage<S>::Lane*>(array) + first) {}
  auto operator[](u32 i) const { return Storage<S>::load(lanes[i]); }
  // Lanes outside of a mask may hold anything, an integer that reads as a denormal number, too: arithmetic on
  // one costs more than a hundred cycles.
  auto only(u32 i, u32 mask) const {
    if constexpr (std::is_floating_point_v<S>)
      return sem::bits_as<S>(sem::bits_as<BitsOf<S>>(lanes[i]) & lane_of<BitsOf<S>>(mask, i));
    else
      return (*this)[i];
  }
};
template <> struct Source<Predicate> {
  u32 mask;
  Source(const void* array, u32 first) : mask(static_cast<const u32*>(array)[first / 32]) {}
  bool operator[](u32 i) const { return (mask >> i) & 1; }
  bool only(u32 i, u32) const { return (*this)[i]; }
};

// The results of one block. Predicates are gathered when it is complete.
template <class D> struct Sink {
  typename Storage<D>::Lane* lanes;
  Sink(void* array, u32 first) : lanes(static_cast<typename Storage<D>::Lane*>(array) + first) {}
  template <class V> void put(u32 i, V value) { lanes[i] = Storage<D>::store(value); }
  void finish() {}
  template <class V> void single(V value) { put(0, value); }
};
template <> struct Sink<Predicate> {
  u32* mask;
  alignas(32) u8 flags[32];
  Sink(void* array, u32 first) : mask(static_cast<u32*>(array) + first / 32) {}
  void put(u32 i, bool value) { flags[i] = value ? 0xff : 0; }
  void finish() { *mask = gather_bits(flags); }
  void single(bool value) { *mask = value; }
};

// Result types of instructions with two destinations.
template <class D0, class D1> struct Results {};

// Functors are empty, or hold what they take from the form as data: then they are made of a Variant.
template <class Op> [[gnu::always_inline]] inline Op make_functor(const KernelArguments& a) {
  if constexpr (std::is_constructible_v<Op, const Variant&>)
    return Op(a.variant);
  else
    return Op{};
}

template <class Op, class D, class... Sources>
[[gnu::always_inline]] inline void run_block(const KernelArguments& a, u32 first, const Op& op,
                                             Sources... source) {
  Sink<D> sink(a.destination[0], first);
#pragma GCC ivdep
  for (u32 i = 0; i < 32; ++i) sink.put(i, op.apply(source[i]...));
  sink.finish();
}
template <class Op, class D0, class D1, class... Sources>
[[gnu::always_inline]] inline void run_two(const KernelArguments& a, u32 first, const Op& op,
                                           Sources... source) {
  Sink<D0> sink0(a.destination[0], first);
  Sink<D1> sink1(a.destination[1], first);
#pragma GCC ivdep
  for (u32 i = 0; i < 32; ++i) {
    auto results = op.apply(source[i]...);
    sink0.put(i, results.first);
    sink1.put(i, results.second);
  }
  sink0.finish();
  sink1.finish();
}

// into[i] = from[i] for the lanes of a mask
template <class Lane> [[gnu::always_inline]] inline void blend(Lane* into, const Lane* from, u32 mask) {
  using Bits = BitsOf<Lane>;
#pragma GCC ivdep
  for (u32 i = 0; i < 32; ++i) {
    Bits on = lane_of<Bits>(mask, i), now = sem::bits_as<Bits>(from[i]), old = sem::bits_as<Bits>(into[i]);
    into[i] = sem::bits_as<Lane>(static_cast<Bits>((now & on) | (old & ~on)));
  }
}

// The results of one block that only the lanes of a mask keep. Kept apart at first: with the blend in it, the
// loop that computes is often not vectorised.
template <class D> struct MaskedSink {
  using Lane = typename Storage<D>::Lane;
  Lane* into;
  alignas(64) Lane lanes[32];
  MaskedSink(void* array, u32 first) : into(static_cast<Lane*>(array) + first) {}
  template <class V> void put(u32 i, V value) { lanes[i] = Storage<D>::store(value); }
  void finish(u32 mask) { blend(into, lanes, mask); }
};
template <> struct MaskedSink<Predicate> {
  u32* into;
  u32 all;
  Sink<Predicate> sink;
  MaskedSink(void* array, u32 first) : into(static_cast<u32*>(array) + first / 32), sink(&all, 0) {}
  void put(u32 i, bool value) { sink.put(i, value); }
  void finish(u32 mask) {
    sink.finish();
    *into = (*into & ~mask) | (all & mask);
  }
};
template <class Op, class D, class... Sources>
[[gnu::always_inline]] inline void run_block_masked(const KernelArguments& a, u32 first, u32 mask,
                                                    const Op& op, Sources... source) {
  MaskedSink<D> sink(a.destination[0], first);
#pragma GCC ivdep
  for (u32 i = 0; i < 32; ++i) sink.put(i, op.apply(source.only(i, mask)...));
  sink.finish(mask);
}

template <class Op, class D, class... S> struct Loop {
  static constexpr u8 destinations = 1;
  static constexpr u8 bits0 = Storage<D>::bits, bits1 = 0;
  static constexpr bool signed0 = Storage<D>::is_signed, signed1 = false;
  template <std::size_t... I>
  [[gnu::flatten]] static void run(const KernelArguments& arguments, std::index_sequence<I...>) {
    const KernelArguments a = arguments; // nothing can alias the copy
    const Op op = make_functor<Op>(a);
    if (a.lanes == 1) return Sink<D>(a.destination[0], 0).single(op.apply(Source<S>(a.source[I], 0)[0]...));
    for (u32 first = 0; first < a.lanes; first += 32)
      run_block<Op, D>(a, first, op, Source<S>(a.source[I], first & a.blocks[I])...);
  }
  template <std::size_t... I>
  [[gnu::flatten]] static void run_masked(const KernelArguments& arguments, std::index_sequence<I...>) {
    const KernelArguments a = arguments;
    const Op op = make_functor<Op>(a);
    for (u32 first = 0; first < a.lanes; first += 32)
      if (u32 mask = a.masks[first / 32])
        run_block_masked<Op, D>(a, first, mask, op, Source<S>(a.source[I], first & a.blocks[I])...);
  }
};
template <class Op, class D0, class D1, class... S> struct Loop<Op, Results<D0, D1>, S...> {
  static constexpr u8 destinations = 2;
  static constexpr u8 bits0 = Storage<D0>::bits, bits1 = Storage<D1>::bits;
  static constexpr bool signed0 = Storage<D0>::is_signed, signed1 = Storage<D1>::is_signed;
  template <std::size_t... I>
  [[gnu::flatten]] static void run(const KernelArguments& arguments, std::index_sequence<I...>) {
    const KernelArguments a = arguments;
    const Op op = make_functor<Op>(a);
    if (a.lanes == 1) {
      auto results = op.apply(Source<S>(a.source[I], 0)[0]...);
      Sink<D0>(a.destination[0], 0).single(results.first);
      Sink<D1>(a.destination[1], 0).single(results.second);
      return;
    }
    for (u32 first = 0; first < a.lanes; first += 32)
      run_two<Op, D0, D1>(a, first, op, Source<S>(a.source[I], first & a.blocks[I])...);
  }
};
// Not inlined: what wraps a loop (rounding modes, .sat, comparisons of chunks) shares it with the plain form.
template <class Op, class D, class... S> [[gnu::noinline]] void run_loop(const KernelArguments& a) {
  Loop<Op, D, S...>::run(a, std::index_sequence_for<S...>{});
}

template <class Op, class D, class... S> void run_masked_loop(const KernelArguments& a) {
  Loop<Op, D, S...>::run_masked(a, std::index_sequence_for<S...>{});
}

// The kernel that applies Op: results D (or Results<D0, D1>), sources S in order. `function` differs from the
// plain loop where something wraps it.
template <class D, class... S>
constexpr Kernel describe(KernelFunction function, KernelFunction masked = nullptr) {
  using L = Loop<void, D, S...>;
  return {function,
          masked,
          L::destinations,
          sizeof...(S),
          {L::bits0, L::bits1},
          {L::signed0, L::signed1},
          {Storage<S>::bits...},
          {}};
}
// Whether there is a loop under masks, too: for plain numbers; the loops of other types are long and seldom
// used.
template <class T> inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_same_v<T, Predicate>;
template <class Op, class D, class... S> constexpr KernelFunction masked_loop() {
  if constexpr (is_plain<D> && (is_plain<S> && ...))
    return &run_masked_loop<Op, D, S...>;
  else
    return nullptr;
}
template <class Op, class D, class... S>
inline constexpr Kernel kernel_constant = describe<D, S...>(&run_loop<Op, D, S...>,
                                                            masked_loop<Op, D, S...>());
template <class Op, class D, class... S> const Kernel* kernel() { return &kernel_constant<Op, D, S...>; }

// Runs a loop in the rounding mode of the form. Only the loop's own memory traffic orders it against the mode
// switch.
inline u32 rounding_bits(ir::Rounding rounding) { // of MXCSR
  switch (rounding) {
  case ir::Rounding::down: return 0x2000;
  case ir::Rounding::up: return 0x4000;
  case ir::Rounding::zero: return 0x6000;
  default: return 0;
  }
}
[[gnu::noinline]] inline void run_in_mode(const KernelArguments& a, KernelFunction loop) {
  u32 saved = _mm_getcsr();
  _mm_setcsr((saved & ~0x6000u) | rounding_bits(a.variant.rounding));
  asm volatile("" ::: "memory");
  loop(a);
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
}
template <class Op, class D, class... S> void run_rounded(const KernelArguments& a) {
  run_in_mode(a, &run_loop<Op, D, S...>);
}
template <class Op, class D, class... S>
inline constexpr Kernel rounded_constant = describe<D, S...>(&run_rounded<Op, D, S...>);
inline bool is_nearest(ir::Rounding r) { return r == ir::Rounding::none || r == ir::Rounding::nearest_even; }
inline bool is_ieee(ir::Rounding r) {
  return is_nearest(r) || r == ir::Rounding::down || r == ir::Rounding::up || r == ir::Rounding::zero;
}
template <class Op, class D, class... S> const Kernel* rounded_kernel(ir::Rounding rounding) {
  if (is_nearest(rounding)) return kernel<Op, D, S...>();
  return is_ieee(rounding) ? &rounded_constant<Op, D, S...> : nullptr;
}

// Calls f.operator()<T>() for the C++ type of an integer type; null for any other.
template <class F> const Kernel* with_integer(ir::Type type, F f) {
  switch (type) {
  case ir::Type::u16: return f.template operator()<u16>();
  case ir::Type::u32: return f.template operator()<u32>();
  case ir::Type::u64: return f.template operator()<u64>();
  case ir::Type::s16: return f.template operator()<i16>();
  case ir::Type::s32: return f.template operator()<i32>();
  case ir::Type::s64: return f.template operator()<i64>();
  default: return nullptr;
  }
}
// Likewise by width alone, unsigned.
template <class F> const Kernel* with_bits(ir::Type type, F f) {
  switch (type) {
  case ir::Type::b16:
  case ir::Type::u16:
  case ir::Type::s16:
  case ir::Type::f16:
  case ir::Type::bf16: return f.template operator()<u16>();
  case ir::Type::b32:
  case ir::Type::u32:
  case ir::Type::s32:
  case ir::Type::f32: return f.template operator()<u32>();
  case ir::Type::b64:
  case ir::Type::u64:
  case ir::Type::s64:
  case ir::Type::f64: return f.template operator()<u64>();
  default: return nullptr;
  }
}
// Calls f.operator()<B>() with a flag as a compile-time constant.
template <class F> const Kernel* with_flag(bool flag, F f) {
  return flag ? f.template operator()<true>() : f.template operator()<false>();
}

// The families, one per file; null where the family has no such form.
const Kernel* find_integer(const Request&);
const Kernel* find_bits(const Request&);
const Kernel* find_compare(const Request&);
const Kernel* find_floating(const Request&);
const Kernel* find_half(const Request&);
const Kernel* find_convert_integer(const Request&);
const Kernel* find_convert_float(const Request&);
const Kernel* find_video(const Request&);

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
