// wgmma: four warps multiply, with matrices in shared memory in every arrangement that a descriptor can say.
#include "sim/matrices.h"
#include <algorithm>

namespace warplens::sim {
namespace {

struct Arrangement {
  u32 width;        // of the swizzle: 16 (none), 32, 64, 128 bytes
  bool along_lines; // a line's elements (a row of A, a column of B) are neighbours
};

// A matrix of `lines` lines of `k` elements in shared memory from `start` on, and its descriptor. Tiles of 8 lines (or
// places along k) of the swizzle's width follow one another.
struct Described {
  std::string type;
  u32 lines, k, start;
  Arrangement how;
  u32 leading = 0, stride = 0;

  Described(std::string t, u32 l, u32 depth, u32 at, Arrangement a)
      : type(std::move(t)), lines(l), k(depth), start(at), how(a) {
    u32 size = 8 * how.width; // of a tile
    if (how.along_lines) {
      u32 across = how.width == 16 ? k * bits_of(type) / 128 : 1; // tiles along k
      leading = size, stride = across * size;
    } else {
      u32 runs = lines * 2 / how.width;
      (how.width == 16 ? stride : leading) = size;
      (how.width == 16 ? leading : stride) = runs * size;
    }
  }
  u64 descriptor() const {
    u64 mode = how.width == 16 ? 0 : how.width == 128 ? 1 : how.width == 64 ? 2 : 3;
    return u64{start / 16} | u64{leading / 16} << 16 | u64{stride / 16} << 32 | mode << 62;
  }
  // Bits from the beginning of shared memory. In a tile of 8 rows, the 16-byte pieces of a row are exchanged by its number.
  u64 bit(u32 line, u32 at) const {
    u32 bits = bits_of(type), row, byte_bits, tile;
    if (how.along_lines) {
      u32 along = at * bits;
      row = line % 8;
      u32 across = how.width == 16 ? along / 128 : 0;
      byte_bits = how.width == 16 ? along % 128 : along;
      tile = line / 8 * stride + across * leading;
    } else {
      u32 run = how.width * 8 / bits;
      row = at % 8;
      byte_bits = line % run * bits;
      tile =
          line / run * (how.width == 16 ? stride : leading) + at / 8 * (how.width == 16 ? leading : stride);
    }
    u32 pieces = how.width / 16, piece = byte_bits / 128;
    piece ^= row / (8 / pieces) % pieces;
    return (u64{start} + tile + row * how.width) * 8 + piece * 128 + byte_bits % 128;
  }
  void set(std::vector<u8>& memory, u32 line, u32 at, u64 raw) const {
    for (u32 b = 0; b < bits_of(type); ++b)
      if (raw >> b & 1) memory[(bit(line, at) + b) / 8] |= static_cast<u8>(1 << (bit(line, at) + b) % 8);
  }
};

struct Case {
  u32 n, k;
  const char *d, *a, *b;
  const char* more = "";
};

struct Given {
  bool a_registers = false, adds = true;
  int sign_a = 1, sign_b = 1;
  bool sparse = false; // then k counts the elements of B's columns, and A has half as many
  u32 selector = 0;
};

// Where the element `at` of a sparse row of A belongs, of those around it: two of four, of tf32 one of two. And the bits that say
// so, four for each pair.
struct Sparse {
  std::vector<std::vector<u32>> place{64}; // [row][stored element]
  std::vector<u32> metadata = std::vector<u32>(128);

