// Atomics whose addresses collide, against a plain loop over the lanes in order: every operation and width,
// in shared and global memory, with results used and not, all lanes and some, one address and several.
#include "sim/harness.h"
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

struct Operation {
  const char* text; // operation and type
  u32 bits;
};
constexpr Operation operations[] = {
    {"add.u32", 32}, {"add.s32", 32}, {"add.u64", 64}, {"min.u32", 32},  {"min.s32", 32},
    {"min.u64", 64}, {"min.s64", 64}, {"max.u32", 32}, {"max.s32", 32},  {"max.u64", 64},
    {"max.s64", 64}, {"inc.u32", 32}, {"dec.u32", 32}, {"and.b32", 32},  {"and.b64", 64},
    {"or.b32", 32},  {"or.b64", 64},  {"xor.b32", 32}, {"exch.b32", 32}, {"exch.b64", 64},
    {"cas.b32", 32}, {"cas.b64", 64}, {"cas.b16", 16}, {"add.f32", 32},  {"add.f64", 64}};

u64 cut(u64 v, u32 bits) { return bits == 64 ? v : v & ((u64{1} << bits) - 1); }
i64 extend(u64 v, u32 bits) { return static_cast<i64>(v << (64 - bits)) >> (64 - bits); }

u64 expected_step(std::string_view text, u32 bits, u64 old, u64 value, u64 compare) {
  std::string_view name = text.substr(0, 3);
  bool sign = text.ends_with("s32") || text.ends_with("s64");
  if (text == "add.f32")
    return std::bit_cast<u32>(std::bit_cast<float>(static_cast<u32>(old)) +
                              std::bit_cast<float>(static_cast<u32>(value)));
  if (text == "add.f64") return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
  bool less = sign ? extend(value, bits) < extend(old, bits) : value < old;
  if (name == "add") return cut(old + value, bits);
  if (name == "min") return less ? value : old;
  if (name == "max") return less ? old : value;
  if (name == "inc") return old >= value ? 0 : old + 1;
  if (name == "dec") return old == 0 || old > value ? value : old - 1;
  if (name == "and") return old & value;
  if (name == "or.") return old | value;
  if (name == "xor") return old ^ value;
  if (name == "exc") return value;
  return old == compare ? value : old;
}

constexpr u32 threads = 96, cells = 64;

struct Variant {
  Operation operation;
  bool shared, result, uniform;
  u32 addresses, lanes; // cells that are used; threads from the first one that take part
};

