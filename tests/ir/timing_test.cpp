// Which accesses depend on timing, from PTX text: an access per line of the expectation, in the order of the text.
#include "ir/timing.h"
#include "ptx/parse.h"
#include <gtest/gtest.h>

namespace warplens::ir {
namespace {

std::string labels_of(const std::string& text) {
  auto parsed = ptx::parse(".version 8.3\n.target sm_80\n.address_size 64\n" + text);
  if (!parsed) {
    ADD_FAILURE() << diag::render(parsed.error(), text);
    return {};
  }
  const Module& module = parsed->module;
  std::vector<FunctionId> functions;
  for (u32 f = 0; f < module.functions.size(); ++f) functions.push_back(FunctionId(f));
  auto found = timing_dependence(module, functions);
  std::string out;
  for (u32 s = 0; s < module.sites.size(); ++s) {
    auto known = found.find(SiteId(s));
    out += (out.empty() ? "" : " ") + std::string(known == found.end() ? "-" : access::name(known->second));
  }
  return out;
}

std::string body(const std::string& text) {
  return labels_of(".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>; "
                   ".reg .f32 %f<4>;\n"
                   ".shared .align 8 .b8 s[1024];\nld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x;\n" +
                   text + "\nret; }\n");
}

TEST(Timing, OrdinaryKernelsAreExact) {
  EXPECT_EQ(body("ld.global.u32 %r1, [%d0]; atom.global.add.u32 %r2, [%d0], 1; st.global.u32 [%d0], %r1;"),
            "- - -");
  // a loop that others do not end
  EXPECT_EQ(body("L: ld.global.u32 %r1, [%d0]; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 9; @%p0 bra L;"),
            "-");
  // polled memory that ends no loop
  EXPECT_EQ(body("ld.volatile.shared.u32 %r1, [s]; setp.gt.u32 %p0, %r1, 1; @%p0 bra E; st.global.u32 [%d0], "
                 "%r1; E:"),
            "- -");
  EXPECT_EQ(body("atom.shared.add.u32 %r1, [s], 1;"), "-");
  EXPECT_EQ(body("atom.shared.exch.b64 %d1, [s], %d0;"), "-");
}

TEST(Timing, LoopsThatWait) {
  EXPECT_EQ(body("L: ld.acquire.gpu.global.u32 %r1, [%d0]; ld.global.u32 %r3, [%d0+8]; setp.eq.s32 %p0, %r1, "
                 "0; @%p0 bra L;\n"
                 "ld.global.u32 %r2, [%d0+4];"),
            "spin spin -");
  EXPECT_EQ(body("L: atom.global.exch.b32 %r1, [%d0], 1; setp.ne.s32 %p0, %r1, 0; @%p0 bra L; st.global.u32 "
                 "[%d0], %r0;"),
            "spin -");
  EXPECT_EQ(
      body("mov.b32 %r5, 0; L: atom.global.cas.b32 %r1, [%d0], %r5, 1; setp.ne.s32 %p0, %r1, 0; @%p0 bra L;"),
      "spin");
  EXPECT_EQ(body("mov.u64 %d2, %clock64; L: ld.global.u32 %r3, [%d0]; mov.u64 %d3, %clock64; sub.s64 %d3, "
                 "%d3, %d2;\n"
                 "setp.lt.s64 %p0, %d3, 99; @%p0 bra L;"),
            "spin");
  EXPECT_EQ(
      body("L: mov.b32 %r5, 0; atom.global.cas.b32 %r1, [%d0], %r5, 1; setp.ne.s32 %p0, %r1, 0; @%p0 bra L;"),
      "spin");
  // found by a function
  EXPECT_EQ(
      labels_of(
          ".visible .func (.param .b32 result) look(.param .b64 at) {\n.reg .b32 %r<2>; .reg .b64 %d<2>;\n"
          "ld.param.u64 %d0, [at]; ld.volatile.global.u32 %r0, [%d0]; st.param.b32 [result], %r0; ret; }\n"
          ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>;\n"
          "ld.param.u64 %d0, [p];\nL: ld.global.u32 %r2, [%d0];\n{ .param .b64 a; .param .b32 r; "
          "st.param.b64 [a], %d0;\n"
          "call (r), look, (a); ld.param.b32 %r1, [r]; }\nsetp.eq.s32 %p0, %r1, 0; @%p0 bra L; ret; }\n"),
      "spin spin");
}

TEST(Timing, Retries) {
  EXPECT_EQ(body("ld.global.u32 %r1, [%d0]; L: mov.u32 %r2, %r1; add.u32 %r3, %r2, 5;\n"
                 "atom.global.cas.b32 %r1, [%d0], %r2, %r3; setp.ne.s32 %p0, %r1, %r2; @%p0 bra L; "
                 "st.global.u32 [%d0], %r0;"),
            "- retry -");
  EXPECT_EQ(body("atom.shared.add.f32 %f0, [s], 0f3F800000; red.shared.add.f64 [s], 0d3FF0000000000000; "
                 "red.global.add.f32 "
                 "[%d0], 0f3F800000;"),
            "retry retry -");
}

TEST(Timing, WhoWinsARace) {
  // the place that a counter gave
  EXPECT_EQ(body("atom.global.add.u32 %r1, [%d0], 1; mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1; "
                 "st.global.u32 [%d1], %r0;\n"
                 "st.global.u32 [%d0], %r1;"),
            "- race -");
  // who is first
  EXPECT_EQ(body("atom.global.cas.b32 %r1, [%d0], 0, 1; setp.ne.s32 %p0, %r1, 0; @%p0 bra E; st.global.u32 "
                 "[%d0], %r0; E:\n"
                 "ld.global.u32 %r2, [%d0];"),
            "- race -");
  EXPECT_EQ(
      body("atom.global.min.u32 %r1, [%d0], %r0; setp.lt.u32 %p0, %r0, %r1; @%p0 st.global.u32 [%d0], %r0;"),
      "- race");
  // a work queue
  EXPECT_EQ(body("L: atom.global.add.u32 %r1, [%d0], 1; setp.ge.u32 %p0, %r1, 100; @%p0 bra E; ld.global.u32 "
                 "%r2, [%d0+4]; bra L; E:"),
            "race race");
  // one thread gets the last ticket, whoever it is
  EXPECT_EQ(body("atom.global.add.u32 %r1, [%d0], 1; setp.ne.s32 %p0, %r1, 99; @%p0 bra E; ld.global.u32 "
                 "%r2, [%d0+4]; E:"),
            "- -");
}

// A register holds one value after the other, as machine code has them.
TEST(Timing, IsAskedOfValuesNotOfRegisters) {
  const std::string at_r1 = "mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r0;";
  EXPECT_EQ(body("atom.global.add.u32 %r1, [%d0], 1; st.global.u32 [%d0], %r1; mov.u32 %r1, %r0;" + at_r1),
            "- - -");
  EXPECT_EQ(body("mov.u32 %r1, %r0;" + at_r1 + "atom.global.add.u32 %r1, [%d0], 1;" + at_r1), "- - race");
  // of some threads alone, and from the turn before
  EXPECT_EQ(body("mov.u32 %r1, 0; setp.lt.u32 %p0, %r0, 5; @%p0 atom.global.add.u32 %r1, [%d0], 1;" + at_r1),
            "- race");
  EXPECT_EQ(
      body("mov.u32 %r1, 0; L: " + at_r1 +
           "atom.global.add.u32 %r1, [%d0], 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 9; @%p0 bra L;"),
      "race -");
}

} // namespace
} // namespace warplens::ir
