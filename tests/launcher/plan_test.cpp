// What words after a kernel's file ask for, and what is said of those that ask for something else.
#include "launcher/plan.h"
#include "ptx/parse.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace warplens::launcher {
namespace {

const char text[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5saxpyiPKfPff(.param .u32 n, .param .u64 x, .param .u64 y, .param .f32 a) { ret; }
.visible .entry tuned(.param .b32 either, .param .align 8 .b8 pair[12], .param .u16 half) .reqntid 64, 2 { ret; }
)";

ir::Module module_of(const char* ptx) {
  Result<ptx::Parsed> parsed = ptx::parse(ptx);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return std::move(parsed->module);
}

Result<Plan> plan(std::vector<std::string> words, u32 sm = 90) {
  return plan_launch(module_of(text), "k.ptx", words, *arch::find(sm));
}
// All that is said of words that cannot be launched.
std::string said(const std::vector<std::string>& words) {
  Result<Plan> out = plan(words);
  return out ? "nothing" : diag::render(out.error());
}
#define EXPECT_SAID(words, part) EXPECT_NE(said(words).find(part), std::string::npos) << said(words)

using Words = std::vector<std::string>;
const Words saxpy = {"--kernel", "saxpy", "--grid", "8", "--block", "128"};
const Words tuned = {"--kernel=tuned", "--grid", "8"};
Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
u64 bits(const Argument& argument) {
  u64 out = 0;
  std::memcpy(&out, argument.value.data(), argument.value.size());
  return out;
}

TEST(Plan, NumbersTakeTheParametersTypes) {
  Result<Plan> out =
      plan(with(saxpy, {"--arg", "1000", "--arg", "f32[4x250]=random:3", "--arg", "f32[1000]", "--arg=1.5"}));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->kernel, "_Z5saxpyiPKfPff");
  EXPECT_EQ(out->grid, (Dim3{8, 1, 1}));
  EXPECT_EQ(out->block, (Dim3{128, 1, 1}));
  ASSERT_EQ(out->arguments.size(), 4u);
  EXPECT_EQ(bits(out->arguments[0]), 1000u);
  EXPECT_TRUE(out->arguments[1].buffer);
  EXPECT_EQ(out->arguments[1].bytes(), 4000u);
  EXPECT_EQ(out->arguments[1].fill.kind, Fill::Kind::random);
  EXPECT_EQ(out->arguments[1].fill.seed, 3u);
  EXPECT_EQ(out->arguments[2].fill.kind, Fill::Kind::zeros);
  EXPECT_EQ(bits(out->arguments[3]), 0x3fc00000u);
}

TEST(Plan, AKernelSaysItsOwnBlock) {
  Result<Plan> out =
      plan(with(tuned, {"--arg", "f32=2", "--arg", "b8[12]=zeros", "--arg", "-1", "--shared", "1024"}));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->block, (Dim3{64, 2, 1}));
  EXPECT_EQ(bits(out->arguments[0]), 0x40000000u);
  EXPECT_FALSE(out->arguments[1].buffer);
  EXPECT_EQ(bits(out->arguments[2]), 0xffffu);
  EXPECT_EQ(out->shared, 1024u);
  EXPECT_SAID(with(tuned, {"--block", "128"}), "compiled for blocks of 64×2×1 threads");
}

TEST(Plan, TwoParametersMayShareABuffer) {
  Result<Plan> out = plan(
      with(saxpy, {"--arg", "1", "--arg", "f32[32]=iota", "--arg", "@2", "--arg", "1", "--save", "3=o"}));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->arguments[2].same_as, 1u);
  EXPECT_EQ(out->saves.at(0).argument, 2u);
  for (const char* wrong : {"@0", "@1", "@2", "@", "@x"})
    EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", wrong}), "is not an earlier argument with a buffer");
}

TEST(Plan, NothingIsSavedToWhatIsRead) {
  const std::string folder = testing::TempDir(), file = folder + "plan_saves.bin";
  std::ofstream(file) << std::string(128, '\0');
  const Words filled =
      with(saxpy, {"--arg", "1", "--arg", "f32[32]=" + file, "--arg", "f32[32]", "--arg", "1"});
  EXPECT_SAID(with(filled, {"--save", "2=" + file}), "which an argument is filled from");
  EXPECT_SAID(with(filled, {"--save", "3=" + folder + "./plan_saves.bin"}),
              "which an argument is filled from");
  EXPECT_SAID(with(filled, {"--save", "2=o", "--save", "3=o"}), "which another argument is saved to");
  EXPECT_TRUE(plan(with(filled, {"--save", "2=o", "--save", "3=p"})));
}

