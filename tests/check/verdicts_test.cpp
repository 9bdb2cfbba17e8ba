// Verdicts on small kernels: the block that the code is written for, pointers without cvta, what a verdict says it rests on.
#include "arch/table.h"
#include "check/check.h"
#include "check/findings.h"
#include "check/words.h"
#include "os/file.h"
#include "ptx/parse.h"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::check {
namespace {

std::vector<Judgement> judged(const std::string& ptx, std::optional<Dim3> block = {}) {
  auto parsed = ptx::parse(ptx);
  if (!parsed) {
    ADD_FAILURE() << diag::render(parsed.error(), ptx);
    return {};
  }
  Options options;
  options.architectures = {arch::find(90)};
  options.block = block;
  return check(parsed->module, options).judgements;
}

std::string kernel(const std::string& body, const std::string& directives = "") {
  return ".version 8.3\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 tile[8192];\n"
         ".visible .entry k(.param .u64 a, .param .u64 n) " +
         directives +
         "\n{\n.reg .b32 %r<9>; .reg .f32 %f<6>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n" +
         body + "ret;\n}\n";
}
// a[%r3], without the cvta by which pointers are known
const std::string load =
    "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.b32 %r4, [%rd4];\n";

bool rests_on(const Judgement& j, Premise premise) {
  return std::ranges::find(j.premises, premise) != j.premises.end();
}

TEST(Verdicts, APointerIsWhatOffsetsAreAddedTo) {
  std::vector<Judgement> all = judged(kernel("mov.u32 %r3, %r1;\n" + load));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::coalesced);
  EXPECT_EQ(all[0].costs[0].sectors, (Interval{4, 4}));
  EXPECT_TRUE(rests_on(all[0], Premise::aligned_pointers));
  EXPECT_EQ(all[0].anywhere.sectors, (Interval{4, 5}));
}

TEST(Verdicts, OfTwoParametersNeitherIsKnownToBeThePointer) {
  std::vector<Judgement> all = judged(kernel("add.s64 %rd4, %rd1, %rd2;\nld.global.b32 %r4, [%rd4];\n"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(rests_on(all[0], Premise::aligned_pointers));
}

// a[blockIdx.x * blockDim.x + x]: blocks that are no whole number of warps leave the next one a start inside a sector.
TEST(Verdicts, BlocksOfPartOfAWarpBeginInsideASector) {
  const std::string text =
      kernel("mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %ntid.x;\nmad.lo.u32 %r3, %r5, %r6, %r1;\n" + load);
  for (const u32 threads : {33u, 100u}) {
    const std::vector<Judgement> all = judged(text, Dim3{threads, 1, 1});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].verdict, Verdict::misaligned) << threads;
    EXPECT_EQ(all[0].costs[0].sectors.most, 5u);
  }
  for (const u32 threads : {48u, 128u}) // of 48 threads, each half
    EXPECT_EQ(judged(text, Dim3{threads, 1, 1}).at(0).verdict, Verdict::coalesced) << threads;
}

