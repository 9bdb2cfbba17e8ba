// Video instructions of parts of registers, against their meaning in the PTX ISA ("Scalar Video Instructions").
#include "sim/harness.h"
#include <fmt/format.h>
#include <random>

namespace warplens::sim {
namespace {

struct Operands {
  u32 a, b, c;
};

// k(in, out): every thread has a, b and c in %r1, %r2 and %r3; %r4 is its result.
std::vector<u32> results(const std::string& instruction, const std::vector<Operands>& given) {
  Gpu gpu;
  if (!gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<8>;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r0, %tid.x;
  mul.wide.u32 %d3, %r0, 12; add.u64 %d1, %d1, %d3; mul.wide.u32 %d4, %r0, 4; add.u64 %d2, %d2, %d4;
  ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+4]; ld.global.u32 %r3, [%d1+8]; mov.u32 %r4, 0;
)" + instruction +
                "\n st.global.u32 [%d2], %r4; ret; }\n"))
    return {};
  u64 in = gpu.buffer(given), out = gpu.buffer(std::vector<u32>(given.size()));
  gpu.expect_run("k", {1}, {static_cast<u32>(given.size())}, {in, out});
  return gpu.read<u32>(out, given.size());
}

std::vector<Operands> some() {
  std::mt19937 random(7);
  std::vector<Operands> out{{0, 0, 0}, {~0u, ~0u, ~0u}, {0x80808080, 0x7f7f7f7f, 0x12345678}};
  while (out.size() < 64)
    out.push_back({static_cast<u32>(random()), static_cast<u32>(random()), static_cast<u32>(random())});
  return out;
}

i64 byte(u32 word, u32 n, bool is_signed) {
  u32 raw = word >> (8 * n) & 0xff;
  return is_signed ? i64{static_cast<i8>(raw)} : i64{raw};
}
i64 half(u32 word, u32 n, bool is_signed) {
  u32 raw = word >> (16 * n) & 0xffff;
  return is_signed ? i64{static_cast<i16>(raw)} : i64{raw};
}

template <class F> void expect(const std::string& instruction, F&& meaning) {
  std::vector<Operands> given = some();
  std::vector<u32> got = results(instruction, given);
  ASSERT_EQ(got.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    EXPECT_EQ(got[i], static_cast<u32>(meaning(given[i])))
        << instruction << std::hex << " " << given[i].a << " " << given[i].b << " " << given[i].c;
}

TEST(VideoParts, OfSourcesHaveTheSignOfTheirType) {
  expect("vadd.s32.s32.u32 %r4, %r1.b2, %r2.h1;",
         [](Operands o) { return byte(o.a, 2, true) + half(o.b, 1, false); });
  expect("vsub.u32.u32.s32 %r4, %r1.h0, %r2.b3;",
         [](Operands o) { return half(o.a, 0, false) - byte(o.b, 3, true); });
  expect("vmad.s32.s32.s32 %r4, %r1.h1, %r2.h0, %r3;",
         [](Operands o) { return half(o.a, 1, true) * half(o.b, 0, true) + o.c; });
  expect("vset.s32.s32.lt %r4, %r1.b0, %r2.b1;",
         [](Operands o) { return byte(o.a, 0, true) < byte(o.b, 1, true); });
}

TEST(VideoParts, WithASecondOperation) {
  expect("vabsdiff.u32.u32.u32.add %r4, %r1.b0, %r2.b0, %r3;",
         [](Operands o) { return std::abs(byte(o.a, 0, false) - byte(o.b, 0, false)) + o.c; });
  expect("vmin.s32.s32.s32.max %r4, %r1.h0, %r2.h1, %r3;", [](Operands o) {
    return std::max(std::min(half(o.a, 0, true), half(o.b, 1, true)), i64{static_cast<i32>(o.c)});
  });
}

TEST(VideoParts, OfTheResultAreMergedIntoTheThirdSource) {
  expect("vadd.u32.u32.u32 %r4.b1, %r1.b0, %r2.b0, %r3;", [](Operands o) {
    u32 sum = static_cast<u32>(byte(o.a, 0, false) + byte(o.b, 0, false));
    return (o.c & ~0xff00u) | (sum & 0xff) << 8;
  });
  expect("vadd.s32.s32.s32.sat %r4.h1, %r1, %r2.b3, %r3;", [](Operands o) {
    i64 sum = std::clamp<i64>(i64{static_cast<i32>(o.a)} + byte(o.b, 3, true), -32768, 32767);
    return (o.c & 0xffff) | static_cast<u32>(sum) << 16;
  });
  expect("vsub.u32.u32.u32.sat %r4.b3, %r1.h0, %r2.h0, %r3;", [](Operands o) {
    i64 rest = std::clamp<i64>(half(o.a, 0, false) - half(o.b, 0, false), 0, 255);
    return (o.c & 0xffffff) | static_cast<u32>(rest) << 24;
  });
}

TEST(VideoParts, ADotWithoutAPartIsAnError) {
  auto parsed = ptx::parse(ptx_header() +
                           ".visible .entry k() { .reg .b32 %r<5>; vadd.s32.s32.s32 %r1., %r2, %r3; ret; }");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().kind, "ptx-syntax");
}

TEST(VideoParts, SeveralAtOnceAreRefusedByName) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() +
                       ".visible .entry k() { .reg .b32 %r<5>; vadd2.s32.s32.s32 %r1, %r2.h10, %r3, "
                       "%r4; ret; }"));
  LaunchResult result = gpu.run("k", {1}, {32}, {});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction);
  EXPECT_NE(result.fault->diagnostic.message.find("h10"), std::string::npos)
      << result.fault->diagnostic.message;
}

} // namespace
} // namespace warplens::sim