  Sparse() = default; // of a dense row: not looked at
  Sparse(const Case& c, u32 selector, std::mt19937& random) {
    bool pairs = bits_of(c.a) == 32, bytes = bits_of(c.a) == 8;
    for (u32 row = 0; row < 64; ++row)
      for (u32 group = 0; group < c.k / (pairs ? 2 : 4); ++group) {
        u32 said = 0;
        if (pairs) {
          u32 one = random() % 2;
          place[row].push_back(group * 2 + one);
          said = one == 0 ? 4 : 14;
        } else {
          u32 low = random() % 3, high = low + 1 + random() % (3 - low);
          place[row].insert(place[row].end(), {group * 4 + low, group * 4 + high});
          said = low | high << 2;
        }
        // Of each four threads two have the row's halves (selector); of bytes all four have: row and row + 8, then the halves.
        u32 in_half = c.k / (pairs ? 4 : 8), half = group / in_half, shift = group % in_half * 4;
        u32 lane = row % 8 * 4, high = row % 16 / 8;
        lane += bytes ? high + 2 * half : 2 * selector + half;
        metadata[row / 16 * 32 + lane] |= said << (shift + (bytes ? 0 : 16 * high));
      }
  }
};

std::string program(const Case& c, const Given& g, const Described& a, const Described& b) {
  u32 sums = c.n * bits_of(c.d) / 64;
  std::string text = ".version 8.3\n.target sm_90a\n.address_size 64\n" + fmt::format(R"(
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 memory, .param .u64 a, .param .u64 d) {{
  .reg .b32 %r<8>; .reg .b32 %a<4>; .reg .b32 %s<{}>; .reg .b64 %d<8>; .reg .pred %p<3>;
  ld.param.u64 %d0, [memory]; ld.param.u64 %d1, [a]; ld.param.u64 %d2, [d];
  mov.u32 %r0, %tid.x; mov.u32 %r1, s; mul.lo.u32 %r2, %r0, 4;
  COPY: cvt.u64.u32 %d3, %r2; add.u64 %d3, %d3, %d0; ld.global.u32 %r3, [%d3]; add.u32 %r4, %r1, %r2;
  st.shared.u32 [%r4], %r3; add.u32 %r2, %r2, 512; setp.lt.u32 %p1, %r2, 65536; @%p1 bra COPY;
  mul.wide.u32 %d4, %r0, 16; add.u64 %d1, %d1, %d4; ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%d1];
  mul.wide.u32 %d5, %r0, {}; add.u64 %d2, %d2, %d5;
)",
                                                                                      sums, 4 * sums);
  for (u32 i = 0; i < sums; ++i) text += fmt::format("ld.global.u32 %s{}, [%d2+{}];\n", i, 4 * i);
  text += fmt::format("setp.ne.u32 %p2, {}, 0;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n", g.adds ? 1 : 0);
  std::string last;
  if (g.sparse)
    text += "shl.b32 %r5, %r0, 4; cvt.u64.u32 %d6, %r5; sub.u64 %d6, %d1, %d6; mul.wide.u32 %d7, %r0, 4;\n"
            "add.u64 %d6, %d6, %d7; ld.global.u32 %r6, [%d6+2048];\n";
  bool halves = bits_of(c.a) == 16, floats = std::string_view(c.d) != "s32";
  if (floats) last += fmt::format(", {}, {}", g.sign_a, g.sign_b);
  if (halves && !g.a_registers) last += fmt::format(", {}", a.how.along_lines ? 0 : 1);
  if (halves) last += fmt::format(", {}", b.how.along_lines ? 0 : 1);
  text += fmt::format("wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}{} {}, {}, {}, {}%p2{};\n",
                      g.sparse ? ".sp" : "", c.n, c.k, c.d, c.a, c.b, c.more, names("%s", 0, sums),
                      g.a_registers ? names("%a", 0, 4) : fmt::format("{}", a.descriptor()), b.descriptor(),
                      g.sparse ? fmt::format("%r6, {}, ", g.selector) : "", last);
  text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (u32 i = 0; i < sums; ++i) text += fmt::format("st.global.u32 [%d2+{}], %s{};\n", 4 * i, i);
  return text + "ret; }\n";
}

// Fragments of four warps: 16 rows each, of D in blocks of 8 columns.
u32 row_of(u32 thread, u32 i) { return thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2); }
u32 column_of(u32 thread, u32 i) { return i / 4 * 8 + thread % 4 * 2 + i % 2; }