// a[n*m + n + x]: if n is a multiple, so is n*m.
TEST(Verdicts, ConditionsThatFollowFromOthersAreNotSaid) {
  std::string text =
      kernel("mul.lo.s64 %rd3, %rd2, %rd5;\nadd.s64 %rd3, %rd3, %rd2;\ncvt.u64.u32 %rd4, %r1;\n"
             "add.s64 %rd3, %rd3, %rd4;\nshl.b64 %rd3, %rd3, 2;\nadd.s64 %rd3, %rd3, %rd1;\n"
             "ld.global.b32 %r4, [%rd3];\n");
  text.replace(text.find(".param .u64 n"), 13, ".param .u64 n, .param .u64 m");
  text.insert(text.find("mov.u32 %r1"), "ld.param.u64 %rd5, [m];\n");
  std::vector<Judgement> all = judged(text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(texts(all[0].conditions), std::vector<std::string>{"parameter 2 % 8 == 0"});
  EXPECT_EQ(all[0].costs[0].sectors, (Interval{4, 5}));
  EXPECT_EQ(all[0].aligned[0].sectors, (Interval{4, 4}));
}

// a[n & ~31 …]: no term alone is a multiple of 32, but their sum is.
TEST(Verdicts, ARoundedNumberIsAMultiple) {
  auto at = [](const std::string& index, const std::string& parameter = "") {
    std::string text = kernel("cvt.u32.u64 %r5, %rd2;\nand.b32 %r6, %r5, -32;\n" + index + load);
    if (!parameter.empty()) {
      text.replace(text.find(".param .u64 n"), 13, ".param .u64 n, .param .u32 m");
      text.insert(text.find("mov.u32 %r1"), "ld.param.u32 %r7, [m];\n");
    }
    return judged(text).at(0);
  };
  EXPECT_EQ(at("add.s32 %r3, %r6, %r1;\n").costs[0].sectors, (Interval{4, 4}));
  EXPECT_TRUE(at("or.b32 %r3, %r6, %r1;\nand.b32 %r3, %r3, 31;\n").exact);
  EXPECT_EQ(at("add.s32 %r3, %r5, %r1;\n").costs[0].sectors, (Interval{4, 5})) << "n is none";
  EXPECT_EQ(at("and.b32 %r6, %r5, -4;\nadd.s32 %r3, %r6, %r1;\n").costs[0].sectors, (Interval{4, 5}))
      << "nor is n rounded to 4";
  // Its quotients are known in each lane, too.
  EXPECT_EQ(at("add.s32 %r3, %r6, %r1;\nshr.u32 %r3, %r3, 3;\n").costs[0].sectors, (Interval{1, 1}));
  // What is rounded is no condition.
  EXPECT_EQ(texts(at("add.s32 %r3, %r6, %r1;\nadd.s32 %r3, %r3, %r7;\n", "m").conditions),
            std::vector<std::string>{"parameter 3 % 8 == 0"});
}

TEST(Verdicts, WhatIsTheSameForAnyPointerRestsOnNone) {
  std::vector<Judgement> all = judged(kernel("shl.b32 %r3, %r1, 5;\n" + load)); // a sector for each lane
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].costs[0].sectors, (Interval{32, 32}));
  EXPECT_FALSE(rests_on(all[0], Premise::aligned_pointers));
}

TEST(Verdicts, BehindABranchItRestsOnReconvergence) {
  std::vector<Judgement> all = judged(
      kernel("setp.lt.u32 %p1, %r1, 7;\n@%p1 bra NEXT;\nmov.u32 %r5, 1;\nNEXT:\nmov.u32 %r3, %r1;\n" + load));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(rests_on(all[0], Premise::reconvergence));
  EXPECT_FALSE(rests_on(judged(kernel("mov.u32 %r3, %r1;\n" + load))[0], Premise::reconvergence));
}

TEST(Verdicts, SquaresAreTriedWhereTheyMayBeMeant) {
  auto squares = [](const std::string& index, const std::string& directives = "") {
    u32 count = 0;
    for (const Judgement& j : judged(kernel(index + load, directives))) count += j.other_shape;
    return count;
  };
  const std::string conflict = // y*32 + x in shared memory: rows of 16 lie in the same banks
      "mov.u32 %r3, %r1;\nmad.lo.u32 %r5, %r2, 32, %r1;\nshl.b32 %r5, %r5, 2;\nmov.u32 %r6, tile;\n"
      "add.u32 %r6, %r6, %r5;\nst.shared.b32 [%r6], %r1;\n";
  EXPECT_EQ(squares(conflict), 0u) << "the tile is for rows of 32";
  const std::string unsure =
      "mov.u32 %r3, %r1;\nmul.lo.u32 %r5, %r2, 4096;\nmad.lo.u32 %r5, %r1, 4, %r5;\n"
      "and.b32 %r5, %r5, 8188;\nmov.u32 %r6, tile;\nadd.u32 %r6, %r6, %r5;\n"
      "st.shared.b32 [%r6], %r1;\n"; // rows wrap around in the tile: of its width nothing is seen
  EXPECT_EQ(squares(unsure), 1u);
  EXPECT_EQ(squares(unsure, ".maxntid 128, 1, 1"), 0u) << "no room for 256 threads";
}