TEST(Plan, WhatIsMissingIsNamedWithAWholeCommandLine) {
  EXPECT_SAID(Words{}, "'k.ptx' has 2 kernels");
  EXPECT_SAID((Words{"--kernel", "saxpy"}), "--grid is missing");
  EXPECT_SAID((Words{"--kernel", "saxpy", "--grid", "8"}), "--block is missing");
  const Words two = with(saxpy, {"--arg", "1", "--arg", "f32[8]=iota"});
  EXPECT_SAID(two, "--arg for parameter 3 (y, .u64) is missing: there are 2 of 4");
  EXPECT_SAID(two, "saxpy takes 1: .u32 n, 2: .u64 x, 3: .u64 y, 4: .f32 a");
  EXPECT_SAID(two, "e.g. warplens run k.ptx --kernel saxpy --grid 8 --block 128 --arg 1 --arg 'f32[8]=iota' "
                   "--arg 0 --arg 1");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "0", "--arg", "0", "--arg", "1", "--arg", "1"}),
              "there are 5 --arg");
}

// The command line that is proposed for a kernel of these parameters and this body, from --grid on.
std::string proposed(const std::string& parameters, const std::string& body, const Words& words = {}) {
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(" + parameters +
      ") {\n.reg .b16 %h<9>; .reg .b32 %r<19>; .reg .f32 %f<9>; .reg .b64 %d<19>; .reg .pred %p<4>;\n" +
      body + "\nret; }\n";
  Result<Plan> out = plan_launch(module_of(ptx.c_str()), "k.ptx", words, *arch::find(90));
  EXPECT_FALSE(out);
  const std::string help = out ? "" : out.error().help, start = "e.g. warplens run k.ptx ";
  return help.starts_with(start) ? help.substr(start.size()) : help;
}
constexpr char thread[] = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;"
                          "mad.lo.s32 %r4, %r1, %r2, %r3; cvt.s64.s32 %d1, %r4;\n";

// An address comes from a pointer; a stride in bytes and a number of turns are of 64 bits, too.
TEST(Plan, ProposesBuffersWhereAddressesComeFrom) {
  EXPECT_EQ(proposed(".param .u64 a, .param .u64 stride, .param .u64 out, .param .u64 unused",
                     std::string(thread) +
                         "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; ld.param.u64 %d4, [stride];"
                         "mul.lo.s64 %d5, %d1, %d4; add.s64 %d6, %d3, %d5; ld.global.f32 %f1, [%d6];"
                         "ld.param.u64 %d7, [out]; cvta.to.global.u64 %d8, %d7; st.global.f32 [%d8], %f1;"),
            "--grid 8 --block 128 --arg 'f32[1048576]=random' --arg 4 --arg 'f32[1048576]' --arg 0");
}

// Of two strides the last is of the dimension that lies closest; a size is none; an index without one lies closest itself.
TEST(Plan, ProposesTheStridesOfArraysWithoutGaps) {
  const std::string loop = "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; mov.u32 %r5, 0;\n";
  auto arguments = [&](const std::string& parameters, const std::string& body) {
    const std::string line = proposed(".param .u64 a, " + parameters, thread + loop + body);
    return line.substr(line.find("--arg"));
  };
  // In bytes, the row's added in a loop, as Numba has it.
  EXPECT_EQ(arguments(".param .u64 n, .param .u64 row, .param .u64 column",
                      "ld.param.u64 %d4, [row]; ld.param.u64 %d5, [column]; ld.param.u64 %d6, [n];"
                      "mul.lo.s64 %d7, %d1, %d4; add.s64 %d8, %d3, %d7; mov.u64 %d9, 0;\n"
                      "again: ld.global.f32 %f1, [%d8]; add.s64 %d8, %d8, %d5; add.s64 %d9, %d9, 1;"
                      "setp.lt.s64 %p1, %d9, %d6; @%p1 bra again;"),
            "--arg 'f32[1048576]=random' --arg 512 --arg 2048 --arg 4");
  // In elements of two bytes, as Triton has it.
  const std::string tile = "ld.param.u32 %r6, [rows]; ld.param.u32 %r7, [columns];"
                           "mul.wide.s32 %d4, %r4, %r6; mul.wide.s32 %d5, %r3, %r7; add.s64 %d6, %d4, %d5;"
                           "shl.b64 %d7, %d6, 1; add.s64 %d8, %d3, %d7; ld.global.u16 %h1, [%d8]; "
                           "cvt.f32.f16 %f1, %h1;";
  EXPECT_EQ(arguments(".param .u32 rows, .param .u32 columns", tile),
            "--arg 'f16[1048576]=random' --arg 1024 --arg 1");
  // A stride beside an index that has none, and a number that is compared.
  EXPECT_EQ(arguments(".param .u32 row",
                      "ld.param.u32 %r6, [row]; mad.lo.s32 %r7, %r1, %r6, %r3; mul.wide.s32 "
                      "%d4, %r7, 4; add.s64 %d5, %d3, %d4; st.global.f32 [%d5], %f1;"),
            "--arg 'f32[1048576]' --arg 1024");
  EXPECT_EQ(arguments(".param .u32 n",
                      "ld.param.u32 %r6, [n]; setp.ge.s32 %p1, %r4, %r6; mul.lo.s32 %r7, %r4, "
                      "%r6; mul.wide.s32 %d4, %r7, 4; add.s64 %d5, %d3, %d4; "
                      "@!%p1 st.global.f32 [%d5], %f1;"),
            "--arg 'f32[1048576]' --arg 1024");
}

// A pixel of three colours: threads go along a row in steps of three bytes.
TEST(Plan, ARowHasRoomForWhatEachThreadGoesOver) {
  const std::string pixel = std::string(thread) +
                            "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; ld.param.u32 %r6, [pitch];"
                            "mov.u32 %r5, %ctaid.y; mul.lo.s32 %r7, %r5, %r6; mad.lo.s32 %r8, %r4, 3, %r7;"
                            "cvt.s64.s32 %d4, %r8; add.s64 %d5, %d3, %d4; st.global.u8 [%d5], %h1;";
  EXPECT_EQ(proposed(".param .u64 a, .param .u32 pitch", pixel),
            "--grid 8,8 --block 128 --arg 'u8[1048576]' --arg 3072");
  const std::string pairs = std::string(thread) +
                            "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; ld.param.u32 %r6, [row];"
                            "mov.u32 %r5, %ctaid.y; mul.lo.s32 %r7, %r5, %r6; mad.lo.s32 %r8, %r4, 2, %r7;"
                            "mul.wide.s32 %d4, %r8, 4; add.s64 %d5, %d3, %d4; st.global.f32 [%d5], %f1;";
  EXPECT_EQ(proposed(".param .u64 a, .param .u32 row", pairs),
            "--grid 8,8 --block 128 --arg 'f32[1048576]' --arg 2048");
}

// A thread's place in its block, whatever the block's shape, and the choice of one thread: cooperative groups have both.
TEST(Plan, OneDimensionIsEnoughForAPlace) {
  const std::string axes = std::string(thread) +
                           "mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.y;"
                           "mov.u32 %r8, %ctaid.y; mov.u32 %r9, %nctaid.x;";
  const std::string store = "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; mul.wide.s32 %d4, %r14, 4;"
                            "add.s64 %d5, %d3, %d4; st.global.f32 [%d5], 0f00000000;";
  auto shape = [&](const std::string& body) {
    const std::string line = proposed(".param .u64 a", axes + body + store);
    return line.substr(0, line.find(" --arg"));
  };
  const std::string place = "mad.lo.s32 %r12, %r7, %r6, %r5; mad.lo.s32 %r14, %r12, %r2, %r3;";
  EXPECT_EQ(shape(place), "--grid 8 --block 128");
  EXPECT_EQ(shape("mad.lo.s32 %r12, %r8, %r9, %r1; mad.lo.s32 %r14, %r12, %r2, %r3;"),
            "--grid 8 --block 128");
  EXPECT_EQ(shape(place + "or.b32 %r15, %r5, %r6; or.b32 %r15, %r15, %r3; setp.eq.s32 %p1, %r15, 0;"),
            "--grid 8 --block 128");
  EXPECT_EQ(shape("mad.lo.s32 %r14, %r8, %r7, %r5;"), "--grid 8,8 --block 16,16"); // an index of its own
  EXPECT_EQ(shape(place + "setp.eq.s32 %p1, %r5, 0;"), "--grid 8 --block 16,16");  // one row of threads
}

TEST(Plan, LaunchesACooperativeKernelAsOne) {
  auto is_cooperative = [](const std::string& body) {
    const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.func wait() { .reg .b32 %r<3>; "
                            "mov.u32 %r1, %envreg2; ret; }\n.visible .entry k() {\n.reg .b32 %r<9>;\n" +
                            body + "\nret; }\n";
    Result<Plan> out =
        plan_launch(module_of(ptx.c_str()), "k.ptx", Words{"--grid", "2", "--block", "32"}, *arch::find(90));
    EXPECT_TRUE(out);
    return out && out->is_cooperative;
  };
  EXPECT_TRUE(is_cooperative("mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;"));
  EXPECT_TRUE(is_cooperative("call wait;"));
  EXPECT_FALSE(is_cooperative("mov.u32 %r1, %envreg3;"));
}

// Dynamic shared memory that another kernel of the file has is none of this one's.
TEST(Plan, AssumesSharedMemoryWhereTheKernelReachesIt) {
  const char file[] =
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 dynamic[];\n"
      ".func helper() { .reg .b32 %r<3>; mov.u32 %r1, dynamic; ret; }\n"
      ".visible .entry none() { ret; }\n"
      ".visible .entry own() { .reg .b32 %r<3>; mov.u32 %r1, dynamic; ret; }\n"
      ".visible .entry called() { call helper; ret; }\n";
  auto assumed = [&](const char* kernel) {
    Result<Plan> out = plan_launch(
        module_of(file), "k.ptx", Words{"--kernel", kernel, "--grid", "1", "--block", "32"}, *arch::find(90));
    EXPECT_TRUE(out);
    return out && out->is_shared_assumed;
  };
  EXPECT_FALSE(assumed("none"));
  EXPECT_TRUE(assumed("own"));
  EXPECT_TRUE(assumed("called"));
}

// The members that the code reads, and zeros for the others; what is read with an index is no list of members.
TEST(Plan, ProposesStructuresMemberByMember) {
  auto argument = [](const std::string& body, const std::string& size) {
    const std::string line = proposed(".param .align 8 .b8 s[" + size + "]", thread + body);
    return line.starts_with("--grid") ? line.substr(line.find("--arg") + 6) : line;
  };
  const std::string access = "cvta.to.global.u64 %d3, %d2; mul.wide.s32 %d4, %r4, 4; add.s64 %d5, %d3, %d4;"
                             "ld.global.f32 %f1, [%d5];";
  EXPECT_EQ(
      argument("ld.param.u64 %d2, [s]; ld.param.u64 %d6, [s+16]; setp.lt.s64 %p1, %d1, %d6;" + access, "40"),
      "'{f32[1048576]=random,0,1024,0,0}'");
  EXPECT_EQ(argument("ld.param.u32 %r6, [s+4]; ld.param.u64 %d2, [s+8]; ld.param.f64 %d7, [s+16];"
                     "setp.lt.s32 %p1, %r4, %r6;" +
                         access,
                     "32"),
            "'{s32=0,u32=1024,f32[1048576]=random,f64=1,0}'");
  EXPECT_EQ(argument("ld.param.v2.u64 {%d2, %d6}, [s]; setp.lt.s64 %p1, %d1, %d6;" + access, "16"),
            "'{f32[1048576]=random,1024}'");
  EXPECT_TRUE(argument("mov.b64 %d6, s; add.s64 %d7, %d6, %d1; ld.param.u64 %d2, [%d7];" + access, "40")
                  .starts_with("parameter 1 is a structure with a pointer"));
}

TEST(Plan, ProposesZerosForALock) {
  const std::string base = "ld.param.u64 %d2, [lock]; cvta.to.global.u64 %d3, %d2;\n";
  EXPECT_EQ(proposed(".param .u64 lock", base + "atom.global.cas.b32 %r1, [%d3], 0, 1;"),
            "--grid 8 --block 128 --arg 'u32[1048576]'");
  EXPECT_EQ(proposed(".param .u64 lock",
                     base + "ld.global.b64 %d4, [%d3]; atom.global.cas.b64 %d5, [%d3], %d4, 1;"),
            "--grid 8 --block 128 --arg 'u64[1048576]'");
}

TEST(Plan, ProposesAsManyThreadsAsAreDeclared) {
  auto block = [](const std::string& directive) {
    const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() " +
                            directive +
                            "{ .reg .b32 %r<9>; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 5; ret; }\n";
    Result<Plan> out = plan_launch(module_of(ptx.c_str()), "k.ptx", {}, *arch::find(90));
    EXPECT_FALSE(out);
    return out ? "" : out.error().help;
  };
  EXPECT_EQ(block(""), "e.g. warplens run k.ptx --grid 8 --block 32");
  EXPECT_EQ(block(".maxntid 256, 1, 1"), "e.g. warplens run k.ptx --grid 8 --block 256");
}

TEST(Plan, ProposesElementsOfTheTypeThatIsComputedWith) {
  const std::string base = std::string(thread) + "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; "
                                                 "shl.b64 %d4, %d1, 2; add.s64 %d5, %d3, %d4;\n";
  auto element = [&](const std::string& uses) {
    const std::string line = proposed(".param .u64 a", base + uses);
    return line.substr(line.find("--arg") + 6);
  };
  EXPECT_EQ(element("ld.global.b32 %r5, [%d5]; mov.b32 {%h1, %h2}, %r5; cvt.f32.f16 %f1, %h1;"),
            "'f16[1048576]=random'");
  EXPECT_EQ(element("ld.global.b32 %r5, [%d5]; mov.b32 %f1, %r5; add.f32 %f2, %f1, %f1;"),
            "'f32[1048576]=random'");
  EXPECT_EQ(element("ld.global.u16 %h1, [%d5]; cvt.f32.bf16 %f1, %h1;"), "'bf16[1048576]=random'");
  EXPECT_EQ(element("ld.global.u8 %h1, [%d5]; st.global.u8 [%d5], %h1;"), "'u8[1048576]=random:1:256'");
  EXPECT_EQ(element("ld.global.u32 %r5, [%d5]; mul.wide.s32 %d6, %r5, 4; add.s64 %d7, %d3, %d6; "
                    "st.global.u32 [%d7], %r5;"),
            "'u32[1048576]=random:1:1024'"); // an index
  EXPECT_EQ(element("st.global.f64 [%d5], 0d0000000000000000;"), "'f64[1048576]'");
}

TEST(Plan, ProposesSizesAndShapesThatFitTheCode) {
  // Three sizes are multiplied: 1024 of each would not fit.
  EXPECT_EQ(proposed(".param .u64 a, .param .u32 n, .param .u32 m",
                     std::string(thread) +
                         "ld.param.u64 %d2, [a]; cvta.to.global.u64 %d3, %d2; ld.param.u32 %r5, [n]; "
                         "ld.param.u32 %r6, [m];"
                         "mul.lo.s32 %r7, %r4, %r5; mul.lo.s32 %r8, %r7, %r6; mul.wide.s32 %d4, %r8, 4;"
                         "add.s64 %d5, %d3, %d4; st.global.f32 [%d5], 0f00000000;"),
            "--grid 8 --block 128 --arg 'f32[1048576]' --arg 32 --arg 32");
  // A tile of 32 × 32, whose threads do four rows each.
  const std::string tile =
      ".shared .align 4 .b8 tile[4224];\n"
      "mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 5; mov.u32 %r3, %tid.x; add.s32 %r4, %r2, %r3;"
      "mov.u32 %r5, %ctaid.y; shl.b32 %r6, %r5, 5; mov.u32 %r7, %tid.y; add.s32 %r8, %r6, %r7;"
      "mad.lo.s32 %r9, %r7, 132, 0; shl.b32 %r10, %r3, 2; add.s32 %r11, %r9, %r10;"
      "mov.u32 %r12, tile; add.s32 %r13, %r12, %r11; ";
  EXPECT_EQ(proposed("", tile + "st.shared.u32 [%r13], %r4;"), "--grid 8,8 --block 32,32");
  EXPECT_EQ(proposed("", tile + "st.shared.u32 [%r13+3168], %r8;"), "--grid 8,8 --block 32,8");
  EXPECT_EQ(proposed("", tile, {"--grid", "2,2"}), "--grid 2,2 --block 32,32");
}

TEST(Plan, ProposesNothingWhereNoArgumentFits) {
  const char parameters[] = ".param .u64 a, .param .align 8 .b8 s[16]";
  const std::string in_memory = "ld.param.u64 %d1, [a]; ld.u64 %d2, [%d1]; ld.f32 %f1, [%d2];";
  EXPECT_TRUE(proposed(parameters, in_memory).starts_with("no --arg fits"));
}

TEST(Plan, AStructureIsGivenMemberByMember) {
  const char parameters[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x, "
                            ".param .align 8 .b8 array[32]) { ret; }\n";
  auto plan = [&](const Words& words) {
    return plan_launch(module_of(parameters), "k.ptx", with({"--grid", "1", "--block", "32"}, words),
                       *arch::find(90));
  };
  Result<Plan> out = plan({"--arg", "u8[8]", "--arg", "{s32=7,f32[64]+4=iota,-1,f32=2}", "--save", "2=o"});
  ASSERT_TRUE(out) << out.error().message;
  const std::vector<Argument>& members = out->arguments[1].members;
  ASSERT_EQ(members.size(), 4u);
  EXPECT_EQ((std::vector{members[0].at, members[1].at, members[2].at, members[3].at}),
            (std::vector<u64>{0, 8, 16, 24}));
  EXPECT_EQ(bits(members[0]), 7u);
  EXPECT_EQ(bits(members[2]), ~u64{0});
  EXPECT_EQ(out->arguments[1].its_buffer()->offset, 4u);
  EXPECT_EQ(out->buffers().size(), 2u);
  EXPECT_TRUE(plan({"--arg", "u8[8]", "--arg", "{@1,@1+8,0,0}"}));
  for (const auto& [wrong, why] :
       {std::pair{"{f32[64],8,8}", "has 24 bytes, and parameter 2 (array, .b8[32]) takes 32"},
        {"{f32[64],8,8,x}", "'x'"},
        {"{f32[64],8,8,8", "is not a structure"},
        {"{@2,8,8,8}", "is not an earlier argument"}}) {
    Result<Plan> refused = plan({"--arg", "u8[8]", "--arg", wrong});
    ASSERT_FALSE(refused) << wrong;
    EXPECT_NE(refused.error().message.find(why), std::string::npos) << refused.error().message;
  }
  EXPECT_FALSE(plan({"--arg", "{f32[64]}"}));
}

TEST(Plan, AnAddressMayBeginBehindTheBuffer) {
  Result<Plan> out = plan(with(
      saxpy, {"--arg", "1", "--arg", "f32[33]+4=iota", "--arg", "@2+128", "--arg", "1", "--save", "2=o"}));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->arguments[1].offset, 4u);
  EXPECT_EQ(out->arguments[1].fill.kind, Fill::Kind::iota);
  EXPECT_EQ(out->arguments[2].offset, 128u);
  out =
      plan(with(saxpy, {"--arg", "1", "--arg", "f32[33]=random:3+4", "--arg", "f32[33]=1e+5", "--arg", "1"}));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->arguments[1].offset, 4u);
  EXPECT_EQ(out->arguments[1].fill.seed, 3u);
  EXPECT_EQ(out->arguments[2].offset, 0u); // a number
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[33]+133"}),
              "begins behind its buffer, which has 132 bytes");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[33]+x"}), "is not TYPE[SIZE]=FILL");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[33]+4", "--arg", "@2+"}),
              "is not an earlier argument");
  EXPECT_SAID(with(tuned, {"--arg", "1", "--arg", "b8[12]+4"}), "takes the elements, and no address");
}

