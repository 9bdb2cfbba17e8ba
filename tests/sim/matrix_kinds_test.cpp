// Matrix instructions of their own kinds: sparse ones, those of compute capability 7.0, and stmatrix and movmatrix.
#include "sim/matrices.h"
#include <array>

namespace warplens::sim {
namespace {

// --- mma.sp. Of a row of A: which elements are there, and the bits that say so.
struct SparseShape {
  const char *name, *types; // D A B C
  u32 k, selectors;
  u32 unit, of; // elements are there or not in units of so many; of how many one or two units
};
const SparseShape sparse_shapes[] = {
    {"m16n8k16", "f32 f16 f16 f32", 16, 4, 1, 4},   {"m16n8k32", "f32 f16 f16 f32", 32, 2, 1, 4},
    {"m16n8k16", "f32 bf16 bf16 f32", 16, 4, 1, 4}, {"m16n8k32", "f16 f16 f16 f16", 32, 2, 1, 4},
    {"m16n8k8", "f32 tf32 tf32 f32", 8, 4, 1, 2},   {"m16n8k16", "f32 tf32 tf32 f32", 16, 2, 1, 2},
    {"m16n8k32", "s32 s8 u8 s32", 32, 2, 1, 4},     {"m16n8k64", "s32 s8 s8 s32", 64, 1, 1, 4},
    {"m16n8k64", "f32 e4m3 e5m2 f32", 64, 1, 1, 4}, {"m16n8k64", "s32 u4 s4 s32", 64, 2, 2, 8},
    {"m16n8k128", "s32 s4 s4 s32", 128, 1, 2, 8}};

struct SparseRow {
  std::vector<u32> columns; // of the elements that are there
  std::vector<bool> bits;   // lowest first
};

SparseRow draw_row(const SparseShape& s, std::mt19937& random) {
  SparseRow row;
  auto number = [&](u32 value, u32 bits) {
    for (u32 b = 0; b < bits; ++b) row.bits.push_back((value >> b & 1) != 0);
  };
  for (u32 group = 0; group < s.k; group += s.of) {
    std::vector<u32> units;
    if (s.of == 2) {
      units = {static_cast<u32>(random() % 2)};
      number(units[0] == 0 ? 0b0100 : 0b1110, 4);
    } else {
      u32 first = random() % 3, second = first + 1 + random() % (3 - first);
      units = {first, second};
      number(first, 2), number(second, 2);
    }
    for (u32 unit : units)
      for (u32 e = 0; e < s.unit; ++e) row.columns.push_back(group + unit * s.unit + e);
  }
  return row;
}

// Which lane of the four of a group holds a bit of a row's metadata, and where (the figures of the PTX ISA).
std::pair<u32, u32> metadata_place(u32 row, u32 bit, u32 row_bits, u32 element_bits) {
  u32 high = row / 8;
  if (row_bits == 16) return {0, bit + 16 * high};
  if (row_bits == 32 && element_bits >= 16) return {bit / 16, bit % 16 + 16 * high};
  if (row_bits == 32) return {high, bit};
  return {high + 2 * (bit / 32), bit % 32};
}

TEST(SparseMatrices, MultiplyWhatTheMetadataPlaces) {
  std::mt19937 random(21);
  for (const SparseShape& s : sparse_shapes)
    for (u32 selector = 0; selector < s.selectors; ++selector) {
      std::vector<std::string> type = words(s.types);
      u32 width = bits_of(type[1]), each = 32 / width, there = s.k / 2;
      Product p{{type[0], 4}, {type[1], 16 * there / 32}, {type[2], 8 * s.k / 32},
                {type[3], 4}, Fragment("u32", 1),         fmt::format(", {}", selector)};
      SCOPED_TRACE(fmt::format("{} {} {}", s.name, s.types, selector));
      std::vector<std::vector<double>> a(16, std::vector<double>(s.k)), b(s.k, std::vector<double>(8));
      for (u32 row = 0; row < 16; ++row) {
        SparseRow drawn = draw_row(s, random);
        for (u32 i = 0; i < there; ++i) {
          u64 raw = draw(type[1], random);
          a[row][drawn.columns[i]] = value(type[1], raw);
          // As in a dense A of half the width.
          u32 chunk = i / (4 * each), lane = row % 8 * 4 + i / each % 4;
          p.a.set(lane, (chunk * 2 + row / 8) * each + i % each, raw);
        }
        u32 row_bits = static_cast<u32>(drawn.bits.size()), lanes = row_bits * 16 / 32 / 8;
        for (u32 bit = 0; bit < row_bits; ++bit) {
          auto [lane, at] = metadata_place(row, bit, row_bits, width);
          if (drawn.bits[bit]) p.metadata->registers[row % 8 * 4 + selector * lanes + lane] |= u64{1} << at;
        }
      }
      for (u32 k = 0; k < s.k; ++k)
        for (u32 n = 0; n < 8; ++n) {
          u64 raw = draw(type[2], random);
          b[k][n] = value(type[2], raw);
          p.b.set(n * 4 + k / each % 4, k / (4 * each) * each + k % each, raw);
        }
      for (u32 lane = 0; lane < warp_size; ++lane)
        for (u32 i = 0; i < 4; ++i) p.c.set(lane, i, draw(type[3], random));
      std::string kind = width == 8 && type[0] == "f32" ? "sp::ordered_metadata" : "sp";
      run_product(fmt::format("mma.{}.sync.aligned.{}.row.col.{}.{}.{}.{}", kind, s.name, type[0], type[1],
                              type[2], type[3]),
                  p);
      for (u32 lane = 0; lane < warp_size; ++lane)
        for (u32 i = 0; i < 4; ++i) {
          u32 row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
          double want = value(type[3], p.c.get(lane, i));
          for (u32 k = 0; k < s.k; ++k) want += a[row][k] * b[k][column];
          if (type[0] == "s32") want = static_cast<i32>(static_cast<i64>(want));
          ASSERT_EQ(value(type[0], p.d.get(lane, i)), want) << "lane " << lane << " element " << i;
        }
    }
}

// --- m8n8k4 of f16: four products of eight lanes each
TEST(QuadMatrices, EveryLayoutAndSum) {
  std::mt19937 random(22);
  for (std::string layout : {"row.col", "col.row", "row.row", "col.col"})
    for (std::string sums : {"f32 f32", "f16 f16", "f32 f16", "f16 f32"}) {
      std::string to = words(sums)[0], from = words(sums)[1],
                  form = "mma.sync.aligned.m8n8k4." + layout + "." + to + ".f16.f16." + from;
      SCOPED_TRACE(form);
      Product p{{to, 8}, {"f16", 4}, {"f16", 4}, {from, 8}, {}, {}};
      double a[4][8][4], b[4][4][8], c[4][8][8];
      auto row_of = [](const std::string& type, u32 lane, u32 i) {
        u32 high = lane >= 16 ? 4 : 0;
        return type == "f16" ? lane % 4 + high : (lane & 1) + (i & 2) + high;
      };
      auto column_of = [](const std::string& type, u32 lane, u32 i) {
        return type == "f16" ? i : (i & 4) + (lane & 2) + (i & 1);
      };
      for (u32 lane = 0; lane < warp_size; ++lane) {
        u32 quad = lane % 16 / 4, high = lane >= 16 ? 4 : 0;
        for (u32 i = 0; i < 4; ++i) {
          u64 of_a = draw("f16", random), of_b = draw("f16", random);
          p.a.set(lane, i, of_a), p.b.set(lane, i, of_b);
          (layout.starts_with("row") ? a[quad][lane % 4 + high][i] : a[quad][i + high][lane % 4]) =
              value("f16", of_a);
          (layout.ends_with("col") ? b[quad][i][lane % 4 + high] : b[quad][lane % 4][i + high]) =
              value("f16", of_b);
        }
        for (u32 i = 0; i < 8; ++i) {
          u64 raw = draw(from, random);
          p.c.set(lane, i, raw);
          c[quad][row_of(from, lane, i)][column_of(from, lane, i)] = value(from, raw);
        }
      }
      run_product(form, p);
      for (u32 lane = 0; lane < warp_size; ++lane)
        for (u32 i = 0; i < 8; ++i) {
          u32 quad = lane % 16 / 4, row = row_of(to, lane, i), column = column_of(to, lane, i);
          double want = c[quad][row][column];
          for (u32 k = 0; k < 4; ++k) want += a[quad][row][k] * b[quad][k][column];
          ASSERT_EQ(value(to, p.d.get(lane, i)), want) << "lane " << lane << " element " << i;
        }
    }
}

// --- stmatrix, movmatrix
struct Stores final : access::Sink {
  std::vector<access::WarpAccess> seen;
  void lanes(const access::LaneBatch& batch) override {
    if (batch.kind == access::Kind::store && batch.space == access::Space::shared)
      seen.push_back(access::warp_of(batch, 0));
  }
  void affine(const access::AffineAccess&) override {}
};

std::string store_matrices(u32 count, const char* suffix) {
  return ptx_header() + fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 rows, .param .u64 out) {{
  .reg .b32 %r<20>; .reg .b64 %d<20>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [rows]; ld.param.u64 %d3, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d2, %d2, %d4; ld.global.u32 %r2, [%d2];
  mul.wide.u32 %d5, %r1, 16; add.s64 %d1, %d1, %d5; mul.wide.u32 %d6, %r1, 32; add.s64 %d3, %d3, %d6;
  mov.u32 %r3, s; mad.lo.u32 %r4, %r1, 32, %r3; add.u32 %r2, %r2, %r3; mov.u32 %r5, 0;
  st.shared.v4.u32 [%r4], {{%r5, %r5, %r5, %r5}}; st.shared.v4.u32 [%r4+16], {{%r5, %r5, %r5, %r5}};
  ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d1];
  bar.sync 0;
  stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%r2], {};
  bar.sync 0;
  ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r4]; st.global.v4.u32 [%d3], {{%r10, %r11, %r12, %r13}};
  ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r4+16]; st.global.v4.u32 [%d3+16], {{%r10, %r11, %r12, %r13}};
  ret;
}}
)",
                                    count, suffix, names("%r", 10, count));
}

