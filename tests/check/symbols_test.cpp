// What symbols are called is what they are, and what follows from them is decided: sizes of blocks, strides with all of their
// parts, tables by one number, rotations, swizzles, fragments of matrices. Kernels are written by hand; every one is also run,
// and every warp held against what is said (comparison.h).
#include "arch/table.h"
#include "check/comparison.h"

namespace warplens::check {
namespace {

using namespace check_testing;

// tile[%r3], or a[%r3] in global memory; n is %r8, m is %r9.
std::string kernel(const std::string& body, u32 bytes = 4, bool shared = true) {
  const std::string type = bytes == 8 ? "f64" : bytes == 1 ? "u8" : "b32", to = bytes == 8 ? "%d1" : "%r4";
  const std::string access = shared ? "mad.lo.u32 %r5, %r3, " + std::to_string(bytes) + ", %r7;\nld.shared." +
                                          type + " " + to + ", [%r5];\n"
                                    : "mul.wide.s32 %rd3, %r3, " + std::to_string(bytes) +
                                          ";\nadd.s64 %rd4, %rd1, %rd3;\nld.global." + type + " " + to +
                                          ", [%rd4];\n";
  return ".version 8.3\n.target sm_80\n.address_size 64\n.shared .align 256 .b8 tile[40960];\n"
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)\n{\n"
         ".reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f64 %d<3>;\n"
         "ld.param.u64 %rd1, [a];\nld.param.u32 %r8, [n];\nld.param.u32 %r9, [m];\nmov.u32 %r7, tile;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n" +
         body + access + "ret;\n}\n";
}

// Of the one access, in blocks of which nothing is known unless `block` is; and every launch given is held against it.
Judgement judged(const std::string& ptx, std::vector<Launch> launches, std::optional<Dim3> block = {}) {
  static Bench bench;
  for (Launch launch : launches) {
    launch.block_known = block.has_value();
    const Outcome outcome = bench.run(ptx, launch, {}, {90});
    for (const std::string& wrong : outcome.wrong) ADD_FAILURE() << wrong << "\n" << ptx;
  }
  auto parsed = ptx::parse(ptx);
  if (!parsed) {
    ADD_FAILURE() << diag::render(parsed.error(), ptx);
    return {};
  }
  Options options;
  options.architectures = {arch::find(90)};
  options.block = block;
  std::vector<Judgement> all = warplens::check::check(parsed->module, options).judgements;
  return all.empty() ? Judgement{} : all.back();
}
std::vector<Launch> with_n(std::initializer_list<u32> numbers, Dim3 block = {64, 1, 1}, u32 m = 0) {
  std::vector<Launch> out;
  for (u32 n : numbers) out.push_back({.block = block, .n = n, .m = m});
  return out;
}
Interval wavefronts(const Judgement& j) { return j.costs.at(0).wavefronts; }
Interval sectors(const Judgement& j) { return j.costs.at(0).sectors; }
using Lines = std::vector<std::string>;

TEST(Symbols, SizesAreNotOneLess) {
  const std::string y = "mov.u32 %r6, %ntid.y;\nmul.lo.u32 %r3, %r1, %r6;\n";
  std::vector<Launch> heights;
  for (u32 height : {1, 2, 3, 7, 8, 16}) heights.push_back({.block = {32, height, 1}});
  EXPECT_EQ(
      tables_of(judged(kernel(y), heights)),
      Lines{"wavefronts by the largest power of two in blockDim.y: 1: 1, 2: 2, 4: 4, 8: 8, 16: 16, 32: 32"});
  EXPECT_EQ(
      tables_of(judged(kernel(y, 8), heights)),
      Lines{"wavefronts by the largest power of two in blockDim.y: 1: 2, 2: 4, 4: 8, 8: 16, 16: 32, 32: 32"});
  EXPECT_EQ(tables_of(judged(kernel(y, 4, false), heights)),
            Lines{"sectors by blockDim.y: 1: 4, 2: 8, 3: 12, 4: 16, 5: 20, 6: 24, 7: 28, 32 from 8 on"});
  std::vector<Launch> depths;
  for (u32 depth : {1, 2, 5}) depths.push_back({.block = {32, 1, depth}});
  EXPECT_EQ(tables_of(judged(kernel("mov.u32 %r6, %ntid.z;\nmul.lo.u32 %r3, %r1, %r6;\n", 4, false), depths))
                .at(0)
                .substr(0, 31),
            "sectors by blockDim.z: 1: 4, 2:");
  std::vector<Launch> grids;
  for (u32 blocks : {1, 2, 9}) grids.push_back({.block = {32, 1, 1}, .grid = {blocks, 1, 1}});
  EXPECT_EQ(tables_of(judged(kernel("mov.u32 %r6, %nctaid.x;\nmul.lo.u32 %r3, %r1, %r6;\n", 4, false), grids))
                .at(0)
                .substr(0, 30),
            "sectors by gridDim.x: 1: 4, 2:");
  // Rows as long as the block is wide.
  const Judgement rows =
      judged(kernel("mov.u32 %r6, %ntid.x;\nmul.lo.u32 %r3, %r1, %r6;\n"), with_n({0}, {32, 2, 1}));
  EXPECT_EQ(wavefronts(rows), (Interval{32, 32}));
  EXPECT_EQ(pattern_text(rows), "stride 128*(blockDim.x/32) bytes");
  EXPECT_EQ(tables_of(rows), Lines{});
}

// A warp's number is that along x, of a warp of several rows that along y.
TEST(Symbols, WarpsAreCountedAlongAnAxis) {
  EXPECT_NE(judged(kernel("mov.u32 %r3, %r1;\n", 4, false), {}, Dim3{64, 2, 1})
                .address.find("128*(threadIdx.x/32)"),
            std::string::npos);
  EXPECT_NE(
      judged(kernel("mov.u32 %r3, %r2;\n", 4, false), {}, Dim3{16, 16, 1}).address.find("8*(threadIdx.y/2)"),
      std::string::npos);
}

TEST(Symbols, BoundsAreThoseOfTheTable) {
  const std::string odd = "mad.lo.s32 %r6, %r8, 2, 1;\nmul.lo.s32 %r3, %r6, %r1;\n";
  Judgement j = judged(kernel(odd), with_n({0, 1, 2, 3, 7, 16, 31}));
  EXPECT_EQ(wavefronts(j), (Interval{1, 1}));
  EXPECT_EQ(j.verdict, Verdict::conflict_free);
  EXPECT_EQ(pattern_text(j), "stride (8*parameter 3 + 4) bytes");
  EXPECT_EQ(tables_of(j), Lines{});
  j = judged(kernel("mad.lo.s32 %r6, %r8, 4, 2;\nmul.lo.s32 %r3, %r6, %r1;\n"),
             with_n({0, 1, 2, 3, 7, 16, 31}));
  EXPECT_EQ(wavefronts(j), (Interval{2, 2}));
  EXPECT_EQ(j.verdict, Verdict::bank_conflict);
  j = judged(kernel("mul.lo.u32 %r6, %r1, %r1;\nshl.b32 %r3, %r6, 1;\n"), with_n({0}));
  EXPECT_EQ(wavefronts(j), (Interval{8, 8}));
  EXPECT_EQ(tables_of(j), Lines{});
  j = judged(kernel(odd, 4, false), with_n({0, 1, 2, 3, 7, 16, 31}));
  EXPECT_EQ(sectors(j), (Interval{4, 32}));
  EXPECT_EQ(j.costs[0].requests, (Interval{1, 1}));
  EXPECT_EQ(pattern_text(j), "stride (8*parameter 3 + 4) bytes");
  EXPECT_EQ(tables_of(j), Lines{"sectors by parameter 3: 0: 4, 1: 12, 2: 20, 3: 28, 32 from 4 on"});
  // By what the stride is, not by the parameter in it.
  j = judged(kernel("add.s32 %r6, %r8, 1;\nmul.lo.s32 %r3, %r6, %r1;\n"), with_n({0, 1, 2, 3, 7, 15, 31}));
  EXPECT_EQ(tables_of(j),
            Lines{"wavefronts by the largest power of two in parameter 3 + 1: 1: 1, 2: 2, 4: 4, 8: "
                  "8, 16: 16, 32: 32"});
  j = judged(
      kernel("mul.lo.s32 %r6, %r8, %r9;\nadd.s32 %r6, %r6, %r8;\nmul.lo.s32 %r3, %r6, %r1;\n", 4, false),
      with_n({0, 1, 2, 3}, {64, 1, 1}, 2));
  EXPECT_EQ(sectors(j), (Interval{1, 32})) << "a sum of products moves lanes as one number does";
}

TEST(Symbols, ATableIsByTheOneNumberThatMatters) {
  // t <= 16 ? 10 + 2*t : 4*t: 3 wavefronts in the first warp, 4 in the others, whichever they are.
  const std::string two =
      "setp.le.s32 %p1, %r1, 16;\nshl.b32 %r6, %r1, 1;\nadd.s32 %r6, %r6, 10;\nshl.b32 %r10, %r1, 2;\n"
      "selp.b32 %r3, %r6, %r10, %p1;\n";
  Judgement j = judged(kernel(two), with_n({0}, {256, 1, 1}), Dim3{256, 1, 1});
  EXPECT_EQ(wavefronts(j), (Interval{3, 4}));
  EXPECT_EQ(tables_of(j), Lines{});
  j = judged(kernel(two), with_n({0}, {256, 1, 1}));
  EXPECT_EQ(wavefronts(j), (Interval{3, 4}));
  EXPECT_EQ(tables_of(j), Lines{});
  // t < 16 ? t*n : t: rows hold for the worse of the warps.
  j = judged(kernel("setp.lt.s32 %p1, %r1, 16;\nmul.lo.s32 %r6, %r1, %r8;\nselp.b32 %r3, %r6, %r1, %p1;\n"),
             with_n({0, 1, 2, 4, 5, 8, 9, 32}, {128, 1, 1}));
  EXPECT_LE(wavefronts(j).most, 17u);
  // Two numbers: no table.
  j = judged(kernel("mul.lo.s32 %r6, %r1, %r8;\nand.b32 %r10, %r1, 3;\nmad.lo.s32 %r3, %r10, %r9, %r6;\n"),
             with_n({0, 1, 2, 4}, {64, 1, 1}, 3));
  EXPECT_EQ(tables_of(j), Lines{});
}

TEST(Symbols, RotationsAndSwizzlesByOneNumberAreDecided) {
  const auto numbers = with_n({0, 1, 2, 5, 16, 31, 32, 77, 1000}, {96, 1, 1});
  auto exact = [&](const std::string& index, u32 most = 1) {
    const Judgement j = judged(kernel(index), numbers);
    EXPECT_EQ(wavefronts(j).most, most) << index << j.address;
    EXPECT_EQ(j.verdict, most == 1 ? Verdict::conflict_free : Verdict::bank_conflict) << index;
  };
  exact("add.s32 %r6, %r1, %r8;\nand.b32 %r3, %r6, 31;\n");
  exact("sub.s32 %r6, %r1, %r8;\nand.b32 %r3, %r6, 31;\n");
  exact("add.s32 %r6, %r1, %r8;\nand.b32 %r6, %r6, 31;\nmul.lo.s32 %r3, %r6, 33;\n");
  exact("add.s32 %r6, %r1, %r8;\nand.b32 %r6, %r6, 31;\nshl.b32 %r3, %r6, 5;\n", 32);
  exact("add.s32 %r6, %r1, %r8;\nand.b32 %r3, %r6, 255;\n");
  exact("xor.b32 %r6, %r1, %r8;\nand.b32 %r3, %r6, 31;\n");
  exact("and.b32 %r10, %r8, 31;\nxor.b32 %r3, %r1, %r10;\n");
  const std::string turn = "and.b32 %r10, %r1, 31;\nshf.l.wrap.b32 %r6, %r10, %r10, %r8;\n";
  exact(turn + "shr.u32 %r11, %r6, 5;\nor.b32 %r6, %r6, %r11;\nand.b32 %r3, %r6, 31;\n");
  exact("brev.b32 %r6, %r1;\nshr.u32 %r3, %r6, 27;\n");
  exact("shl.b32 %r10, %r1, 1;\nadd.s32 %r6, %r10, %r8;\nand.b32 %r3, %r6, 63;\n", 2);
  // A few bits of a number that moves with a loop, as in tiles read by ldmatrix.
  exact("shl.b32 %r10, %r8, 3;\nand.b32 %r11, %r1, 7;\nmad.lo.s32 %r10, %r11, 9, %r10;\nand.b32 %r12, %r1, "
        "24;\n"
        "add.s32 %r10, %r10, %r12;\nxor.b32 %r10, %r10, %r11;\nand.b32 %r3, %r10, 1023;\n",
        wavefronts(judged(kernel("and.b32 %r11, %r1, 7;\nmul.lo.s32 %r10, %r11, 9;\nand.b32 %r12, %r1, 24;\n"
                                 "add.s32 %r10, %r10, %r12;\nxor.b32 %r3, %r10, %r11;\n"),
                          {}))
            .most);
  // In global memory: a line and no more.
  const Judgement j = judged(kernel("xor.b32 %r3, %r1, %r8;\n", 4, false), with_n({0, 1, 3, 17, 31, 64}));
  EXPECT_EQ(sectors(j), (Interval{4, 4})) << j.address;
  EXPECT_EQ(sectors(judged(kernel("add.s32 %r6, %r1, %r8;\nand.b32 %r3, %r6, 31;\n", 4, false), numbers)),
            (Interval{4, 4}));
  EXPECT_EQ(sectors(judged(kernel("add.s32 %r6, %r1, %r8;\nshr.u32 %r3, %r6, 3;\n", 4, false), numbers)),
            (Interval{1, 2}));
  EXPECT_LE(
      sectors(judged(kernel("and.b32 %r10, %r8, 15;\nshr.u32 %r3, %r1, %r10;\n", 4, false), numbers)).most,
      5u);
}

TEST(Symbols, WhatIsClampedIsAsItIs) {
  // max(x - 1, 0), min(x, n - 1)
  const Judgement low =
      judged(kernel("add.s32 %r6, %r1, -1;\nmax.s32 %r3, %r6, 0;\n", 4, false), with_n({0}, {96, 1, 1}));
  EXPECT_EQ(sectors(low), (Interval{4, 5})) << low.address;
  const Judgement high = judged(kernel("add.s32 %r6, %r8, -1;\nmin.s32 %r3, %r1, %r6;\n", 4, false),
                                with_n({1, 2, 17, 31, 32, 33, 40, 64, 90, 96, 200}, {96, 1, 1}));
  EXPECT_LE(sectors(high).most, 4u) << high.address;
}

// As compilers unroll: behind the loops the index is what one of the three ways brings.
TEST(Symbols, BehindAnUnrolledLoop) {
  auto loop = [](u32 bound, u32 mask) {
    return "mov.u32 %r3, %r1;\nmov.u32 %r10, %r1;\nadd.s32 %r11, %r8, -2;\nsetp.lt.s32 %p1, %r8, 3;\n@%p1 "
           "bra END;\n"
           "add.s32 %r12, %r8, -3;\nmov.u32 %r3, 0;\nsetp.lt.u32 %p2, %r12, " +
           std::to_string(bound) +
           ";\n@%p2 bra REST;\nshr.u32 %r13, %r11, 2;\n"
           "FOUR:\nmad.lo.s32 %r10, %r9, 4, %r10;\nmov.u32 %r3, %r10;\nadd.s32 %r13, %r13, -1;\nsetp.ne.s32 "
           "%p3, %r13, 0;\n"
           "@%p3 bra FOUR;\nREST:\nand.b32 %r14, %r11, " +
           std::to_string(mask) +
           ";\nsetp.eq.s32 %p4, %r14, 0;\n@%p4 bra END;\nONE:\nadd.s32 %r10, %r10, %r9;\nmov.u32 %r3, %r10;\n"
           "add.s32 %r14, %r14, -1;\nsetp.ne.s32 %p5, %r14, 0;\n@%p5 bra ONE;\nEND:\n";
  };
  const auto rounds = with_n({0, 2, 3, 4, 5, 6, 7, 10, 11}, {64, 1, 1}, 32);
  EXPECT_EQ(sectors(judged(kernel(loop(3, 3), 4, false), rounds)), (Interval{4, 5}));
  EXPECT_EQ(sectors(judged(kernel(loop(4, 3), 4, false), rounds)), (Interval{1, 5}))
      << "6 rounds come past both loops";
  EXPECT_EQ(sectors(judged(kernel(loop(3, 1), 4, false), rounds)), (Interval{1, 5})) << "so does 4";
}

TEST(Symbols, APartOfAParameterAtOneIndexIsOneValue) {
  auto parsed =
      ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n"
                 ".visible .entry k(.param .align 4 .b8 s[64], .param .u64 o, .param .u32 n)\n{\n"
                 ".reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd1, [o];\nld.param.u32 %r1, [n];\n"
                 "mul.wide.u32 %rd2, %r1, 4;\nmov.b64 %rd3, s;\nadd.s64 %rd4, %rd3, %rd2;\n"
                 "ld.param.u32 %r2, [%rd4];\nand.b32 %r3, %r2, 255;\nmul.wide.u32 %rd5, %r3, 4;\n"
                 "add.s64 %rd6, %rd1, %rd5;\nld.global.u32 %r4, [%rd6];\nret;\n}\n");
  ASSERT_TRUE(parsed);
  Options options;
  options.architectures = {arch::find(90)};
  const std::vector<Judgement> all = warplens::check::check(parsed->module, options).judgements;
  ASSERT_EQ(all.size(), 2u) << "the indexed parameter, and what it leads to";
  EXPECT_EQ(all[0].verdict, Verdict::constant_together);
  EXPECT_EQ(all[1].verdict, Verdict::broadcast);
}

// Four words of four lanes each, in four sectors where two would do.
TEST(Symbols, FewLanesNeedFewSectors) {
  const Judgement j = judged(kernel("mul.lo.s32 %r3, %r1, %r8;\n", 4, false),
                             with_n({0, 1, 8, 100}, {4, 4, 1}), Dim3{4, 4, 1});
  EXPECT_EQ(j.needed, 2u) << "as run has it: 16 lanes of 4 bytes";
  EXPECT_EQ(sectors(j), (Interval{1, 4}));
  EXPECT_EQ(j.verdict, Verdict::uncoalesced);
}

// Accesses with a branch between each and the next: past it, out of the kernel, ever deeper, out of the loop around all, or
// round a loop of its own.
std::string branches(u32 count, const std::string& to) {
  std::string body = "mov.u32 %r3, %r1;\nmov.u32 %r10, 0;\n", ends;
  if (to == "loop") body += "AGAIN:\n";
  for (u32 i = 0; i < count; ++i) {
    if (to == "again") body += "L" + std::to_string(i) + ":\n";
    const std::string label = to != "end" && to != "loop" ? "L" + std::to_string(i) : "END";
    body += "mul.wide.s32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.u32 %r4, [%rd4];\nsetp.gt.s32 "
            "%p1, %r4, " +
            std::to_string(i) + ";\n@%p1 bra " + label +
            ";\nadd.s32 %r3, %r3, 1;\nadd.s32 %r10, %r10, %r4;\n";
    if (to == "next") body += label + ":\n";
    if (to == "deeper") ends = label + ":\nadd.s32 %r10, %r10, 1;\n" + ends;
  }
  if (to == "loop") body += "setp.lt.s32 %p1, %r10, %r8;\n@%p1 bra AGAIN;\n";
  return kernel(body + ends + "END:\n", 4, false);
}
Checked checked(const std::string& ptx, u64 steps = most_steps) {
  auto parsed = ptx::parse(ptx);
  if (!parsed) {
    ADD_FAILURE() << diag::render(parsed.error(), ptx);
    return {};
  }
  Options options;
  options.architectures = {arch::find(90)};
  options.steps = steps;
  return warplens::check::check(parsed->module, options);
}

TEST(Symbols, StepsGrowWithTheCode) {
  for (const char* to : {"next", "end", "deeper", "loop", "again"}) {
    const u64 few = checked(branches(80, to)).steps, many = checked(branches(160, to)).steps;
    EXPECT_LT(many, 5 * few / 2) << to << ": " << few << ", then " << many;
  }
}

TEST(Symbols, WhatTakesTooLongIsNotDecidedAndSaysSo) {
  const std::string text = branches(100, "next");
  EXPECT_NE(checked(text).judgements.at(0).verdict, Verdict::unknown);
  const Checked some = checked(text, 400); // enough for no pass
  ASSERT_EQ(some.judgements.size(), 101u);
  for (const Judgement& j : some.judgements) {
    EXPECT_EQ(j.verdict, Verdict::unknown);
    EXPECT_EQ(sectors(j), (Interval{1, 32}));
    EXPECT_EQ(texts(j.reasons), Lines{"a function that is too large: its analysis was given up"});
  }
}

struct Matrix {
  const char* load;
  u32 stride;
  u32 most; // wavefronts of one access
};
class Fragments : public ::testing::TestWithParam<Matrix> {};
// Loads of wmma follow from the distance of rows.
TEST_P(Fragments, AreDecidedByTheirStride) {
  const Matrix& of = GetParam();
  const std::string load = of.load, registers = load.find(".c.") != load.npos
                                                    ? "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}"
                                                    : "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
  auto text = [&](const std::string& stride) {
    std::string out = kernel("mov.u32 %r3, 0;\n" + load + " " + registers + ", [tile], " + stride + ";\n");
    out.erase(out.find("mad.lo.u32 %r5"), out.find("ret;") - out.find("mad.lo.u32 %r5"));
    return out;
  };
  Judgement j = judged(text(std::to_string(of.stride)), with_n({0}, {64, 1, 1}));
  EXPECT_EQ(wavefronts(j), (Interval{of.most, of.most})) << j.address;
  EXPECT_EQ(j.dependence, Dependence::none);
  j = judged(text("%r8"), with_n({of.stride, 24, 72}, {64, 1, 1}));
  EXPECT_GE(wavefronts(j).most, of.most) << "by a parameter it is within the bounds of all strides";
}
INSTANTIATE_TEST_SUITE_P(
    Symbols, Fragments,
    ::testing::Values(Matrix{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 64, 32},
                      Matrix{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 72, 4},
                      Matrix{"wmma.load.b.sync.aligned.col.m16n16k16.shared.f16", 64, 32},
                      Matrix{"wmma.load.b.sync.aligned.row.m16n16k16.shared.f16", 40, 4},
                      Matrix{"wmma.load.c.sync.aligned.row.m16n16k16.shared.f32", 16, 4}));

} // namespace
} // namespace warplens::check