TEST(Verdicts, LaunchBoundsAreTheMost) {
  std::vector<Judgement> all = judged(kernel("mov.u32 %r3, %r1;\n" + load, ".maxntid 128, 1, 1"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(text(all[0].blocks), "any block of up to 128 threads with blockDim.x % 32 == 0");
}

// Multiples of the warp's number: known for every warp of a block that is known.
TEST(Verdicts, EveryWarpOfAKnownBlock) {
  const std::string swizzled =
      kernel("shr.u32 %r5, %r1, 5;\nshl.b32 %r6, %r1, 2;\nmul.lo.u32 %r6, %r6, %r5;\n"
             "and.b32 %r5, %r6, 31;\nshl.b32 %r3, %r5, 2;\nmov.u32 %r7, tile;\n"
             "add.u32 %r7, %r7, %r3;\nst.shared.b32 [%r7], %r1;\n");
  EXPECT_EQ(judged(swizzled, Dim3{128, 1, 1})[0].dependence, Dependence::none);
  EXPECT_EQ(judged(swizzled)[0].verdict, Verdict::unknown);
}

TEST(Verdicts, AFunctionMayBeCalledByAnyLanes) {
  std::vector<Judgement> all =
      judged(".version 8.3\n.target sm_80\n.address_size 64\n.global .align 256 .b8 table[4096];\n"
             ".func f()\n{\n.reg .b32 %r<3>; .reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\n"
             "mul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, table;\nadd.u64 %rd3, %rd1, %rd2;\n"
             "ld.global.u32 %r2, [%rd3];\nret;\n}\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].costs[0].sectors, (Interval{1, 4}));
}

// 1024 bytes: eight pieces of 128, of four sectors each where they begin with one.
TEST(Verdicts, BulkCopies) {
  const std::string start = "mbarrier.init.shared.b64 [tile], 1;\nmov.u32 %r5, %ctaid.x;\n";
  auto copy = [&](const std::string& offset, const std::string& size = "1024") {
    return judged(
        kernel(start + "mul.wide.u32 %rd3, %r5, " + offset + ";\nadd.s64 %rd4, %rd1, %rd3;\n" +
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+16], [%rd4], " +
               size + ", [tile];\n"));
  };
  std::vector<Judgement> all = copy("1024");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::coalesced);
  EXPECT_EQ(all[0].costs[0].sectors, (Interval{32, 32}));
  EXPECT_EQ(all[0].costs[0].requests, (Interval{1, 1}));
  EXPECT_TRUE(rests_on(all[0], Premise::aligned_pointers));
  EXPECT_EQ(all[0].anywhere.sectors, (Interval{32, 40}));
  EXPECT_EQ(copy("1040")[0].costs[0].sectors, (Interval{32, 40})); // every other block begins inside a sector
  EXPECT_EQ(copy("1024", "%r4")[0].verdict, Verdict::not_judged);
  EXPECT_EQ(copy("1024", "%r4")[0].reasons.at(0).kind, Cause::Kind::size_of_copy);
}

// What coordinates find depends on what a launch makes; where they lead is said.
TEST(Verdicts, TexturesAndTensors) {
  std::vector<Judgement> all =
      judged(kernel("tex.a2d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%rd1, {%r2, %r1, 3, 3}];\n"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::not_judged);
  EXPECT_EQ(all[0].address, "[threadIdx.y, (0, 1, 2, …) + 32*(threadIdx.x/32), 3]");
  EXPECT_EQ(all[0].reasons.at(0).kind, Cause::Kind::texture);
  EXPECT_EQ(pattern_text(all[0]), "the lanes of a warp want texels side by side along x");
  auto lie = [](const std::string& coordinates, std::optional<Dim3> block = {}) {
    return pattern_text(
        judged(kernel("mad.lo.u32 %r3, %r1, 3, %r2;\ncvt.rn.f32.u32 %f1, %r1;\ntex.2d.v4.f32." + coordinates +
                      "}];\n"),
               block)
            .at(0));
  };
  const std::string to = "s32 {%f2, %f3, %f4, %f5}, [%rd1, {";
  EXPECT_EQ(lie(to + "%r2, %r1"), "the lanes of a warp want texels side by side along y");
  EXPECT_EQ(lie(to + "%r3, %r1"), "the lanes of a warp want texels 3 along x, 1 along y apart");
  EXPECT_EQ(lie(to + "%r1, %r2", Dim3{16, 16, 1}),
            "rows of 16 lanes want texels side by side along x, and the next row 1 along y from there");
  EXPECT_EQ(lie(to + "%r2, 5"), "the lanes of a warp want one texel");
  EXPECT_EQ(lie("f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1, 0f00000000"), "")
      << "numbers with fractions are not followed";
  EXPECT_EQ(
      pattern_text(
          judged(kernel("shl.b32 %r3, %r1, 2;\nsuld.b.2d.b32.trap {%r5}, [%rd1, {%r3, %r2}];\n")).at(0)),
      "the lanes of a warp want texels side by side along x")
      << "a surface's x counts bytes";
  all = judged(kernel("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r2, %r1}], [tile];\n"));
  EXPECT_EQ(pattern_text(all.at(0)), "") << "one lane's";
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].address, "[threadIdx.y, (0, 1, 2, …) + 32*(threadIdx.x/32)]");
  EXPECT_EQ(all[0].reasons.at(0).kind, Cause::Kind::tensor_map);
}

