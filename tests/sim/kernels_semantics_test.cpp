// Hand-written vectors for instructions whose meaning is easy to get wrong, from the PTX ISA's descriptions.
#include "sim/kernels_testing.h"
#include <limits>

namespace warplens::sim::testing {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr u64 nan32 = 0x7fffffff, nan64 = 0xfff8000000000000;

TEST(KernelSemantics, IntegerArithmeticWraps) {
  EXPECT_EQ(value_of("add.s32", {0x7fffffff, 1}), 0x80000000u);
  EXPECT_EQ(value_of("add.sat.s32", {0x7fffffff, 1}), 0x7fffffffu);
  EXPECT_EQ(value_of("sub.sat.s32", {0x80000000, 1}), 0x80000000u);
  EXPECT_EQ(value_of("mul.lo.u16", {0xffff, 0xffff}), 1u);
  EXPECT_EQ(value_of("mul.hi.s32", {0xffffffff, 1}), 0xffffffffu);
  EXPECT_EQ(value_of("mul.wide.s16", {0xffff, 2}), 0xfffffffeu);
  EXPECT_EQ(value_of("mul.hi.u64", {~0ull, ~0ull}), ~1ull);
  EXPECT_EQ(value_of("mad.hi.sat.s32", {0x40000000, 4, 0x7fffffff}), 0x7fffffffu);
  EXPECT_EQ(value_of("mad.wide.u32", {0xffffffff, 0xffffffff, 1}), 0xfffffffe00000002ull);
  EXPECT_EQ(value_of("mul24.lo.s32", {0x00ffffff, 2}), 0xfffffffeu);
  EXPECT_EQ(value_of("mul24.hi.u32", {0xffffff, 0xffffff}), 0xfffffe00u);
  EXPECT_EQ(value_of("add.u16x2", {0xffff0001, 0x00010001}), 0x00000002u);
  EXPECT_EQ(value_of("sad.u32", {3, 10, 5}), 12u);
  EXPECT_EQ(value_of("abs.s32", {0x80000000}), 0x80000000u);
}

TEST(KernelSemantics, DivisionNeverTraps) {
  EXPECT_EQ(value_of("div.s32", {0x80000000, 0xffffffff}), 0x80000000u);
  EXPECT_EQ(value_of("div.s64", {u64{1} << 63, ~0ull}), u64{1} << 63);
  EXPECT_EQ(value_of("div.u32", {7, 0}), 0xffffffffu);
  EXPECT_EQ(value_of("rem.u64", {7, 0}), ~0ull);
  EXPECT_EQ(value_of("rem.s32", {static_cast<u32>(-7), 3}), static_cast<u32>(-1));
  EXPECT_EQ(value_of("div.u32", {0xffffffff, 0xfffffffe}), 1u);
  EXPECT_EQ(value_of("div.s16", {0x8000, 0xffff}), 0x8000u);
}

TEST(KernelSemantics, CarriesChain) {
  EXPECT_EQ(evaluate("add.cc.u32", {0xffffffff, 1}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("addc.u32", {0xffffffff, 0, 1}), (Values{0}));
  EXPECT_EQ(evaluate("addc.cc.u32", {0xffffffff, 0, 1}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("addc.cc.s64", {~0ull, ~0ull, 1}, 2), (Values{~0ull, 1}));
  EXPECT_EQ(evaluate("sub.cc.u32", {0, 1}, 2), (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("sub.cc.u32", {1, 1}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("subc.cc.u32", {0, 0, 0}, 2), (Values{0xffffffff, 0}));
  EXPECT_EQ(evaluate("subc.cc.s64", {0, 0, 1}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("subc.u32", {5, 2, 0}), (Values{2}));
  EXPECT_EQ(evaluate("mad.lo.cc.u32", {0xffffffff, 2, 2}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("madc.hi.u32", {0xffffffff, 2, 0, 1}), (Values{2}));
  EXPECT_EQ(evaluate("madc.hi.cc.u32", {0xffffffff, 2, 0xfffffffe, 1}, 2), (Values{0, 1}));
}

TEST(KernelSemantics, ShiftsClamp) {
  EXPECT_EQ(value_of("shl.b32", {1, 32}), 0u);
  EXPECT_EQ(value_of("shr.s32", {0x80000000, 100}), 0xffffffffu);
  EXPECT_EQ(value_of("shr.u64", {~0ull, 64}), 0u);
  EXPECT_EQ(value_of("shr.s16", {0x8000, 3}), 0xf000u);
  EXPECT_EQ(value_of("shl.b64", {1, 0xffffffff}), 0u);
  EXPECT_EQ(value_of("shf.l.wrap.b32", {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(value_of("shf.l.clamp.b32", {0x80000000, 1, 33}), 0x80000000u);
  EXPECT_EQ(value_of("shf.r.clamp.b32", {0x80000000, 1, 40}), 1u);
  EXPECT_EQ(value_of("shf.r.wrap.b32", {0x80000000, 1, 31}), 3u);
}

TEST(KernelSemantics, BitFields) {
  EXPECT_EQ(value_of("bfe.s32", {0x80, 4, 4}), 0xfffffff8u);
  EXPECT_EQ(value_of("bfe.u32", {0xf0, 4, 8}), 0xfu);
  EXPECT_EQ(value_of("bfe.s32", {0x80000000, 30, 8}), 0xfffffffeu);
  EXPECT_EQ(value_of("bfe.s32", {0x80000000, 40, 8}), 0xffffffffu);
  EXPECT_EQ(value_of("bfe.u64", {~0ull, 0, 64}), ~0ull);
  EXPECT_EQ(value_of("bfe.s64", {~0ull, 3, 0}), 0u);
  EXPECT_EQ(value_of("bfi.b32", {0xff, 0, 4, 4}), 0xf0u);
  EXPECT_EQ(value_of("bfi.b32", {0xff, 0xabcdef01, 32, 4}), 0xabcdef01u);
  EXPECT_EQ(value_of("bfi.b64", {~0ull, 0, 60, 100}), 0xf000000000000000ull);
  EXPECT_EQ(value_of("bfind.u32", {0}), 0xffffffffu);
  EXPECT_EQ(value_of("bfind.s32", {0xfffffffe}), 0u);
  EXPECT_EQ(value_of("bfind.shiftamt.u32", {1}), 31u);
  EXPECT_EQ(value_of("bfind.u64", {u64{1} << 40}), 40u);
  EXPECT_EQ(value_of("clz.b64", {0}), 64u);
  EXPECT_EQ(value_of("popc.b64", {~0ull}), 64u);
  EXPECT_EQ(value_of("brev.b32", {1}), 0x80000000u);
  EXPECT_EQ(value_of("bmsk.clamp.b32", {4, 8}), 0xff0u);
  EXPECT_EQ(value_of("bmsk.clamp.b32", {40, 8}), 0u);
  EXPECT_EQ(value_of("bmsk.wrap.b32", {36, 33}), 0x10u);
  EXPECT_EQ(value_of("szext.clamp.s32", {0x80, 8}), 0xffffff80u);
  EXPECT_EQ(value_of("szext.wrap.u32", {0xff, 36}), 0xfu);
  EXPECT_EQ(value_of("fns.b32", {0xaa, 0, 2}), 3u);
  EXPECT_EQ(value_of("fns.b32", {0xaa, 7, static_cast<u32>(-2)}), 5u);
  EXPECT_EQ(value_of("fns.b32", {0xaa, 2, 0}), 0xffffffffu);
  EXPECT_EQ(value_of("lop3.b32", {0xf0f0, 0xcccc, 0xaaaa, 0x1b}) & 0xff,
            0x1bu); // these sources spell the table
  EXPECT_EQ(value_of("cnot.b16", {0}), 1u);
}

TEST(KernelSemantics, Permutations) {
  EXPECT_EQ(value_of("prmt.b32", {0x33221100, 0x77665544, 0x7531}), 0x77553311u);
  EXPECT_EQ(value_of("prmt.b32", {0x00008000, 0, 0x9999}), 0xffffffffu);
  EXPECT_EQ(value_of("prmt.f4e.b32", {0x33221100, 0x77665544, 1}), 0x44332211u);
  EXPECT_EQ(value_of("prmt.b4e.b32", {0x33221100, 0x77665544, 1}), 0x66770011u);
  EXPECT_EQ(value_of("prmt.rc8.b32", {0x33221100, 0x77665544, 2}), 0x22222222u);
  EXPECT_EQ(value_of("prmt.ecl.b32", {0x33221100, 0x77665544, 2}), 0x33222222u);
  EXPECT_EQ(value_of("prmt.ecr.b32", {0x33221100, 0x77665544, 1}), 0x11111100u);
  EXPECT_EQ(value_of("prmt.rc16.b32", {0x33221100, 0x77665544, 1}), 0x33223322u);
}

TEST(KernelSemantics, FloatSpecialValues) {
  EXPECT_EQ(value_of("add.f32", {f(infinity), f(-infinity)}), nan32);
  EXPECT_EQ(value_of("add.f64", {d(infinity), d(-infinity)}), nan64);
  EXPECT_EQ(value_of("mul.ftz.f32", {1, f(1.0f)}), 0u);
  EXPECT_EQ(value_of("mul.ftz.f32", {0x80000001, f(1.0f)}), 0x80000000u);
  EXPECT_EQ(value_of("add.sat.f32", {f(3.0f), f(1.0f)}), f(1.0f));
  EXPECT_EQ(value_of("add.sat.f32", {nan32, f(1.0f)}), 0u);
  EXPECT_EQ(value_of("min.f32", {nan32, f(1.0f)}), f(1.0f));
  EXPECT_EQ(value_of("min.NaN.f32", {nan32, f(1.0f)}), nan32);
  EXPECT_EQ(value_of("min.f32", {f(0.0f), f(-0.0f)}), f(-0.0f));
  EXPECT_EQ(value_of("max.f32", {f(-0.0f), f(0.0f)}), f(0.0f));
  EXPECT_EQ(value_of("max.xorsign.abs.f32", {f(-3.0f), f(2.0f)}), f(-3.0f));
  EXPECT_EQ(value_of("fma.rn.f32", {f(1 + 0x1p-23f), f(1 - 0x1p-23f), f(-1.0f)}), f(-0x1p-46f));
  EXPECT_EQ(value_of("add.rz.f32", {f(1.0f), f(-0x1p-40f)}), f(1 - 0x1p-24f));
  EXPECT_EQ(value_of("add.rp.f32", {f(1.0f), f(0x1p-40f)}), f(1 + 0x1p-23f));
  EXPECT_EQ(value_of("copysign.f32", {f(-1.0f), f(2.0f)}), f(-2.0f));
  EXPECT_EQ(value_of("testp.subnormal.f32", {1}), 1u);
  EXPECT_EQ(value_of("rcp.rn.f32", {f(-0.0f)}), f(-infinity));
  EXPECT_EQ(value_of("ex2.approx.f32", {f(10.0f)}), f(1024.0f));
  EXPECT_EQ(value_of("ex2.approx.f32", {f(-infinity)}), 0u);
  EXPECT_EQ(value_of("lg2.approx.f32", {f(1024.0f)}), f(10.0f));
  EXPECT_EQ(value_of("lg2.approx.f32", {f(0.0f)}), f(-infinity));
  EXPECT_EQ(value_of("div.approx.f32", {f(1.0f), f(0x1.8p126f)}), 0u);
}

TEST(KernelSemantics, Comparisons) {
  EXPECT_EQ(value_of("setp.lt.s32", {0xffffffff, 0}), 1u);
  EXPECT_EQ(value_of("setp.lt.u32", {0xffffffff, 0}), 0u);
  EXPECT_EQ(value_of("setp.leu.f32", {nan32, 0}), 1u);
  EXPECT_EQ(value_of("setp.ne.f32", {nan32, 0}), 0u);
  EXPECT_EQ(value_of("setp.neu.f32", {nan32, 0}), 1u);
  EXPECT_EQ(value_of("setp.num.f32", {f(1), f(2)}), 1u);
  EXPECT_EQ(value_of("setp.eq.ftz.f32", {1, 0}), 1u);
  EXPECT_EQ(evaluate("setp.lt.s32", {1, 2}, 2), (Values{1, 0}));
  EXPECT_EQ(evaluate("setp.lt.and.s32", {1, 2, 0}, 2), (Values{0, 0}));
  EXPECT_EQ(evaluate("setp.lt.xor.s32", {1, 2, 1}, 2), (Values{0, 1}));
  EXPECT_EQ(evaluate("setp.gt.f16x2", {0x3c004000, 0x40003c00}, 2), (Values{1, 0}));
  EXPECT_EQ(value_of("set.lt.u32.f32", {f(1), f(2)}), 0xffffffffu);
  EXPECT_EQ(value_of("set.lt.f32.s32", {1, 2}), f(1.0f));
  EXPECT_EQ(value_of("set.eq.f16.f16", {0x3c00, 0x3c00}), 0x3c00u);
  EXPECT_EQ(value_of("set.eq.and.u32.s32", {1, 1, 0}), 0u);
  EXPECT_EQ(value_of("selp.b64", {7, 9, 0}), 9u);
  EXPECT_EQ(value_of("slct.f32.s32", {1, 2, 0xffffffff}), 2u);
  EXPECT_EQ(value_of("slct.u64.f32", {1, 2, f(-0.0f)}), 1u);
  EXPECT_EQ(value_of("and.pred", {1, 0}), 0u);
  EXPECT_EQ(value_of("not.pred", {1}), 0u);
}

TEST(KernelSemantics, Conversions) {
  EXPECT_EQ(value_of("cvt.rzi.s32.f32", {f(-1.9f)}), 0xffffffffu);
  EXPECT_EQ(value_of("cvt.rzi.s32.f32", {f(3e9f)}), 0x7fffffffu);
  EXPECT_EQ(value_of("cvt.rzi.s32.f32", {nan32}), 0u);
  EXPECT_EQ(value_of("cvt.rzi.u32.f32", {f(-5.0f)}), 0u);
  EXPECT_EQ(value_of("cvt.rzi.u32.f32", {f(4294967040.0f)}), 4294967040u);
  EXPECT_EQ(value_of("cvt.rni.s32.f32", {f(2.5f)}), 2u);
  EXPECT_EQ(value_of("cvt.rmi.s32.f32", {f(-0.25f)}), 0xffffffffu);
  EXPECT_EQ(value_of("cvt.rpi.ftz.s32.f32", {1}), 0u);
  EXPECT_EQ(value_of("cvt.rzi.s64.f64", {nan64}), u64{1} << 63);
  EXPECT_EQ(value_of("cvt.rmi.f32.f32", {f(-0.5f)}), f(-1.0f));
  EXPECT_EQ(value_of("cvt.rpi.f64.f64", {d(-0.5)}), d(-0.0));
  EXPECT_EQ(value_of("cvt.rn.f32.s32", {16777217}), f(16777216.0f));
  EXPECT_EQ(value_of("cvt.rp.f32.u32", {16777217}), f(16777218.0f));
  EXPECT_EQ(value_of("cvt.sat.f32.f32", {f(-3.0f)}), 0u);
  EXPECT_EQ(value_of("cvt.s32.s8", {0x80}), 0xffffff80u);
  EXPECT_EQ(value_of("cvt.u32.s8", {0x80}), 0xffffff80u);
  EXPECT_EQ(value_of("cvt.u64.s32", {0xffffffff}), ~0ull);
  EXPECT_EQ(value_of("cvt.s8.s32", {0x80}), 0xff80u); // an 8-bit result is kept extended
  EXPECT_EQ(value_of("cvt.sat.u8.s32", {static_cast<u32>(-4)}), 0u);
  EXPECT_EQ(value_of("cvt.sat.s16.u32", {0xffffffff}), 0x7fffu);
  EXPECT_EQ(value_of("cvt.rn.f16.f32", {f(65520.0f)}), 0x7c00u);
  EXPECT_EQ(value_of("cvt.rz.f16.f32", {f(65520.0f)}), 0x7bffu);
  EXPECT_EQ(value_of("cvt.rn.bf16.f32", {f(1.00390625f)}), 0x3f80u);
  EXPECT_EQ(value_of("cvt.rn.f16x2.f32", {f(1.0f), f(2.0f)}), 0x3c004000u);
  EXPECT_EQ(value_of("cvt.rn.relu.f16x2.f32", {f(-1.0f), f(2.0f)}), 0x00004000u);
  EXPECT_EQ(value_of("cvt.rn.satfinite.e4m3x2.f32", {f(1000.0f), f(-1.0f)}), 0x7eb8u);
  EXPECT_EQ(value_of("cvt.rn.satfinite.e5m2x2.f32", {f(1e6f), f(1.0f)}), 0x7b3cu);
  EXPECT_EQ(value_of("cvt.rn.f16x2.e4m3x2", {0x7eb8}), 0x5f00bc00u);
  EXPECT_EQ(value_of("cvt.rn.f16x2.e5m2x2", {0x7b3c}), 0x7b003c00u);
  EXPECT_EQ(value_of("cvt.rna.tf32.f32", {f(1.0f + 0x1p-11f)}), f(1.0f + 0x1p-10f));
}

} // namespace
} // namespace warplens::sim::testing