// %r0: the thread, %d0: its value, %d1: the cell's offset. Cells start as 3·index.
std::string program(const Variant& v) {
  u32 bits = v.operation.bits, bytes = bits / 8;
  std::string_view text = v.operation.text;
  std::string value = v.uniform ? text == "add.f32"   ? "0f3FC00000"
                                  : text == "add.f64" ? "0d3FF8000000000000"
                                                      : "5"
                                : "%v0";
  std::string operand = text.starts_with("cas") ? "%c0, " + value : value;
  std::string place = v.shared ? "[%s0]" : "[%d2]", space = v.shared ? "shared" : "global";
  std::string body = ptx_header() + ".visible .entry k(.param .u64 memory, .param .u64 results) {\n"
                                    ".reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<2>;\n";
  body += fmt::format(".reg .b{0} %v<2>; .reg .b{0} %c<2>; .reg .b{0} %o<2>; .reg .b32 %s<2>;\n", bits);
  body += fmt::format(".shared .align 8 .b8 cells[{}];\n", cells * bytes);
  body += "mov.u32 %r6, %ctaid.x; setp.ne.u32 %p0, %r6, 0; @%p0 exit;\n"
          "mov.u32 %r0, %tid.x; ld.param.u64 %d2, [memory]; ld.param.u64 %d3, [results];\n"
          "mul.wide.u32 %d5, %r0, 8; add.s64 %d3, %d3, %d5; mov.u64 %d6, 77;\n";
  // Shared cells are copied in and out.
  if (v.shared)
    body += fmt::format("mul.lo.u32 %r5, %r0, {0}; mov.u32 %s0, cells; add.u32 %s0, %s0, %r5;\n"
                        "mul.wide.u32 %d5, %r0, {0}; add.s64 %d4, %d2, %d5; setp.lt.u32 %p0, %r0, {1};\n"
                        "@%p0 ld.global.b{2} %o0, [%d4]; @%p0 st.shared.b{2} [%s0], %o0; bar.sync 0;\n",
                        bytes, cells, bits);
  body += fmt::format("rem.u32 %r1, %r0, {}; mul.lo.u32 %r2, %r1, {};\n", v.addresses, bytes);
  body += v.shared ? "mov.u32 %s0, cells; add.u32 %s0, %s0, %r2;\n"
                   : "cvt.u64.u32 %d1, %r2; add.s64 %d2, %d2, %d1;\n";
  // Values: 7·thread − 40, and for floats the same as a number; compared with: 3·cell.
  body += "mad.lo.s32 %r3, %r0, 7, -40; mul.lo.u32 %r4, %r1, 3;\n";
  body += text == "add.f32"   ? "cvt.rn.f32.s32 %v0, %r3;\n"
          : text == "add.f64" ? "cvt.rn.f64.s32 %v0, %r3;\n"
          : bits == 16        ? "cvt.u16.u32 %v0, %r3; cvt.u16.u32 %c0, %r4;\n"
          : bits == 32        ? "mov.b32 %v0, %r3; mov.b32 %c0, %r4;\n"
                              : "cvt.s64.s32 %v0, %r3; cvt.u64.u32 %c0, %r4;\n";
  body += fmt::format("setp.lt.u32 %p1, %r0, {};\n@%p1 atom.{}.{} %o1, {}, {};\n", v.lanes, space, text,
                      place, operand);
  if (v.result)
    body += fmt::format("@%p1 mov.u64 %d6, 0; @%p1 st.global.u64 [%d3], %d6;\n"
                        "@%p1 st.global.b{} [%d3], %o1;\n",
                        bits);
  if (v.shared)
    body += fmt::format("bar.sync 0; mov.u32 %s0, cells; add.u32 %s0, %s0, %r5;\n"
                        "@%p0 ld.shared.b{0} %o0, [%s0]; @%p0 st.global.b{0} [%d4], %o0;\n",
                        bits);
  return body + "ret; }\n";
}

// Blocks after the first one end at once: with several workers they make the atomics those of the host.
void check(const Variant& v, u32 workers) {
  u32 bits = v.operation.bits, bytes = bits / 8;
  std::string_view text = v.operation.text;
  std::vector<u64> cell(cells), result(threads, ~u64{0});
  std::vector<std::byte> memory(cells * bytes);
  for (u32 c = 0; c < cells; ++c) {
    cell[c] = text == "add.f32"   ? std::bit_cast<u32>(3.0f * static_cast<float>(c))
              : text == "add.f64" ? std::bit_cast<u64>(3.0 * c)
                                  : 3 * c;
    std::memcpy(&memory[c * bytes], &cell[c], bytes);
  }
  Gpu gpu;
  ASSERT_TRUE(gpu.load(program(v)));
  u64 at = gpu.buffer(memory), results = gpu.buffer(result);
  LaunchOptions options;
  options.workers = workers;
  gpu.expect_run("k", {workers}, {threads}, {at, results}, options);
  for (u32 t = 0; t < v.lanes; ++t) {
    i32 number = v.uniform ? 5 : 7 * static_cast<i32>(t) - 40;
    u64 value = text == "add.f32"   ? std::bit_cast<u32>(v.uniform ? 1.5f : static_cast<float>(number))
                : text == "add.f64" ? std::bit_cast<u64>(v.uniform ? 1.5 : number)
                                    : cut(static_cast<u64>(static_cast<i64>(number)), bits);
    u64& c = cell[t % v.addresses];
    if (v.result) result[t] = c;
    c = expected_step(text, bits, c, value, 3 * (t % v.addresses));
  }
  for (u32 c = 0; c < cells; ++c) std::memcpy(&memory[c * bytes], &cell[c], bytes);
  EXPECT_EQ(gpu.read<std::byte>(at, memory.size()), memory);
  EXPECT_EQ(gpu.read<u64>(results, threads), result);
}