TEST(StoreMatrix, WritesTheRowsThatLanesName) {
  std::mt19937 random(23);
  for (u32 count : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      SCOPED_TRACE(fmt::format("x{}{}", count, transposed ? ".trans" : ""));
      std::vector<u32> in(128), rows(32);
      for (u32& v : in) v = static_cast<u32>(random());
      std::array<u32, 64> places;
      for (u32 i = 0; i < 64; ++i) places[i] = i;
      std::shuffle(places.begin(), places.end(), random);
      for (u32 lane = 0; lane < 32; ++lane) rows[lane] = lane < 8 * count ? places[lane] * 16 : 0x12345;
      Gpu gpu;
      ASSERT_TRUE(gpu.load(store_matrices(count, transposed ? ".trans" : "")));
      u64 to = gpu.buffer(std::vector<u16>(512));
      Stores stores;
      LaunchOptions options;
      options.workers = 1;
      options.sinks = {&stores};
      gpu.expect_run("k", {1}, {32}, {gpu.buffer(in), gpu.buffer(rows), to}, options);
      std::vector<u16> got = gpu.read<u16>(to, 512), want(512);
      for (u32 m = 0; m < count; ++m)
        for (u32 lane = 0; lane < 32; ++lane)
          for (u32 e = 0; e < 2; ++e) {
            u32 row = lane / 4, column = lane % 4 * 2 + e;
            if (transposed) std::swap(row, column);
            want[rows[8 * m + row] / 2 + column] = static_cast<u16>(in[4 * lane + m] >> (16 * e));
          }
      EXPECT_EQ(got, want);
      auto found = std::ranges::find(stores.seen, count, &access::WarpAccess::matrices);
      ASSERT_NE(found, stores.seen.end());
      EXPECT_EQ(found->active, full_mask);
    }
}

TEST(MoveMatrix, Transposes) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; ld.global.u32 %r2, [%d1];
  movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r2;
  st.global.u32 [%d1], %r2; ret;
})"));
  std::vector<u16> in(64), want(64);
  for (u32 i = 0; i < 64; ++i) in[i] = static_cast<u16>(1000 + i), want[i % 8 * 8 + i / 8] = in[i];
  u64 at = gpu.buffer(in);
  gpu.expect_run("k", {1}, {32}, {at});
  EXPECT_EQ(gpu.read<u16>(at, 64), want);
}

} // namespace
} // namespace warplens::sim