// A copy that is told how much to read may read nothing.
TEST(Verdicts, AsynchronousCopiesMayReadNothing) {
  auto copy = [&](const std::string& told) {
    return judged(kernel(
        "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd4, %rd1, %rd3;\nshl.b32 %r3, %r1, 4;\nmov.u32 %r4, tile;\n"
        "add.u32 %r4, %r4, %r3;\ncp.async.cg.shared.global [%r4], [%rd4], 16" +
        told + ";\n"))[0];
  };
  // The tile begins at a multiple of 16 bytes: where that is none of 32, each lane's sector comes back by itself.
  EXPECT_EQ(copy("").costs[0].sectors, (Interval{16, 32}));
  EXPECT_EQ(copy(", 16").costs[0].sectors, (Interval{16, 32}));
  EXPECT_EQ(copy(", %r2").costs[0].sectors, (Interval{0, 32}));
  EXPECT_EQ(copy(", 8").costs[0].wavefronts, (Interval{0, 64})) << "zeros are written in passes of their own";
  EXPECT_EQ(copy(", %r2").costs[0].requests, (Interval{0, 1}));
}

// What a copy takes follows from where it writes, too: words of one bank go in passes of their own, and nothing is said of
// places that are not known but that no lane needs more than a pass, or a sector.
TEST(Verdicts, AsynchronousCopiesPayForWhereTheyWrite) {
  auto copy = [&](const std::string& to, const std::string& instruction) {
    return judged(kernel("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n" + to +
                         "mov.u32 %r4, tile;\nadd.u32 %r4, %r4, %r3;\n" + instruction + ";\n"))[0]
        .costs[0];
  };
  const std::string word = "cp.async.ca.shared.global [%r4], [%rd4], 4";
  EXPECT_EQ(copy("shl.b32 %r3, %r1, 2;\n", word).wavefronts, (Interval{1, 1}));
  EXPECT_EQ(copy("shl.b32 %r3, %r1, 7;\n", word).wavefronts, (Interval{32, 32}));
  EXPECT_EQ(
      copy("cvt.u32.u64 %r5, %rd2;\nmul.lo.u32 %r3, %r1, %r5;\nshl.b32 %r3, %r3, 2;\n", word).wavefronts,
      (Interval{1, 64}));
  const Costs unknown =
      copy("cvt.u32.u64 %r5, %rd2;\nmul.lo.u32 %r3, %r1, %r5;\nshl.b32 %r3, %r3, 4;\nshl.b64 %rd3, %rd3, 2;\n"
           "add.s64 %rd4, %rd1, %rd3;\n",
           "cp.async.cg.shared.global [%r4], [%rd4], 16");
  EXPECT_EQ(unknown.sectors, (Interval{1, 32}));
  EXPECT_EQ(unknown.wavefronts, (Interval{1, 64}));
}