TEST(Plan, NamesAreThoseThatPeopleSay) {
  ir::Module module = module_of(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry "
                                "_ZN8__main__3sumB2v1B4cw51E5ArrayIfLi2EE(.param .u64 "
                                "_ZN8__main__3sumB2v1B4cw51E5ArrayIfLi2EE_param_0) { ret; }\n"
                                ".visible .entry _ZN8__main__4copyB99cw5E5Broken() { ret; }\n");
  auto said_of = [&](const Words& words) {
    Result<Plan> out = plan_launch(module, "k.ptx", words, *arch::find(90));
    EXPECT_FALSE(out);
    return out ? "" : diag::render(out.error());
  };
  EXPECT_NE(said_of({}).find("note: __main__::sum, copy"), std::string::npos) << said_of({});
  const std::string missing = said_of({"--kernel", "__main__::sum"});
  EXPECT_NE(missing.find("__main__::sum takes 1: .u64 param_0\n"), std::string::npos) << missing;
}

TEST(Plan, AKernelThatIsNotThereIsLookedForNearby) {
  EXPECT_SAID((Words{"--kernel", "saxpi"}), "did you mean 'saxpy'?");
  EXPECT_SAID((Words{"--kernel", "other"}), "it has saxpy, tuned");
  EXPECT_TRUE(plan(
      with({"--kernel", "_Z5saxpyiPKfPff"},
           with({"--grid", "1", "--block", "1"}, {"--arg", "1", "--arg", "0", "--arg", "0", "--arg", "1"}))));
  Result<Plan> none = plan_launch(module_of(".version 8.0\n.target sm_80\n.address_size 64\n"), "k.ptx",
                                  Words{}, *arch::find(90));
  EXPECT_EQ(none.error().message, "'k.ptx' has no kernel");
}