void check(const Case& c, const Given& g, Arrangement for_a, Arrangement for_b, std::mt19937& random) {
  const u32 stored = g.sparse ? c.k / 2 : c.k;
  const Sparse sparse = g.sparse ? Sparse(c, g.selector, random) : Sparse();
  Described a(c.a, 64, stored, 0, for_a), b(c.b, c.n, c.k, 32768, for_b);
  std::vector<u8> memory(65536);
  std::vector<std::vector<double>> left(64, std::vector<double>(c.k)), right(c.k, std::vector<double>(c.n));
  u32 width = bits_of(c.a), each = 32 / width;
  std::vector<u32> a_registers(128 * 4);
  for (u32 m = 0; m < 64; ++m)
    for (u32 k = 0; k < stored; ++k) {
      u64 raw = draw(c.a, random);
      left[m][g.sparse ? sparse.place[m][k] : k] = value(c.a, raw);
      a.set(memory, m, k, raw);
      u32 thread = m / 16 * 32 + m % 8 * 4 + k / each % 4, at = k / (4 * each) * 2 + m % 16 / 8;
      a_registers[4 * thread + at] |= static_cast<u32>(raw << (k % each * width));
    }
  for (u32 k = 0; k < c.k; ++k)
    for (u32 n = 0; n < c.n; ++n) {
      u64 raw = draw(c.b, random);
      right[k][n] = value(c.b, raw);
      b.set(memory, n, k, raw);
    }
  a_registers.insert(a_registers.end(), sparse.metadata.begin(), sparse.metadata.end());
  u32 of_sum = bits_of(c.d), per = 32 / of_sum, elements = c.n / 2;
  std::vector<u32> d(128 * elements / per);
  for (u32 e = 0; e < 128 * elements; ++e)
    d[e / per] |= static_cast<u32>(draw(c.d, random) << (e % per * of_sum));
  Gpu gpu;
  std::string text = program(c, g, a, b);
  ASSERT_TRUE(gpu.load(text)) << text;
  u64 to = gpu.buffer(d);
  gpu.expect_run("k", {1}, {128}, {gpu.buffer(memory), gpu.buffer(a_registers), to}, {}, 65536);
  std::vector<u32> got = gpu.read<u32>(to, d.size());
  for (u32 thread = 0; thread < 128; ++thread)
    for (u32 i = 0; i < elements; ++i) {
      auto element = [&](const std::vector<u32>& all) {
        u64 raw = all[(thread * elements + i) / per] >> (i % per * of_sum);
        return value(c.d, of_sum == 16 ? raw & 0xffff : raw);
      };
      double want = g.adds ? element(d) : 0, product = 0;
      for (u32 k = 0; k < c.k; ++k) {
        double x = left[row_of(thread, i)][k], y = right[k][column_of(thread, i)];
        product += x * y;
      }
      want += g.sign_a * g.sign_b * product;
      if (std::string_view(c.more) == ".satfinite") want = std::clamp(want, -0x1p31, 0x1p31 - 1);
      if (std::string_view(c.d) == "s32") want = static_cast<i32>(static_cast<i64>(want));
      if (std::string_view(c.d) == "f16")
        want = value("f16", sem::to_half<sem::F16>(static_cast<float>(want)).bits);
      ASSERT_EQ(element(got), want) << "thread " << thread << " element " << i << "\n" << text;
    }
}

constexpr u32 swizzles[] = {16, 32, 64, 128};

TEST(GroupMatrices, EveryTypeFromDescriptorsAndRegisters) {
  std::mt19937 random(41);
  for (const Case& c : {Case{64, 16, "f32", "f16", "f16"}, Case{8, 16, "f16", "f16", "f16"},
                        Case{256, 16, "f32", "bf16", "bf16"}, Case{24, 8, "f32", "tf32", "tf32"},
                        Case{32, 32, "s32", "s8", "u8"}, Case{16, 32, "s32", "u8", "u8", ".satfinite"},
                        Case{40, 32, "f32", "e4m3", "e5m2"}, Case{48, 32, "f16", "e5m2", "e4m3"},
                        Case{16, 256, "s32", "b1", "b1", ".and.popc"}})
    for (u32 width : swizzles) {
      for (bool from_registers : {false, true}) {
        check(c, {from_registers, random() % 2 == 0}, {width, true}, {swizzles[random() % 4], true}, random);
        if (testing::Test::HasFailure()) return;
      }
    }
}