TEST(Atomics, LanesTakeTurnsInOrder) {
  for (const Operation& operation : operations)
    for (u32 variant = 0; variant < 32; ++variant) {
      Variant v{operation,          (variant & 1) != 0,           (variant & 2) != 0,
                (variant & 4) != 0, (variant & 8) != 0 ? 1u : 5u, (variant & 16) != 0 ? threads : 71u};
      SCOPED_TRACE(program(v));
      check(v, 1);
      check(v, 2);
      if (testing::Test::HasFailure()) return;
    }
}

// The same instructions as host atomics: a grid of CTAs that add up. Any order gives the same cells.
TEST(Atomics, CtasOnSeveralThreadsLoseNothing) {
  const char* body = R"(
.visible .entry k(.param .u64 memory) {
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  mov.u32 %r0, %tid.x; ld.param.u64 %d0, [memory];
  and.b32 %r1, %r0, 15; mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1;
  red.global.add.u32 [%d0+64], 1;
  red.global.add.u32 [%d0+68], %r0;
  atom.global.add.u32 %r2, [%d0+72], 2;
  red.global.add.u32 [%d1], %r0;
  red.global.max.u32 [%d1+128], %r0;
  red.global.xor.b32 [%d1+192], %r2;
  shr.u32 %r3, %r2, 1; mul.wide.u32 %d2, %r3, 4; add.s64 %d2, %d0, %d2; st.global.u32 [%d2+256], 1;
  ret; })";
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + body));
  constexpr u32 ctas = 150, block = 64, all = ctas * block;
  u64 at = gpu.buffer(std::vector<u32>(64 + all));
  LaunchOptions options;
  options.workers = 4;
  gpu.expect_run("k", {ctas}, {block}, {at}, options);
  std::vector<u32> got = gpu.read<u32>(at, 64 + all);
  EXPECT_EQ(got[16], all);
  EXPECT_EQ(got[17], ctas * (block * (block - 1) / 2));
  EXPECT_EQ(got[18], 2 * all);
  for (u32 i = 0; i < 16; ++i) {
    EXPECT_EQ(got[i], ctas * (4 * i + 16 + 32 + 48));
    EXPECT_EQ(got[32 + i], 48 + i);
  }
  for (u32 i = 0; i < all; ++i) ASSERT_EQ(got[64 + i], 1u) << "no thread got result " << 2 * i;
}

// Blocks that run in lockstep have shared memory of their own, also where all their lanes name one address.
TEST(Atomics, SharedCellsBelongToTheirCta) {
  const char* body = R"(
.visible .entry k(.param .u64 memory) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;
  .shared .align 4 .b8 cell[4];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r4, %ntid.x; ld.param.u64 %d0, [memory];
  setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [cell], %r1; bar.sync 0;
  atom.shared.add.u32 %r2, [cell], 3; bar.sync 0;
  mad.lo.u32 %r3, %r1, %r4, %r0; mul.wide.u32 %d1, %r3, 8; add.s64 %d1, %d0, %d1;
  ld.shared.u32 %r5, [cell]; st.global.v2.u32 [%d1], {%r2, %r5};
  ret; })";
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + body));
  constexpr u32 ctas = 7, block = 64;
  for (u32 batch : {1u, 3u, 7u}) {
    u64 at = gpu.buffer(std::vector<u32>(2 * ctas * block));
    LaunchOptions options;
    options.batch = batch;
    gpu.expect_run("k", {ctas}, {block}, {at}, options);
    std::vector<u32> got = gpu.read<u32>(at, 2 * ctas * block);
    for (u32 i = 0; i < ctas * block; ++i) {
      ASSERT_EQ(got[2 * i], i / block + 3 * (i % block)) << "batch " << batch << ", thread " << i;
      ASSERT_EQ(got[2 * i + 1], i / block + 3 * block) << "batch " << batch << ", thread " << i;
    }
  }
}