// Where a copy writes has a verdict of its own: a column of a tile is a conflict, that padding ends.
TEST(Verdicts, WhereAsynchronousCopiesWriteIsJudged) {
  auto copy = [&](u32 row, const std::string& from = "mul.wide.u32 %rd3, %r1, 4;\n",
                  const std::string& told = "") {
    return judged(kernel(from + "add.s64 %rd4, %rd1, %rd3;\nmul.lo.u32 %r3, %r1, " + std::to_string(row) +
                         ";\nmov.u32 %r4, tile;\nadd.u32 %r4, %r4, %r3;\n" +
                         "cp.async.ca.shared.global [%r4], [%rd4], 4" + told + ";\n"));
  };
  EXPECT_EQ(judged(kernel("mov.u32 %r4, tile;\nmul.lo.u32 %r3, %r1, 128;\nadd.u32 %r4, %r4, %r3;\n"
                          "cp.async.cg.shared.global [%r4], [%rd1], 16;\n"))
                .size(),
            1u)
      << "past the L1 time does not follow the passes";
  std::vector<Judgement> column = copy(128), padded = copy(132);
  ASSERT_EQ(column.size(), 2u);
  EXPECT_EQ(column[0].space, access::Space::global);
  EXPECT_EQ(column[0].verdict, Verdict::coalesced);
  EXPECT_EQ(column[1].space, access::Space::shared);
  EXPECT_EQ(column[1].verdict, Verdict::bank_conflict);
  EXPECT_EQ(column[1].array, "tile");
  EXPECT_EQ(column[1].costs[0].wavefronts, (Interval{32, 32}));
  ASSERT_TRUE(column[1].advice);
  EXPECT_EQ(column[1].remedy.kind, findings::Remedy::Kind::longer_rows);
  EXPECT_EQ(column[1].remedy.bytes, 4u);
  EXPECT_EQ(column[1].after, std::vector<std::optional<u64>>{1});
  EXPECT_EQ(padded[1].verdict, Verdict::conflict_free);
  EXPECT_EQ(padded[1].costs[0].wavefronts, (Interval{1, 1}));
  // Lanes that also meet in a bank where they read wait for that, padded or not: the copy is counted whole.
  const std::string apart = "mul.wide.u32 %rd3, %r1, 128;\n";
  EXPECT_EQ(copy(128, apart)[1].costs[0].wavefronts, (Interval{32, 32}));
  EXPECT_FALSE(copy(128, apart)[1].advice) << "padding leaves 32 wavefronts for the reading";
  EXPECT_EQ(copy(132, apart)[1].verdict, Verdict::conflict_free) << "which is no matter of the tile";
  // Where it reads may be anywhere, or nothing.
  const std::string loaded =
      "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd1, %rd3;\nld.global.u32 %r5, [%rd3];\n"
      "mul.wide.u32 %rd3, %r5, 4;\n";
  std::vector<Judgement> gathered = copy(128, loaded);
  ASSERT_EQ(gathered.size(), 3u);
  EXPECT_EQ(gathered[1].verdict, Verdict::scattered);
  EXPECT_EQ(gathered[2].verdict, Verdict::bank_conflict);
  EXPECT_EQ(gathered[2].costs[0].wavefronts, (Interval{32, 64}));
  EXPECT_EQ(copy(128, apart, ", %r2")[1].verdict, Verdict::bank_conflict);
  const std::string all = "mul.wide.u32 %rd3, %r1, 4;\nmov.u32 %r6, 2;\nadd.u32 %r6, %r6, 2;\n";
  EXPECT_EQ(copy(128, all, ", %r6")[1].costs[0].wavefronts, (Interval{32, 32})) << "it is told to read all";
}

// Lanes of a stride in bytes: what a GPU stops at is no cost, and the stride has to be a multiple of what is accessed.
TEST(Verdicts, LanesThatAreApartByBytesAreAligned) {
  auto at = [](std::optional<i64> stride) {
    auto parsed =
        ptx::parse(kernel("cvt.u64.u32 %rd3, %r1;\nmul.lo.s64 %rd3, %rd3, %rd2;\nadd.s64 %rd4, %rd1, "
                          "%rd3;\nld.global.b32 %r4, [%rd4];\n"));
    Options options;
    options.architectures = {arch::find(90)};
    if (stride) options.arguments = {{"n", *stride}};
    return check(parsed->module, options).judgements.at(0);
  };
  const Judgement any = at({});
  EXPECT_EQ(any.costs[0].sectors, (Interval{1, 32}));
  EXPECT_EQ(pattern_text(any), "stride (parameter 2) bytes");
  EXPECT_THAT(texts(any.demands), testing::Contains("parameter 2 % 4 == 0"));
  ASSERT_TRUE(at(33).fault);
  EXPECT_EQ(at(33).fault->bytes, 1);
  EXPECT_FALSE(at(36).fault);
}