TEST(Plan, NamesThatTwoKernelsShareAreRefused) {
  ir::Module module =
      module_of(".version 8.0\n.target sm_80\n.address_size 64\n"
                ".visible .entry _Z1fIfEvv() { ret; }\n.visible .entry _Z1fIdEvv() { ret; }\n");
  Words words{"--kernel", "f", "--grid", "1", "--block", "1"};
  EXPECT_EQ(plan_launch(module, "k.ptx", words, *arch::find(90)).error().message,
            "'k.ptx' has 2 kernels 'f'");
  words[1] = "f<double>";
  EXPECT_EQ(plan_launch(module, "k.ptx", words, *arch::find(90))->kernel, "_Z1fIdEvv");
}

TEST(Plan, AnArgumentOfTheWrongKindSaysWhichParameterItIs) {
  EXPECT_SAID(with(saxpy, {"--arg", "f32[8]"}), "is a buffer, and parameter 1 (n, .u32) takes a number");
  EXPECT_SAID(with(saxpy, {"--arg", "1.5"}), "'1.5' is no whole number of 32 bits; parameter 1 (n, .u32)");
  EXPECT_SAID(with(saxpy, {"--arg", "5000000000"}), "does not fit into 32 bits");
  EXPECT_SAID(with(saxpy, {"--arg", "f32=1"}), "is of type f32, and parameter 1 (n, .u32) is not");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "ones"}), "a buffer is TYPE[SIZE]=FILL");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "float[8]"}), "types are u8 u16");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[0]"}), "is not TYPE[SIZE]=FILL");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[8"}), "is not TYPE[SIZE]=FILL");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[8]zeros"}), "is not TYPE[SIZE]=FILL");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[8]=nosuchfile"}),
              "neither a fill, nor a number of type f32, nor");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f32[8]=random:x"}), "is no random fill");
  EXPECT_SAID(with(tuned, {"--arg", "1", "--arg", "1"}), "parameter 2 (pair, .b8[12]) takes 12 bytes");
  EXPECT_SAID(with(tuned, {"--arg", "1", "--arg", "b8[13]"}), "has 13 bytes");
}

