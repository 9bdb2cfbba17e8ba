// Video instructions of parts of registers, against their meaning in the PTX ISA ("Scalar Video Instructions").
#include "sim/harness.h"
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sstream>

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

// The element `n` of a and b, of which a has the first.
i64 half_of_both(Operands o, u32 n, bool is_signed) { return half(n < 2 ? o.a : o.b, n % 2, is_signed); }
i64 byte_of_both(Operands o, u32 n, bool is_signed) { return byte(n < 4 ? o.a : o.b, n % 4, is_signed); }

TEST(VideoElements, AreChosenFromBothSources) {
  expect("vadd2.s32.s32.u32 %r4, %r1.h30, %r2.h12, %r3;", [](Operands o) {
    i64 low = half_of_both(o, 0, true) + half_of_both(o, 2, false);
    i64 high = half_of_both(o, 3, true) + half_of_both(o, 1, false);
    return static_cast<u32>(low & 0xffff) | static_cast<u32>(high) << 16;
  });
  expect("vmax4.u32.u32.u32 %r4, %r1.b7531, %r2.b0246, %r3;", [](Operands o) {
    u32 out = 0;
    for (u32 n = 0; n < 4; ++n)
      out |= static_cast<u32>(std::max(byte_of_both(o, 2 * n + 1, false), byte_of_both(o, 6 - 2 * n, false)))
             << 8 * n;
    return out;
  });
}

TEST(VideoElements, ThatTheDestinationDoesNotNameAreTheThirdSources) {
  expect("vsub4.s32.s32.s32.sat %r4.b20, %r1, %r2, %r3;", [](Operands o) {
    u32 out = o.c & 0xff00ff00;
    for (u32 n : {0, 2})
      out |= static_cast<u32>(std::clamp<i64>(byte(o.a, n, true) - byte(o.b, n, true), -128, 127) & 0xff)
             << 8 * n;
    return out;
  });
  expect("vavrg2.u32.u32.u32 %r4.h1, %r1, %r2, %r3;", [](Operands o) {
    return (o.c & 0xffff) | static_cast<u32>((half(o.a, 1, false) + half(o.b, 1, false) + 1) >> 1) << 16;
  });
}

TEST(VideoElements, ThatTheDestinationDoesNotNameAreNotAddedUp) {
  expect("vadd2.s32.s32.s32.add %r4.h0, %r1, %r2, %r3;",
         [](Operands o) { return half(o.a, 0, true) + half(o.b, 0, true) + o.c; });
  expect("vavrg4.u32.u32.u32.add %r4.b3, %r1, %r2, %r3;",
         [](Operands o) { return ((byte(o.a, 3, false) + byte(o.b, 3, false) + 1) >> 1) + o.c; });
  for (const char* relation : {"eq", "ne", "lt", "le", "gt", "ge"})
    expect(fmt::format("vset4.s32.s32.{}.add %r4.b31, %r1, %r2.b0123, %r3;", relation), [&](Operands o) {
      u32 sum = o.c;
      for (u32 n : {1, 3}) {
        i64 a = byte(o.a, n, true), b = byte_of_both(o, 3 - n, true);
        std::string_view r = relation;
        sum += r == "eq"   ? a == b
               : r == "ne" ? a != b
               : r == "lt" ? a < b
               : r == "le" ? a <= b
               : r == "gt" ? a > b
                           : a >= b;
      }
      return sum;
    });
}

// The triples of tests/hardware/ptx_corners.cu.
std::vector<Operands> measured_triples() {
  u32 state = 12345;
  auto next = [&] { return state = state * 1664525u + 1013904223u, state ^ state >> 15; };
  auto word = [&] {
    u32 x = next();
    return next() % 4 == 0 ? x & 0x80ff7f01u : x;
  };
  std::vector<Operands> out;
  for (int i = 0; i < 24; ++i) {
    Operands one{};
    one.a = word(), one.b = word(), one.c = word();
    out.push_back(one);
  }
  return out;
}

TEST(Video, GivesWhatAnH200Gives) {
  std::ifstream file(WARPLENS_SOURCE_DIR "/tests/sim/data/video_h200.txt");
  u32 instructions = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t end = line.find(';') + 1;
    std::istringstream words(line.substr(end));
    std::vector<u32> want(24);
    for (u32& w : want) words >> std::hex >> w;
    EXPECT_EQ(results(line.substr(0, end), measured_triples()), want) << line.substr(0, end);
    ++instructions;
  }
  EXPECT_EQ(instructions, 141u);
}

TEST(VideoElements, ThatThereAreNotMakeTheInstructionUnknown) {
  for (const char* text :
       {"vadd2.s32.s32.s32 %r1, %r2.h40, %r3, %r4;", "vadd2.s32.s32.s32 %r1, %r2.b10, %r3, %r4;",
        "vadd4.s32.s32.s32 %r1, %r2.b43210, %r3, %r4;", "vadd4.s32.s32.s32 %r1, %r2.b10, %r3, %r4;",
        "vadd2.s32.s32.s32 %r1, %r2, %r3, %r4.h10;"}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(ptx_header() + ".visible .entry k() { .reg .b32 %r<5>; " + text + " ret; }"));
    LaunchResult result = gpu.run("k", {1}, {32}, {});
    ASSERT_TRUE(result.fault.has_value()) << text;
    EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction);
  }
}

} // namespace
} // namespace warplens::sim