// Longer rows would suit who reads the tile, and cost the copies that fill it: the pieces of a row are exchanged instead.
TEST(Verdicts, CopiesPastTheL1AreHeardBeforeTheirTileIsPadded) {
  auto reader = [](const std::string& filled) {
    std::vector<Judgement> all = judged(
        kernel("mov.u32 %r4, tile;\n" + filled +
               "and.b32 %r6, %r1, 15;\nshl.b32 %r6, %r6, 6;\nshr.u32 %r7, %r1, 4;\nshl.b32 %r7, %r7, 4;\n"
               "add.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r4, %r6;\n"
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r5, %r7}, [%r6];\n"));
    return all.back().advice ? all.back().advice->change : "";
  };
  EXPECT_THAT(reader(""), testing::StartsWith("make each row"));
  EXPECT_THAT(reader("shl.b32 %r3, %r1, 4;\nadd.u32 %r5, %r4, %r3;\nmul.wide.u32 %rd3, %r1, 16;\n"
                     "add.s64 %rd4, %rd1, %rd3;\ncp.async.cg.shared.global [%r5], [%rd4], 16;\n"),
              testing::StartsWith("keep chunk c of row r"));
}

// With the distances between lanes not known, what lanes apart would take is no ideal.
TEST(Verdicts, AnUnknownStrideInSharedMemoryIsAConflict) {
  std::vector<Judgement> all = judged(
      kernel("cvt.u32.u64 %r5, %rd2;\nmul.lo.u32 %r3, %r1, %r5;\nshl.b32 %r3, %r3, 3;\nmov.u32 %r4, tile;\n"
             "add.u32 %r4, %r4, %r3;\nst.shared.b32 [%r4], %r1;\n"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::bank_conflict);
  EXPECT_EQ(all[0].needed, 1u);
  EXPECT_GT(all[0].costs[0].wavefronts.most, 1u);
}

// A's 64 rows of 32 bytes and B's 128, 128 bytes in each pass.
TEST(Verdicts, OperandsOfWgmmaFollowFromItsShape) {
  std::string sums;
  for (int i = 0; i < 64; ++i) sums += (i == 0 ? "%f" : ", %f") + std::to_string(i);
  std::vector<Judgement> all =
      judged(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %f<64>; .reg "
             ".b64 %rd<3>; .reg "
             ".pred %p<2>;\nmov.u64 %rd1, 0;\nmov.u64 %rd2, 0;\nsetp.eq.u64 %p1, %rd1, 0;\n"
             "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" +
             sums + "}, %rd1, %rd2, %p1, 1, 1, 0, 0;\nret;\n}\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].verdict, Verdict::conflict_free);
  EXPECT_EQ(all[0].costs[0].wavefronts, (Interval{48, 48}));
}

// Many branches, of which none decides on what follows it: blocks are found by what surrounds them.
// A loop spins on a flag; what is behind it, up to the barrier and then.
TEST(Verdicts, WhoWaitsComesAlone) {
  auto sectors = [](const std::string& before, const std::string& flag, const std::string& barrier) {
    std::vector<Judgement> all = judged(kernel(
        before + "SPIN:\n" + flag + "setp.ne.u32 %p2, %r4, 1;\n@%p2 bra SPIN;\nDONE:\nmov.u32 %r3, %r1;\n" +
        load + barrier + "ld.global.b32 %r5, [%rd4+128];\n"));
    EXPECT_GE(all.size(), 3u);
    return std::pair(all[all.size() - 2].costs[0].sectors, all.back().costs[0].sectors);
  };
  const Interval whole{4, 4}, some{1, 4};
  const std::string polls = "ld.volatile.shared.u32 %r4, [tile];\n",
                    takes = "atom.shared.cas.b32 %r4, [tile], 0, 1;\n",
                    first_only = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n", block = "bar.sync 0;\n";
  EXPECT_EQ(sectors("", polls, ""), std::pair(whole, whole)); // all lanes together
  EXPECT_EQ(sectors("", takes, ""), std::pair(some, some));
  EXPECT_EQ(sectors("", takes, block), std::pair(some, whole));
  EXPECT_EQ(sectors("", takes, "bar.warp.sync -1;\n"), std::pair(some, whole));
  EXPECT_EQ(sectors("", takes, "bar.warp.sync 65535;\n"), std::pair(some, some));
  EXPECT_EQ(sectors(first_only, polls, block), std::pair(some, whole));
  EXPECT_EQ(sectors(first_only, "ld.shared.u32 %r4, [tile];\n", block),
            std::pair(whole, whole)); // nobody else writes it
  // Who fails tries again, whoever goes on.
  EXPECT_EQ(sectors("", "ld.shared.u32 %r6, [tile];\natom.shared.cas.b32 %r4, [tile], %r6, 1;\n", ""),
            std::pair(whole, whole));
}

TEST(Verdicts, LongChainsOfBranches) {
  std::string body;
  for (int i = 0; i < 200; ++i) {
    const std::string label = "L" + std::to_string(i);
    body += "setp.gt.u32 %p1, %r" + std::string(i % 2 == 0 ? "1" : "2") + ", " + std::to_string(i % 40) +
            ";\n@%p1 bra " + label + ";\nmov.u32 %r3, %r1;\n" + load + label + ":\n";
  }
  std::vector<Judgement> all = judged(kernel(body), Dim3{32, 2, 1});
  ASSERT_EQ(all.size(), 200u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const u64 lanes = i % 2 == 0 ? std::min<u64>(32, i % 40 + 1) : 32; // the others leave; y: all or none
    EXPECT_EQ(all[i].costs[0].sectors.most, (lanes + 7) / 8) << i;
    EXPECT_EQ(rests_on(all[i], Premise::reconvergence), i != 0) << i;
  }
}

// What Triton makes of a sum of vectors and of a transpose through shared memory.
TEST(Verdicts, TritonIsDecided) {
  for (const char* file : {"triton_add.ptx", "triton_transpose.ptx"}) {
    std::vector<Judgement> all =
        judged(os::read_file(std::string(WARPLENS_TEST_DATA "/") + file).value_or(""));
    EXPECT_GE(all.size(), 3u) << file;
    for (const Judgement& j : all)
      EXPECT_TRUE(is_fine(j.verdict)) << file << ": PTX line " << j.site.ptx_line;
  }
}

// a[4*x + n]: where n begins decides between 16 sectors and 17, and not that they are too many.
TEST(Verdicts, WhatDoesNotDecideAFindingIsNoConditionOfIt) {
  const std::string far = "shl.b32 %r3, %r1, 2;\ncvt.u64.u32 %rd3, %r3;\nadd.s64 %rd3, %rd3, %rd2;\n"
                          "shl.b64 %rd3, %rd3, 2;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.b32 %r4, [%rd4];\n";
  std::vector<Judgement> all = judged(kernel(far));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(texts(all[0].conditions), std::vector<std::string>{"parameter 2 % 8 == 0"});
  EXPECT_TRUE(all[0].rests_on.empty());
  const findings::List list = findings_of(all, {arch::find(90)});
  ASSERT_EQ(list.findings.size(), 1u);
  EXPECT_TRUE(list.findings[0].conditions.empty());
  EXPECT_EQ(list.findings[0].certainty, findings::Certainty::proved);
}

TEST(Verdicts, ParametersHaveNumbersFromOneAndTheirNamesInPtx) {
  auto with = [](const std::string& name) {
    auto parsed = ptx::parse(kernel("cvt.u32.u64 %r5, %rd2;\nmul.lo.s32 %r3, %r1, %r5;\n" + load));
    Options options;
    options.architectures = {arch::find(90)};
    options.arguments = {{name, 1}};
    return check(parsed->module, options);
  };
  for (const char* name : {"2", "n"}) {
    EXPECT_EQ(with(name).judgements.at(0).verdict, Verdict::coalesced) << name;
    EXPECT_TRUE(with(name).unused_arguments.empty()) << name;
  }
  EXPECT_EQ(with("1").judgements.at(0).verdict, Verdict::uncoalesced) << "the pointer";
  for (const char* name : {"0", "3", "m"})
    EXPECT_EQ(with(name).unused_arguments, std::vector<std::string>{name});
}

TEST(Verdicts, AnIndexIsWidenedByTheWordsOfItsLanguage) {
  const std::string text = os::read_file(WARPLENS_TEST_DATA "/triton_softmax.ptx").value_or("");
  for (const auto& [ptx, words] :
       {std::pair(text, "a factor with .to(tl.int64) before"),
        {kernel("shl.b32 %r3, %r1, 2;\nmov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %nctaid.x;\n"
                "mad.lo.s32 %r3, %r5, 4096, %r3;\n" +
                load),
         "make a factor size_t before"}}) {
    const findings::List list = findings_of(judged(ptx), {arch::find(90)});
    auto found = std::ranges::find(list.findings, findings::Rule::index_overflow, &findings::Finding::rule);
    ASSERT_NE(found, list.findings.end()) << words;
    EXPECT_NE(found->fix->text.find(words), std::string::npos) << found->fix->text;
  }
}

// The change that is told of the finding at the instruction that writes, or of the only one.
std::string change_of(const std::string& ptx, std::string_view kind) {
  for (const findings::Finding& one : findings_of(judged(ptx), {arch::find(90)}).findings)
    if (one.message.starts_with(kind) && one.fix) return one.fix->text;
  return {};
}

// Each thread goes along a row of its own, a[x*n + k], or down a column, and stores there. Only the first is a row for a warp.
TEST(Verdicts, ALoopTellsWhetherThreadsWalkAlongRows) {
  const auto loop = [](const std::string& step) {
    return kernel("cvt.u32.u64 %r5, %rd2;\nmul.lo.s32 %r3, %r1, %r5;\nmul.wide.s32 %rd3, %r3, 4;\n"
                  "add.s64 %rd4, %rd1, %rd3;\nmov.u32 %r6, 0;\n"
                  "again:\nld.global.b32 %r4, [%rd4];\nst.global.b32 [%rd4], %r6;\nadd.s64 %rd4, %rd4, " +
                  step + ";\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r5;\n@%p1 bra again;\n");
  };
  for (const char* kind : {"load", "store"}) {
    EXPECT_NE(change_of(loop("4"), kind).find("give each row to a warp"), std::string::npos) << kind;
    EXPECT_NE(change_of(loop("4096"), kind), "") << kind;
    EXPECT_EQ(change_of(loop("4096"), kind).find("give each row to a warp"), std::string::npos) << kind;
  }
}

// What the loop reads again in each turn, from one address, leads nowhere else.
TEST(Verdicts, WhereARunBeginsMayBeReadInEachTurn) {
  const std::string change =
      change_of(kernel("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nmov.u32 %r6, 0;\n"
                       "again:\nld.global.b32 %r4, [%rd4];\nadd.s32 %r5, %r4, %r6;\n"
                       "mul.wide.s32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd2, %rd5;\nst.global.b32 [%rd6], %r6;\n"
                       "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 64;\n@%p1 bra again;\n"),
                "store");
  EXPECT_NE(change.find("share the turns"), std::string::npos) << change;
}

TEST(Verdicts, LinksAreNotSorted) {
  const std::string change = change_of(kernel("mov.u32 %r4, %r1;\nagain:\nmul.wide.s32 %rd3, %r4, 4;\n"
                                              "add.s64 %rd4, %rd1, %rd3;\nld.global.b32 %r4, [%rd4];\n"
                                              "setp.ge.s32 %p1, %r4, 0;\n@%p1 bra again;\n"),
                                       "load");
  EXPECT_NE(change.find("in the order of the steps"), std::string::npos) << change;
}

// own[0], [1], [2] or [3], by what each lane has loaded.
TEST(Verdicts, LanesChooseElementsOfTheirLocalArraysByBranches) {
  std::string choice = ".local .align 4 .b8 own[16];\nmov.u64 %rd3, own;\ncvta.local.u64 %rd4, %rd3;\n"
                       "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd1, %rd5;\nld.global.b32 %r4, [%rd6];\n"
                       "mov.u64 %rd7, %rd4;\n";
  for (const char* next : {"4", "8", "12"})
    choice += fmt::format("setp.lt.s32 %p1, %r4, {0};\n@%p1 bra behind{0};\nadd.s64 %rd7, %rd4, {0};\n"
                          "bra meet;\nbehind{0}:\n",
                          next);
  const std::string text = kernel(choice + "meet:\nst.b32 [%rd7], %r4;\n");
  const std::vector<Judgement> all = judged(text);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].space, access::Space::local);
  EXPECT_EQ(all[1].verdict, Verdict::local_array);
  const findings::List list = findings_of(all, {arch::find(90)});
  ASSERT_EQ(list.findings.size(), 1u);
  EXPECT_EQ(list.findings[0].severity, findings::Severity::note) << "they may all choose the same";
  EXPECT_NE(list.findings[0].fix->text.find("a loop counter that all lanes share"), std::string::npos);
}

TEST(Verdicts, WhatDataLeadToInATableGoesByTheRuleOfItsMemory) {
  for (const auto& [space, rule] : {std::pair("shared", findings::Rule::bank_conflict),
                                    {"const", findings::Rule::constant_serialised},
                                    {"global", findings::Rule::scattered_access}}) {
    std::string text = kernel(fmt::format("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
                                          "ld.global.b32 %r4, [%rd4];\nand.b32 %r4, %r4, 255;\n"
                                          "mul.wide.u32 %rd5, %r4, 4;\nmov.u64 %rd6, table;\n"
                                          "add.s64 %rd6, %rd6, %rd5;\nld.{}.b32 %r5, [%rd6];\n",
                                          space));
    text.insert(text.find(".visible"), fmt::format(".{} .align 16 .b8 table[1024];\n", space));
    const findings::List list = findings_of(judged(text), {arch::find(90)});
    ASSERT_EQ(list.findings.size(), 1u) << space;
    EXPECT_EQ(list.findings[0].rule, rule) << space;
  }
}

} // namespace
} // namespace warplens::check