TEST(Plan, TypesWithoutNumbersTakeBytes) {
  ir::Module module = module_of(".version 8.3\n.target sm_80\n.address_size 64\n"
                                ".visible .entry k(.param .b128 wide, .param .f16x2 two) { ret; }\n");
  Words words{"--grid", "1", "--block", "1", "--arg", "1"};
  Result<Plan> number = plan_launch(module, "k.ptx", words, *arch::find(90));
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().message, "--arg '1' is a number, and parameter 1 (wide, .b128) takes 16 bytes");
  words.back() = "b8[16]=iota";
  words.insert(words.end(), {"--arg", "f16[2]=1"});
  Result<Plan> bytes = plan_launch(module, "k.ptx", words, *arch::find(90));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(bytes->arguments[1].bytes(), 4u);
}

TEST(Plan, ShapesAndSizesThatNoDeviceHasAreRefused) {
  EXPECT_SAID((Words{"--kernel", "saxpy", "--grid", "8", "--block", "1025"}), "1024 in all");
  EXPECT_SAID((Words{"--kernel", "saxpy", "--grid", "0", "--block", "8"}), "a grid of 0×1×1 blocks");
  for (const char* wrong : {"", "x", "8,", "8,1,1,1", "-1", "4294967296", "8 8"})
    EXPECT_SAID((Words{"--kernel", "saxpy", "--grid", wrong, "--block", "8"}), "is not one to three sizes");
  EXPECT_SAID(with(saxpy, {"--shared", "232449"}), "up to 232448");
  const Words huge = with(saxpy, {"--arg", "1", "--arg", "f64[1000000x1000000]", "--arg", "0", "--arg", "1"});
  EXPECT_SAID(huge, "GiB, and the device has");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "f64[99999999999x99999999999]"}), "is not TYPE[SIZE]=FILL");
}

