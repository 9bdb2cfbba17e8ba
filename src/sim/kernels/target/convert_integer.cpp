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

const Kernel* between_integers(const Request& r) {
  bool clamp = has(r, Modifier::sat);
  return with_any_integer(r.type[0], [&]<class DTag, class D>() {
    return with_any_integer(r.type[1], [&]<class STag, class S>() {
      return clamp ? kernel<ClampTo<D>, DTag, STag>() : kernel<ResizeTo<D>, DTag, STag>();
    });
  });
}

template <Integral Mode> const Kernel* round_to_integer(const Request& r) {
  return with_any_integer(r.type[0], [&]<class DTag, class D>() -> const Kernel* {
    bool ftz = has(r, Modifier::ftz);
    switch (r.type[1]) {
    case Type::f64: return kernel<sem::ToInteger<Mode, false, D>, DTag, double>();
    case Type::f32:
      return ftz ? kernel<sem::ToInteger<Mode, true, D>, DTag, float>()
                 : kernel<sem::ToInteger<Mode, false, D>, DTag, float>();
    case Type::f16:
      return ftz ? kernel<sem::ToInteger<Mode, true, D>, DTag, sem::F16>()
                 : kernel<sem::ToInteger<Mode, false, D>, DTag, sem::F16>();
    case Type::bf16: return kernel<sem::ToInteger<Mode, false, D>, DTag, sem::BF16>();
    default: return nullptr;
    }
  });
}
const Kernel* from_float(const Request& r) {
  switch (r.rounding) {
  case Rounding::integer_nearest: return round_to_integer<Integral::nearest>(r);
  case Rounding::integer_zero: return round_to_integer<Integral::zero>(r);
  case Rounding::integer_down: return round_to_integer<Integral::down>(r);
  case Rounding::integer_up: return round_to_integer<Integral::up>(r);
  default: return nullptr;
  }
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
