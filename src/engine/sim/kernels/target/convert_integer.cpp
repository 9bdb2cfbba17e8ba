// Kernels of cvt where the destination is an integer, and of cvt.pack.
#include "sem/convert.h"
#include "sim/kernels/target/convert.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Modifier;
using ir::Rounding;
using ir::Type;
using sem::Integral;

// Adapters: the sem functors name their destination type explicitly.
template <class D> struct ResizeTo {
  template <class S> static D apply(S x) { return sem::Resize::apply<D>(x); }
};
template <class D> struct ClampTo {
  template <class S> static D apply(S x) { return sem::ResizeSat::apply<D>(x); }
};

// Types whose lanes are the same bits share a loop: results of 16 bits and more of either sign, and sources of
// either sign that are not widened.
template <class Tag, class T> struct SameBits { using Of = sem::Unsigned<T>; };
template <class E> struct SameBits<Byte<E>, E> { using Of = Byte<E>; };
template <class D, class STag, class S> struct SourceBits { using Of = STag; };
template <class D, class STag, class S>
requires(sizeof(D) <= sizeof(S)) struct SourceBits<D, STag, S> {
  using Of = std::conditional_t<sizeof(S) == 1, Byte<u8>, sem::Unsigned<S>>;
};
template <class DTag, class D, class STag, class S> const Kernel* resize() {
  using To = typename SameBits<DTag, D>::Of;
  using From = typename SourceBits<D, STag, S>::Of;
  using Op = ResizeTo<std::conditional_t<sizeof(D) == 1, D, sem::Unsigned<D>>>;
  static constexpr Kernel described =
      describe<DTag, STag>(&run_loop<Op, To, From>, masked_loop<Op, To, From>());
  return &described;
}

// Whether every S is a D.
template <class D, class S>
inline constexpr bool holds = sem::is_signed_integer<D> == sem::is_signed_integer<S>
                                  ? sizeof(D) >= sizeof(S)
                                  : sem::is_signed_integer<D> && sizeof(D) > sizeof(S);
const Kernel* between_integers(const Request& r) {
  bool clamp = has(r, Modifier::sat);
  return with_any_integer(r.type[0], [&]<class DTag, class D>() {
    return with_any_integer(r.type[1], [&]<class STag, class S>() {
      if constexpr (!holds<D, S>)
        if (clamp) return kernel<ClampTo<D>, DTag, STag>();
      return resize<DTag, D, STag, S>();
    });
  });
}

// .rmi and .rpi
template <class D> struct Directed : sem::ToIntegerDirected<D> {
  explicit Directed(const Variant& v)
      : sem::ToIntegerDirected<D>(v.rounding == Rounding::integer_up, v.ftz) {}
};
template <class Op, class DTag> const Kernel* from_type(Type type) {
  switch (type) {
  case Type::f64: return kernel<Op, DTag, double>();
  case Type::f32: return kernel<Op, DTag, float>();
  case Type::f16: return from_half<F16, &run_loop<Op, DTag, float>, DTag>();
  case Type::bf16: return from_half<BF16, &run_loop<Op, DTag, float>, DTag>();
  default: return nullptr;
  }
}
const Kernel* from_float(const Request& r) {
  return with_any_integer(r.type[0], [&]<class DTag, class D>() -> const Kernel* {
    switch (r.rounding) {
    case Rounding::integer_nearest: return from_type<sem::ToInteger<Integral::nearest, D>, DTag>(r.type[1]);
    case Rounding::integer_zero: return from_type<sem::ToInteger<Integral::zero, D>, DTag>(r.type[1]);
    case Rounding::integer_down:
    case Rounding::integer_up: return from_type<Directed<D>, DTag>(r.type[1]);
    default: return nullptr;
    }
  });
}

template <class S> const Kernel* pack_from(const Request& r) {
  bool three = r.sources == 3;
  switch (r.type[0]) {
  case Type::s16: return three ? nullptr : kernel<sem::PackSat<i16>, u32, S, S>();
  case Type::u16: return three ? nullptr : kernel<sem::PackSat<u16>, u32, S, S>();
  case Type::s8: return three ? kernel<sem::PackSat<i8>, u32, S, S, u32>() : nullptr;
  case Type::u8: return three ? kernel<sem::PackSat<u8>, u32, S, S, u32>() : nullptr;
  case Type::s4: return three ? kernel<sem::PackSatNibbles<true>, u32, S, S, u32>() : nullptr;
  case Type::u4: return three ? kernel<sem::PackSatNibbles<false>, u32, S, S, u32>() : nullptr;
  default: return nullptr;
  }
}

} // namespace

const Kernel* find_convert_integer(const Request& r) {
  if (has(r, Modifier::pack)) return pack_from<i32>(r);
  return is_float_type(r.type[1]) ? from_float(r) : between_integers(r);
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