TEST(Plan, WordsThatItDoesNotKnowAreSentToTheirPlace) {
  EXPECT_SAID(with(saxpy, {"--details"}), "come before the file: warplens run --details k.ptx");
  EXPECT_SAID(with(saxpy, {"--json", "r.json"}), "come before the file: warplens run --json r.json k.ptx");
  EXPECT_SAID(with(saxpy, {"-j"}), "come before the file: warplens run -j VALUE k.ptx");
  EXPECT_SAID(with(saxpy, {"--nonsense", "1"}), "options of the launch are --kernel");
  EXPECT_SAID(with(saxpy, {"--arq", "1"}), "did you mean '--arg'?");
  EXPECT_SAID(with(saxpy, {"word"}), "'word' is not known");
  EXPECT_SAID(with(saxpy, {"--grid", "9"}), "--grid is given twice");
  EXPECT_SAID(with(saxpy, {"--arg"}), "--arg needs a value");
  EXPECT_SAID(with(saxpy, {"--arg", "1", "--arg", "0", "--arg", "0", "--arg", "1", "--save", "1=f"}),
              "is not ARGUMENT=FILE");
  EXPECT_TRUE(is_launch_option("--grid=8"));
  EXPECT_FALSE(is_launch_option("--json"));
}

TEST(Values, EveryTypeHasItsNumbers) {
  auto bits_of = [](std::string_view word, ir::Type type) -> u64 {
    Result<std::vector<std::byte>> value = number(word, type);
    EXPECT_TRUE(value) << word;
    u64 out = 0;
    if (value) std::memcpy(&out, value->data(), value->size());
    return out;
  };
  using ir::Type;
  EXPECT_EQ(bits_of("1.5", Type::f16), 0x3e00u);
  EXPECT_EQ(bits_of("65504", Type::f16), 0x7bffu);
  EXPECT_EQ(bits_of("65520", Type::f16), 0x7c00u);   // a tie, to the even that is infinity
  EXPECT_EQ(bits_of("5.96e-8", Type::f16), 0x0001u); // the least subnormal
  EXPECT_EQ(bits_of("-0.0", Type::f16), 0x8000u);
  EXPECT_EQ(bits_of("1.00390625", Type::bf16), 0x3f80u); // a tie
  EXPECT_EQ(bits_of("-3", Type::bf16), 0xc040u);
  EXPECT_EQ(bits_of("inf", Type::f32), 0x7f800000u);
  EXPECT_EQ(bits_of("0xffffffffffffffff", Type::u64), ~u64{0});
  EXPECT_EQ(bits_of("-9223372036854775808", Type::s64), u64{1} << 63);
  EXPECT_EQ(bits_of("255", Type::s8), 0xffu);
  EXPECT_FALSE(number("-129", Type::s8));
  EXPECT_FALSE(number("256", Type::u8));
  EXPECT_FALSE(number("", Type::f32));
  EXPECT_FALSE(number("1.5", Type::b16));
}