TEST(GroupMatrices, TransposedSixteenBitMatrices) {
  std::mt19937 random(42);
  for (u32 width : swizzles)
    for (bool a_lines : {false, true})
      for (u32 n : {64u, 128u}) {
        check({n, 16, "f32", "f16", "f16"}, {}, {width, a_lines}, {swizzles[random() % 4], false}, random);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(GroupMatrices, SparseOnesOfEveryType) {
  std::mt19937 random(44);
  for (const Case& c : {Case{64, 32, "f32", "f16", "f16"}, Case{8, 32, "f16", "f16", "f16"},
                        Case{128, 32, "f32", "bf16", "bf16"}, Case{24, 16, "f32", "tf32", "tf32"},
                        Case{32, 64, "s32", "s8", "u8"}, Case{40, 64, "f32", "e4m3", "e5m2"}})
    for (bool from_registers : {false, true})
      for (u32 selector : {0u, 1u}) {
        if (bits_of(c.a) == 8 && selector != 0) continue;
        for (u32 width : swizzles) {
          // A column of B has 64 bytes: more than a swizzle of 32 has.
          Arrangement for_b{width == 32 ? 64 : width, true};
          check(c, {from_registers, random() % 2 == 0, 1, 1, true, selector}, {width, true}, for_b, random);
          if (testing::Test::HasFailure()) return;
        }
      }
}

struct GroupCounter final : access::Sink {
  void lanes(const access::LaneBatch&) override {}
  void affine(const access::AffineAccess&) override {}
  void bulk(const access::BulkAccess& access) override {
    ++seen;
    warps += access.warps, threads += access.threads;
    for (const access::BulkRow& row : access.rows) bytes.push_back(row.bytes);
    EXPECT_EQ(access.space, access::Space::shared);
  }
  u32 seen = 0, warps = 0, threads = 0;
  std::vector<u64> bytes;
};

TEST(GroupMatrices, WhatTheyReadIsCountedOnceForFourWarps) {
  Case c{64, 16, "f32", "f16", "f16"};
  for (bool from_registers : {false, true}) {
    Described a(c.a, 64, c.k, 0, {128, true}), b(c.b, c.n, c.k, 32768, {64, true});
    Gpu gpu;
    ASSERT_TRUE(gpu.load(program(c, {.a_registers = from_registers}, a, b)));
    u64 memory = gpu.buffer(std::vector<u8>(65536 * 2)), to = gpu.buffer(std::vector<u32>(256 * 32));
    GroupCounter counter;
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&counter};
    gpu.expect_run("k", {3}, {256}, {memory, gpu.buffer(std::vector<u32>(256 * 4)), to}, options, 65536);
    EXPECT_EQ(counter.seen, 6u); // two groups in each of three blocks
    EXPECT_EQ(counter.warps, 24u);
    EXPECT_EQ(counter.threads, 768u);
    if (from_registers)
      EXPECT_EQ(counter.bytes, std::vector<u64>(6, 64 * 32)); // of B alone
    else
      EXPECT_EQ(counter.bytes, std::vector<u64>(12, 64 * 32));
  }
}

TEST(GroupMatrices, SignsOfTheFactors) {
  std::mt19937 random(43);
  for (int a : {1, -1})
    for (int b : {1, -1})
      for (const Case& c : {Case{16, 16, "f32", "bf16", "bf16"}, Case{16, 8, "f32", "tf32", "tf32"}})
        check(c, {random() % 2 == 0, true, a, b}, {128, true}, {64, true}, random);
}

TEST(GroupMatrices, WhatCannotBeIsRefused) {
  std::string body =
      ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n.reg .b32 %s<4>; .reg .pred "
      "%p;\n"
      "setp.eq.u32 %p, 0, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%s0, %s1, %s2, %s3}, ";
  struct Bad {
    const char* rest;
    u32 threads;
    FaultKind kind;
  };
  for (const Bad& bad :
       {Bad{"0, 0, %p, 1, 1, 0, 0; ret; }\n", 128, FaultKind::illegal_address},
        Bad{"0, 0, %p, 1, 1, 0, 0; ret; }\n", 96, FaultKind::invalid_instruction},
        Bad{"562949953421312, 0, %p, 1, 1, 0, 0; ret; }\n", 128, FaultKind::unsupported_instruction}}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(body + bad.rest));
    LaunchResult result = gpu.run("k", {1}, {bad.threads}, {});
    ASSERT_TRUE(result.fault) << bad.rest;
    EXPECT_EQ(result.fault->kind, bad.kind) << result.fault->diagnostic.message;
  }
}

} // namespace
} // namespace warplens::sim
