// Registers by what they hold, and what nobody reads (src/code/ir/tidy.h).
#include "ir/origin.h"
#include "ir/tidy.h"
#include "ir/verify.h"
#include "ptx/parse.h"
#include <gtest/gtest.h>

namespace warplens::ir {
namespace {

Module tidied(const std::string& body) {
  Result<ptx::Parsed> parsed = ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n"
                                          ".visible .entry k(.param .u64 a, .param .u64 b) {\n" +
                                              body + "\n}\n",
                                          {"test", false});
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  Module out = std::move(parsed->module);
  tidy(out, out.functions[0]);
  EXPECT_TRUE(verify(out).empty());
  return out;
}

// "ld ld st": the opcodes in their order.
std::string opcodes(const Module& module) {
  std::string out;
  for (const Instruction& i : module.functions[0].instructions)
    out += std::string(out.empty() ? "" : " ") + std::string(info(module.form(i).opcode).text);
  return out;
}

TEST(Tidy, ARegisterOfTwoArraysIsTwo) {
  const Module module = tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d0, [a];
  ld.global.u32 %r0, [%d0];
  ld.param.u64 %d0, [b];
  st.global.u32 [%d0], %r0;
  ret;)");
  std::vector<u32> parameters;
  for (const SiteOrigin& one : origins(module, module.functions[0])) {
    const access::Array array = array_of(module, module.functions[0], one.origin);
    ASSERT_EQ(array.kind, access::ArrayKind::parameter);
    parameters.push_back(array.parameter);
  }
  EXPECT_EQ(parameters, (std::vector<u32>{0, 1}));
}

TEST(Tidy, ARegisterThatALoopChangesIsOne) {
  const Module module = tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.u64 %d0, [a];
  mov.u32 %r0, 0;
LOOP:
  st.global.u32 [%d0], %r0;
  add.s64 %d0, %d0, 4;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p0, %r0, 9;
  @%p0 bra LOOP;
  ret;)");
  EXPECT_EQ(opcodes(module), "ld mov st add add setp bra ret");
  u32 sums = 0;
  for (const Instruction& i : module.functions[0].instructions) {
    if (module.form(i).opcode != Opcode::add) continue;
    ++sums;
    EXPECT_EQ(module.functions[0].destinations(i)[0].reg, module.functions[0].sources(i)[0].reg);
  }
  EXPECT_EQ(sums, 2u);
}

TEST(Tidy, WhatNobodyReadsGoesAndAccessesStay) {
  EXPECT_EQ(opcodes(tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<5>;
  ld.param.u64 %d0, [a];
  ld.global.u32 %r0, [%d0];
  add.u32 %r1, %r0, 1;
  add.u32 %r2, %r1, 1;
  mov.b64 {%r3, %r4}, %d0;
  ret;)")),
            "ld ld ret");
}

// A number that a loop changes and nobody else reads.
TEST(Tidy, WhatReadsOnlyItselfGoes) {
  EXPECT_EQ(opcodes(tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p<3>;
  ld.param.u64 %d0, [a];
  mov.u32 %r0, 0;
  mov.u32 %r1, 0;
LOOP:
  st.global.u32 [%d0], %r0;
  add.u32 %r0, %r0, 1;
  setp.lt.u32 %p1, %r1, 7;
  selp.u32 %r2, 1, 0, %p1;
  add.u32 %r1, %r1, %r2;
  setp.lt.u32 %p0, %r0, 9;
  @%p0 bra LOOP;
  ret;)")),
            "ld mov st add setp bra ret");
}

TEST(Tidy, AResultGoesWhereItIsCopiedTo) {
  EXPECT_EQ(opcodes(tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<3>;
  ld.param.u64 %d0, [a];
  add.s64 %d1, %d0, 8;
  mov.b64 %d0, %d1;
  st.global.u32 [%d0], 1;
  ret;)")),
            "ld add st ret");
}

// A guard leaves the old value in other lanes: both are one register, and the copy stays.
TEST(Tidy, AGuardedCopyStays) {
  const Module module = tidied(R"(
  .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p<2>;
  ld.param.u64 %d0, [a];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  setp.lt.u32 %p0, %r0, 9;
  @%p0 mov.b32 %r0, %r1;
  st.global.u32 [%d0], %r0;
  ret;)");
  EXPECT_EQ(opcodes(module), "ld mov mov setp mov st ret");
}

} // namespace
} // namespace warplens::ir