template <class T> std::vector<T> filled(const std::string& word, ir::Type type, std::size_t count) {
  std::vector<T> out(count, T(77));
  Result<Fill> parsed = parse_fill(word, type);
  EXPECT_TRUE(parsed) << word;
  if (parsed) {
    EXPECT_TRUE(fill(std::as_writable_bytes(std::span(out)), type, *parsed)) << word;
  }
  return out;
}

TEST(Values, FillsAreWhatTheySay) {
  EXPECT_EQ(filled<u32>("zeros", ir::Type::u32, 3), (std::vector<u32>{0, 0, 0}));
  EXPECT_EQ(filled<float>("iota", ir::Type::f32, 3), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(filled<u8>("iota", ir::Type::u8, 258)[257], 1u);
  EXPECT_EQ(filled<double>("2.5", ir::Type::f64, 2), (std::vector<double>{2.5, 2.5}));
  std::vector<float> unit = filled<float>("random", ir::Type::f32, 4096);
  EXPECT_EQ(unit, filled<float>("random:0", ir::Type::f32, 4096));
  EXPECT_NE(unit, filled<float>("random:1", ir::Type::f32, 4096));
  double sum = 0;
  for (float x : unit) {
    EXPECT_TRUE(x >= 0 && x < 1);
    sum += x;
  }
  EXPECT_NEAR(sum / 4096, 0.5, 0.02); // the mean of 4096 has a deviation of 0.0045
  u32 most = 0;
  for (u32 x : filled<u32>("random:7:10", ir::Type::u32, 1000)) most = std::max(most, x);
  EXPECT_EQ(most, 9u);
}

TEST(Values, AFileHasExactlyTheBytes) {
  std::string path = testing::TempDir() + "warplens-values-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << std::string("\1\0\0\0\2\0\0\0", 8);
  EXPECT_EQ(filled<u32>(path, ir::Type::u32, 2), (std::vector<u32>{1, 2}));
  std::vector<u32> three(3);
  Result<void> wrong =
      fill(std::as_writable_bytes(std::span(three)), ir::Type::u32, *parse_fill(path, ir::Type::u32));
  EXPECT_NE(wrong.error().message.find("has 8 bytes, and the argument 12"), std::string::npos);
  unlink(path.c_str());
}

} // namespace
} // namespace warplens::launcher
