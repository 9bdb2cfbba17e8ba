// Kernels of the video instructions. Compilers emit them rarely, so they exist for one target only, which
// keeps their many combinations of types out of the other two builds.
#include "sem/video.h"
#include "sim/kernels/target/lanes.h"

namespace warplens::sim {
namespace WARPLENS_TARGET_NAMESPACE {
namespace {

using ir::Comparison;
using ir::Modifier;
using ir::Opcode;
using ir::Type;
using sem::VideoRelation, sem::VideoSecond;

VideoSecond second_operation(const Request& r) {
  if (has(r, Modifier::add)) return VideoSecond::add;
  if (has(r, Modifier::min)) return VideoSecond::min;
  return has(r, Modifier::max) ? VideoSecond::max : VideoSecond::none;
}

// Calls f.operator()<A, B>() with the signs of the two sources.
template <class Signed, class Unsigned, class F> const Kernel* with_sources(Type a, Type b, F f) {
  if (a == Type::s32)
    return b == Type::s32 ? f.template operator()<Signed, Signed>()
                          : f.template operator()<Signed, Unsigned>();
  return b == Type::s32 ? f.template operator()<Unsigned, Signed>()
                        : f.template operator()<Unsigned, Unsigned>();
}

template <class Op, class D, bool Sat> const Kernel* scalar(const Request& r, Type a, Type b) {
  return with_sources<i32, u32>(a, b, [&]<class A, class B>() -> const Kernel* {
    bool three = r.sources == 3;
    switch (second_operation(r)) {
    case VideoSecond::none:
      return three ? nullptr : kernel<sem::VideoScalar<Op, D, A, B, Sat, VideoSecond::none>, u32, u32, u32>();
    case VideoSecond::add:
      return kernel<sem::VideoScalar<Op, D, A, B, Sat, VideoSecond::add>, u32, u32, u32, u32>();
    case VideoSecond::min:
      return kernel<sem::VideoScalar<Op, D, A, B, Sat, VideoSecond::min>, u32, u32, u32, u32>();
    case VideoSecond::max:
      return kernel<sem::VideoScalar<Op, D, A, B, Sat, VideoSecond::max>, u32, u32, u32, u32>();
    }
    return nullptr;
  });
}
template <class Op> const Kernel* scalar(const Request& r) {
  bool sat = has(r, Modifier::sat);
  if (r.type[0] == Type::s32)
    return sat ? scalar<Op, i32, true>(r, r.type[1], r.type[2])
               : scalar<Op, i32, false>(r, r.type[1], r.type[2]);
  return sat ? scalar<Op, u32, true>(r, r.type[1], r.type[2])
             : scalar<Op, u32, false>(r, r.type[1], r.type[2]);
}

template <class Op, class D, class S, class U> const Kernel* simd(const Request& r, Type a, Type b) {
  return with_sources<S, U>(a, b, [&]<class A, class B>() -> const Kernel* {
    if (has(r, Modifier::add)) return kernel<sem::VideoSimd<Op, D, A, B, false, true>, u32, u32, u32, u32>();
    if (has(r, Modifier::sat)) return kernel<sem::VideoSimd<Op, D, A, B, true, false>, u32, u32, u32, u32>();
    return kernel<sem::VideoSimd<Op, D, A, B, false, false>, u32, u32, u32, u32>();
  });
}
template <class Op, class S, class U> const Kernel* simd(const Request& r) {
  return r.type[0] == Type::s32 ? simd<Op, S, S, U>(r, r.type[1], r.type[2])
                                : simd<Op, U, S, U>(r, r.type[1], r.type[2]);
}
template <class Op> const Kernel* halves(const Request& r) { return simd<Op, i16, u16>(r); }
template <class Op> const Kernel* bytes(const Request& r) { return simd<Op, i8, u8>(r); }

template <class F> const Kernel* with_relation(Comparison c, F f) {
  switch (c) {
  case Comparison::eq: return f.template operator()<VideoRelation::eq>();
  case Comparison::ne: return f.template operator()<VideoRelation::ne>();
  case Comparison::lt: return f.template operator()<VideoRelation::lt>();
  case Comparison::le: return f.template operator()<VideoRelation::le>();
  case Comparison::gt: return f.template operator()<VideoRelation::gt>();
  case Comparison::ge: return f.template operator()<VideoRelation::ge>();
  default: return nullptr;
  }
}
// vset.a.b has no result type: 0 or 1, or a sum of those.
const Kernel* set(const Request& r) {
  return with_relation(r.comparison, [&]<VideoRelation R>() -> const Kernel* {
    using Op = sem::VideoSet<R>;
    if (r.opcode == Opcode::vset) return scalar<Op, u32, false>(r, r.type[0], r.type[1]);
    if (r.opcode == Opcode::vset2) return simd<Op, u16, i16, u16>(r, r.type[0], r.type[1]);
    return simd<Op, u8, i8, u8>(r, r.type[0], r.type[1]);
  });
}

template <u32 Scale> const Kernel* multiply_add(const Request& r) {
  return with_sources<i32, u32>(r.type[1], r.type[2], [&]<class A, class B>() {
    return with_flag(has(r, Modifier::po), [&]<bool PlusOne>() {
      return with_flag(has(r, Modifier::sat), []<bool Sat>() {
        return kernel<sem::VideoMad<A, B, Scale, PlusOne, Sat>, u32, u32, u32, u32>();
      });
    });
  });
}
const Kernel* multiply_add(const Request& r) {
  if (has(r, Modifier::shr7)) return multiply_add<7>(r);
  return has(r, Modifier::shr15) ? multiply_add<15>(r) : multiply_add<0>(r);
}

} // namespace

const Kernel* find_video(const Request& r) {
  bool wrap = has(r, Modifier::wrap);
  switch (r.opcode) {
  case Opcode::vadd: return scalar<sem::VideoAdd>(r);
  case Opcode::vsub: return scalar<sem::VideoSub>(r);
  case Opcode::vabsdiff: return scalar<sem::VideoAbsDiff>(r);
  case Opcode::vmin: return scalar<sem::VideoMin>(r);
  case Opcode::vmax: return scalar<sem::VideoMax>(r);
  case Opcode::vshl: return wrap ? scalar<sem::VideoShl<true>>(r) : scalar<sem::VideoShl<false>>(r);
  case Opcode::vshr: return wrap ? scalar<sem::VideoShr<true>>(r) : scalar<sem::VideoShr<false>>(r);
  case Opcode::vmad: return multiply_add(r);
  case Opcode::vset:
  case Opcode::vset2:
  case Opcode::vset4: return set(r);
  case Opcode::vadd2: return halves<sem::VideoAdd>(r);
  case Opcode::vsub2: return halves<sem::VideoSub>(r);
  case Opcode::vavrg2: return halves<sem::VideoAverage>(r);
  case Opcode::vabsdiff2: return halves<sem::VideoAbsDiff>(r);
  case Opcode::vmin2: return halves<sem::VideoMin>(r);
  case Opcode::vmax2: return halves<sem::VideoMax>(r);
  case Opcode::vadd4: return bytes<sem::VideoAdd>(r);
  case Opcode::vsub4: return bytes<sem::VideoSub>(r);
  case Opcode::vavrg4: return bytes<sem::VideoAverage>(r);
  case Opcode::vabsdiff4: return bytes<sem::VideoAbsDiff>(r);
  case Opcode::vmin4: return bytes<sem::VideoMin>(r);
  case Opcode::vmax4: return bytes<sem::VideoMax>(r);
  default: return nullptr;
  }
}

} // namespace WARPLENS_TARGET_NAMESPACE
} // namespace warplens::sim
