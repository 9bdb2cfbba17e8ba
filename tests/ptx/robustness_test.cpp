// Damaged text is refused or accepted, never a crash, a hang or unbounded memory: a valid module cut at every
// byte, with random bytes changed, and inputs built to be expensive.
#include "ir/verify.h"
#include "ptx/ptx_test.h"
#include <random>

namespace warplens::ptx {
namespace {

std::string everything() {
  return kernel(R"(
.param .b32 r0; .param .b32 a0;
{ .reg .b32 t<3>; mov.u32 t1, %tid.x; L: add.u32 t1, t1, 1; @%p1 bra L; }
T: .branchtargets A, B;
brx.idx %r1, T;
A: call (r0), f, (a0), proto;
B: ld.global.v2.f32 {%f1, _}, [table+8];
add.cc.u32 %r1, %r2, -(3 + 4) << 2; addc.u32 %r1, %r2, 0x1F;
setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;
foo.bar.u32 %r1, {a, [b], c};
)",
                R"(.file 1 "a.cu"
.global .align 4 .b8 table[2][3] = {{1, 2, 3}, {0xFF(table), 0xFF00(table)}};
.global .u64 q = generic(table)+4;
.extern .func (.param .b32 r) f (.param .b32 a);
)");
}

// Either outcome will do, but an error has a place and a message, and a module keeps the conventions. Whether
// the text was accepted.
bool survive(const std::string& text) {
  Result<Parsed> result = parse(text);
  if (result) {
    EXPECT_TRUE(ir::verify(result->module).empty());
  } else {
    EXPECT_FALSE(result.error().message.empty());
    EXPECT_FALSE(result.error().kind.empty());
    EXPECT_GT(result.error().span.line, 0u) << result.error().message;
  }
  return result.has_value();
}
bool refused(const std::string& text) { return !survive(text); }

TEST(Robustness, TruncatedAnywhere) {
  ASSERT_TRUE(parse(everything()).has_value()) << parse(everything()).error().message;
  for (const std::string& text : {everything(), read_data("inline.clang.ptx")}) {
    std::size_t refused = 0;
    for (std::size_t length = 0; length < text.size(); length += 1)
      refused += !survive(text.substr(0, length));
    EXPECT_GT(refused, text.size() / 2); // only what ends between two declarations is a module
  }
}

TEST(Robustness, RandomDamage) {
  std::mt19937 random(1);
  const std::string alphabet = "{}()[];,.:%$@!_<>=+-*/|0123456789abfrx\"\n\t \0\x80", text = everything(),
                    dwarf = read_data("inline.clang.ptx");
  u32 accepted = 0;
  for (u32 round = 0; round < 20'000; ++round) {
    std::string damaged = round % 2 ? text : dwarf;
    for (u32 n = 0; n < 1 + round % 8; ++n)
      damaged[random() % damaged.size()] = alphabet[random() % alphabet.size()];
    accepted += survive(damaged);
  }
  EXPECT_GT(accepted, 100u); // damage that matters, and damage that does not
  EXPECT_LT(accepted, 19'900u);
}

std::string repeat(std::string_view piece, u32 times) {
  std::string text;
  for (u32 i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(Robustness, ExpensiveInputsStayCheap) {
  EXPECT_TRUE(refused(kernel(".reg .b32 %x<4000000000>;")));
  EXPECT_TRUE(refused(kernel(repeat("{", 100'000))));
  EXPECT_TRUE(refused(kernel("mov.u32 %r1, " + repeat("(", 100'000))));
  EXPECT_TRUE(refused(kernel("mov.u32 %r1, " + repeat("-", 100'000) + "1;")));
  EXPECT_TRUE(refused(kernel("mov.u32 %r1, " + repeat("1 ? 2 : ", 100'000) + "1;")));
  EXPECT_TRUE(refused(kernel("foo " + repeat("[", 100'000))));
  EXPECT_TRUE(refused(kernel("ld.global.v4.u32 " + repeat("{", 100'000))));
  EXPECT_TRUE(refused(kernel("", ".global .b8 a[99999999999][99999999999];")));
  EXPECT_TRUE(refused(kernel("", ".global .b8 a[4] = " + repeat("{", 100'000))));
  EXPECT_FALSE(refused(kernel("", ".global .align 3 .b8 a[4];")));
  EXPECT_TRUE(refused(kernel("", ".global .b8 a[4] = {1, 2, 3, 4, 5, 6};")));
  EXPECT_FALSE(
      refused(kernel(repeat("a", 1'000'000) + ";"))); // an opcode that nobody knows ends who executes it
  EXPECT_TRUE(refused(kernel("call f, (" + repeat("%r1, ", 1000) + "%r1);")));
  EXPECT_TRUE(refused(kernel("T: .branchtargets L" + repeat(", L", 20'000) + ";\n" +
                             repeat("brx.idx %r1, T;\n", 20'000) + "L:")));
}

TEST(Robustness, ATextureIsANameAndNothingElse) {
  EXPECT_FALSE(refused(kernel("", ".tex .u32 t;\n.global .texref u;")));
  EXPECT_TRUE(refused(kernel("", ".global .texref t[2];")));
  EXPECT_TRUE(refused(kernel("", ".tex .u32 t = {0, 2};")));
}

TEST(Robustness, WhatIsNotPtx) {
  for (std::string text : {std::string(), std::string("\0\0\0", 3),
                           std::string("\x7f"
                                       "ELF\2\1\1"),
                           std::string("int main() {}"), std::string(".version"),
                           std::string(".version 8.0\n.target sm_80\n.entry"), std::string("/* open")}) {
    Result<Parsed> result = parse(text);
    ASSERT_FALSE(result.has_value()) << text;
    EXPECT_EQ(result.error().span.file, "input.ptx");
    EXPECT_GT(result.error().span.line, 0u);
  }
}

} // namespace
} // namespace warplens::ptx