// A result may go into the register of the value, the address or the expected value, and be wider.
TEST(Atomics, ResultsInTheRegistersOfOperands) {
  const char* body = R"(
.visible .entry k(.param .u64 memory) {
  .reg .b32 %r<8>; .reg .b64 %d<8>;
  mov.u32 %r0, %tid.x; ld.param.u64 %d0, [memory];
  mul.wide.u32 %d1, %r0, 40; add.s64 %d1, %d0, %d1; add.s64 %d3, %d1, 0;
  mov.u32 %r1, %r0; atom.global.add.u32 %r1, [%d0+8000], %r1; st.global.u32 [%d1], %r1;
  mov.u32 %r2, 5; atom.global.cas.b32 %r2, [%d1+4], %r2, %r0; st.global.u32 [%d1+8], %r2;
  mov.u64 %d2, 9; atom.global.add.u64 %d3, [%d3+16], %d2; st.global.u64 [%d1+24], %d3;
  mov.u64 %d4, -1; atom.global.exch.b32 %d4, [%d1+32], %r0; st.global.u64 [%d1+32], %d4;
  ret; })";
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + body));
  constexpr u32 block = 48;
  std::vector<u32> words(2002, 5);
  u64 at = gpu.buffer(words);
  gpu.expect_run("k", {1}, {block}, {at});
  std::vector<u32> got = gpu.read<u32>(at, words.size());
  u32 sum = 5;
  for (u32 t = 0; t < block; ++t) {
    const u32* mine = &got[10 * t];
    ASSERT_EQ(mine[0], sum) << t;
    sum += t;
    EXPECT_EQ(mine[1], t);
    EXPECT_EQ(mine[2], 5u);
    EXPECT_EQ(mine[4], 14u);
    EXPECT_EQ(mine[5], 5u);
    EXPECT_EQ(mine[6], 5u);
    EXPECT_EQ(mine[7], 5u);
    EXPECT_EQ(mine[8], 5u);
    EXPECT_EQ(mine[9], 0u); // a wider register gets zeros above
  }
  EXPECT_EQ(got[2000], sum);
}

// PTX ISA, atom: in global memory subnormal floats count as zeros, in shared memory they do not.
TEST(Atomics, SubnormalFloats) {
  const char* body = R"(
.visible .entry k(.param .u64 memory) {
  .reg .f32 %f<4>; .reg .b64 %d<4>; .shared .align 4 .b8 cell[4];
  ld.param.u64 %d0, [memory];
  ld.global.f32 %f0, [%d0]; st.shared.f32 [cell], %f0;
  red.shared.add.f32 [cell], %f0; red.global.add.f32 [%d0], %f0;
  ld.shared.f32 %f1, [cell]; st.global.f32 [%d0+4], %f1;
  ret; })";
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + body));
  u64 at = gpu.buffer(std::vector<u32>{1, 7});
  gpu.expect_run("k", {1}, {1}, {at});
  EXPECT_EQ(gpu.read<u32>(at, 2), (std::vector<u32>{0, 2}));
}

// Sums of halves are rounded once, and every NaN is the one that arithmetic makes (sem/half.h).
TEST(AtomicHalves, AreAddedAsArithmeticDoes) {
  struct Sum {
    const char* type;
    u32 bits, old, value, expected;
  };
  const Sum sums[] = {{"f16", 16, 0x3c00, 0x4000, 0x4200},
                      {"f16", 16, 0x3c00, 0x1000, 0x3c00},
                      {"f16", 16, 0x7e01, 0x3c00, 0x7fff},
                      {"bf16", 16, 0x3f80, 0x4000, 0x4040},
                      {"bf16", 16, 0x7fc1, 0x3f80, 0x7fff},
                      {"f16x2", 32, 0x3c007e01, 0x40003c00, 0x42007fff},
                      {"bf16x2", 32, 0x3f807fc1, 0x40003f80, 0x40407fff}};
  for (const Sum& sum : sums) {
    Gpu gpu;
    std::string value = sum.bits == 16 ? "cvt.u16.u32 %h1, %r1;" : "",
                operand = sum.bits == 16 ? "%h1" : "%r1";
    ASSERT_TRUE(gpu.load(ptx_header() +
                         ".visible .entry k(.param .u64 p, .param .u32 v)\n{\n.reg .b16 %h<3>;\n"
                         ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
                         "ld.param.u32 %r1, [v];\n" +
                         value + "red.global.add.noftz." + sum.type + " [%rd1], " + operand +
                         ";\nret;\n}\n"));
    u64 at = gpu.buffer(std::vector<u32>{sum.old});
    gpu.expect_run("k", {1}, {1}, {at, sum.value});
    EXPECT_EQ(gpu.read<u32>(at, 1)[0], sum.expected) << sum.type;
  }
}

} // namespace
} // namespace warplens::sim
