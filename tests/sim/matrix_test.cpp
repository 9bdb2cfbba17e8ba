// ldmatrix and mma.sync: what each lane gets, against the PTX ISA's figures, shape by shape, and products against double.
#include "sim/matrices.h"

namespace warplens::sim {
namespace {

// --- ldmatrix

// Fills shared memory with `in`, lets each lane point at its row of `rows`, and stores what it gets.
std::string load_matrices(u32 count, const char* suffix, bool generic) {
  return ptx_header() + fmt::format(R"(
.visible .entry k(.param .u64 in, .param .u64 rows, .param .u64 out) {{
  .reg .b32 %r<20>; .reg .b64 %d<20>;
  .shared .align 16 .b8 s[1024];
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [rows]; ld.param.u64 %d3, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d2, %d2, %d4; ld.global.u32 %r2, [%d2];
  mul.wide.u32 %d5, %r1, 32; add.s64 %d1, %d1, %d5; mul.wide.u32 %d6, %r1, 16; add.s64 %d3, %d3, %d6;
  mov.u32 %r3, s; mad.lo.u32 %r4, %r1, 32, %r3; add.u32 %r2, %r2, %r3;
  ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d1]; st.shared.v4.u32 [%r4], {{%r10, %r11, %r12, %r13}};
  ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d1+16]; st.shared.v4.u32 [%r4+16], {{%r10, %r11, %r12, %r13}};
  bar.sync 0;
  mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
  cvt.u64.u32 %d7, %r2; cvta.shared.u64 %d8, %d7;
  ldmatrix.sync.aligned.m8n8.x{}{}.b16 {}, [{}];
  st.global.v4.u32 [%d3], {{%r10, %r11, %r12, %r13}};
  ret;
}}
)",
                                    count, suffix, names("%r", 10, count), generic ? "%d8" : "%r2");
}

struct Counter final : access::Sink {
  std::vector<access::WarpAccess> seen;
  void lanes(const access::LaneBatch& batch) override {
    if (batch.kind == access::Kind::ldmatrix) seen.push_back(access::warp_of(batch, 0));
  }
  void affine(const access::AffineAccess&) override {}
};

TEST(LoadMatrix, GivesEachLaneItsPartOfEachMatrix) {
  std::mt19937 random(5);
  for (u32 count : {1u, 2u, 4u})
    for (bool transposed : {false, true})
      for (bool generic : {false, true}) {
        std::string suffix = std::string(transposed ? ".trans" : "") + (generic ? "" : ".shared");
        SCOPED_TRACE(fmt::format("x{}{}", count, suffix));
        std::vector<u16> in(512);
        for (u16& v : in) v = static_cast<u16>(random());
        std::vector<u32> rows(32);
        for (u32 lane = 0; lane < 32; ++lane) // lanes beyond the matrices may point anywhere
          rows[lane] = lane < 8 * count ? random() % 64 * 16 : 0x12345;
        Gpu gpu;
        ASSERT_TRUE(gpu.load(load_matrices(count, suffix.c_str(), generic)));
        u64 to = gpu.buffer(std::vector<u32>(128));
        Counter counter;
        LaunchOptions options;
        options.workers = 1;
        options.sinks = {&counter};
        gpu.expect_run("k", {1}, {32}, {gpu.buffer(in), gpu.buffer(rows), to}, options);
        std::vector<u32> got = gpu.read<u32>(to, 128);
        for (u32 lane = 0; lane < 32; ++lane)
          for (u32 m = 0; m < 4; ++m) {
            auto element = [&](u32 row, u32 column) { return u32{in[rows[8 * m + row] / 2 + column]}; };
            u32 a = lane / 4, b = lane % 4 * 2, want = 0;
            if (m < count)
              want = transposed ? element(b, a) | element(b + 1, a) << 16
                                : element(a, b) | element(a, b + 1) << 16;
            ASSERT_EQ(got[4 * lane + m], want) << "lane " << lane << " matrix " << m;
          }
        ASSERT_EQ(counter.seen.size(), 1u);
        EXPECT_EQ(counter.seen[0].space, access::Space::shared);
        EXPECT_EQ(counter.seen[0].bytes, 16);
        EXPECT_EQ(counter.seen[0].matrices, count);
        EXPECT_EQ(counter.seen[0].active, full_mask);
      }
}

TEST(LoadMatrix, FaultsWhereARowIsOutOfSharedMemory) {
  std::vector<u32> rows(32, 0);
  rows[7] = 1024;
  Gpu gpu;
  ASSERT_TRUE(gpu.load(load_matrices(1, ".shared", false)));
  u64 to = gpu.buffer(std::vector<u32>(128));
  EXPECT_TRUE(gpu.run("k", {1}, {32}, {gpu.buffer(std::vector<u16>(512)), gpu.buffer(rows), to}).fault);
}

// --- mma

struct Place {
  u32 row, column;
};
using Figure = Place (*)(u32 group, u32 lane, u32 i); // of element i of a lane: lane / 4, lane % 4

// The figures of the PTX ISA, as they stand there.
struct Shape {
  const char* name;
  const char* types; // D A B C; of single bits with the operation
  u32 m, k;
  u32 a_elements, b_elements; // of a lane
  Figure a, b;
};
Place c_of_16(u32 g, u32 t, u32 i) { return {i < 2 ? g : g + 8, t * 2 + (i & 1)}; }
Place c_of_8(u32 g, u32 t, u32 i) { return {g, t * 2 + (i & 1)}; }

#define PLACE(row, column) [](u32 g, u32 t, u32 i) -> Place { return {row, column}; }
const Shape shapes[] = {
    {"m16n8k8", "f32 f16 f16 f32", 16, 8, 4, 2, PLACE(i < 2 ? g : g + 8, t * 2 + (i & 1)),
     PLACE(t * 2 + i, g)},
    {"m16n8k8", "f16 f16 f16 f16", 16, 8, 4, 2, PLACE(i < 2 ? g : g + 8, t * 2 + (i & 1)),
     PLACE(t * 2 + i, g)},
    {"m16n8k8", "f32 bf16 bf16 f32", 16, 8, 4, 2, PLACE(i < 2 ? g : g + 8, t * 2 + (i & 1)),
     PLACE(t * 2 + i, g)},
    {"m16n8k16", "f32 f16 f16 f32", 16, 16, 8, 4,
     PLACE(i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8),
     PLACE(i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)},
    {"m16n8k16", "f16 f16 f16 f16", 16, 16, 8, 4,
     PLACE(i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8),
     PLACE(i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)},
    {"m16n8k16", "f32 bf16 bf16 f32", 16, 16, 8, 4,
     PLACE(i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8),
     PLACE(i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g)},
    {"m16n8k4", "f32 tf32 tf32 f32", 16, 4, 2, 1, PLACE(i == 0 ? g : g + 8, t), PLACE(t, (void(i), g))},
    {"m16n8k8", "f32 tf32 tf32 f32", 16, 8, 4, 2, PLACE(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4),
     PLACE(i == 0 ? t : t + 4, g)},
    {"m8n8k16", "s32 s8 u8 s32", 8, 16, 4, 4, PLACE(g, t * 4 + i), PLACE(t * 4 + i, g)},
    {"m16n8k16", "s32 s8 s8 s32", 16, 16, 8, 4, PLACE(i < 4 ? g : g + 8, t * 4 + (i & 3)),
     PLACE(t * 4 + i, g)},
    {"m16n8k32", "s32 u8 s8 s32", 16, 32, 16, 8,
     PLACE(i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16),
     PLACE(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)},
    {"m8n8k32", "s32 s4 s4 s32", 8, 32, 8, 8, PLACE(g, t * 8 + i), PLACE(t * 8 + i, g)},
    {"m16n8k32", "s32 u4 s4 s32", 16, 32, 16, 8, PLACE(i < 8 ? g : g + 8, t * 8 + (i & 7)),
     PLACE(t * 8 + i, g)},
    {"m16n8k64", "s32 s4 u4 s32", 16, 64, 32, 16,
     PLACE(i < 8 || (i >= 16 && i < 24) ? g : g + 8, i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32),
     PLACE(i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g)},
    {"m16n8k32", "f32 e4m3 e5m2 f32", 16, 32, 16, 8,
     PLACE(i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16),
     PLACE(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)},
    {"m16n8k32", "f16 e5m2 e5m2 f16", 16, 32, 16, 8,
     PLACE(i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16),
     PLACE(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g)},
    {"m8n8k128", "s32 b1 b1 s32.and.popc", 8, 128, 32, 32, PLACE(g, t * 32 + i), PLACE(t * 32 + i, g)},
    {"m8n8k128", "s32 b1 b1 s32.xor.popc", 8, 128, 32, 32, PLACE(g, t * 32 + i), PLACE(t * 32 + i, g)},
    {"m16n8k128", "s32 b1 b1 s32.xor.popc", 16, 128, 64, 32, PLACE(i < 32 ? g : g + 8, t * 32 + (i & 31)),
     PLACE(t * 32 + i, g)},
    {"m16n8k256", "s32 b1 b1 s32.and.popc", 16, 256, 128, 64,
     PLACE(i < 32 || (i >= 64 && i < 96) ? g : g + 8, i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128),
     PLACE(i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g)},
    {"m8n8k4", "f64 f64 f64 f64", 8, 4, 1, 1, PLACE(g, (void(i), t)), PLACE((void(i), t), g)},
    {"m16n8k8", "f64 f64 f64 f64", 16, 8, 4, 2, PLACE(i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4),
     PLACE(i == 0 ? t : t + 4, g)},
};
#undef PLACE

Product product_of(const Shape& shape) {
  std::vector<std::string> type = words(shape.types);
  u32 sums = shape.m * 8 / warp_size;
  std::string last = type[3].substr(0, type[3].find('.'));
  return {{type[0], sums}, {type[1], shape.a_elements}, {type[2], shape.b_elements}, {last, sums}, {}, {}};
}

std::string form_of(const Shape& shape, const char* more = "") {
  std::vector<std::string> t = words(shape.types);
  return fmt::format("mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}", shape.name, more, t[0], t[1], t[2], t[3]);
}

TEST(MultiplyMatrices, EveryShapeIsTheProductOfItsFigures) {
  std::mt19937 random(9);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(form_of(shape));
    Product p = product_of(shape);
    double a[16][256] = {}, b[256][8] = {}, c[16][8] = {};
    bool differ = std::string_view(shape.types).ends_with(".xor.popc");
    Figure sums = shape.m == 16 ? c_of_16 : c_of_8;
    auto fill = [&](Fragment& f, Figure figure, auto& matrix) {
      for (u32 lane = 0; lane < warp_size; ++lane)
        for (u32 i = 0; i < f.elements; ++i) {
          u64 raw = draw(f.type, random);
          f.set(lane, i, raw);
          Place at = figure(lane / 4, lane % 4, i);
          matrix[at.row][at.column] = value(f.type, raw);
        }
    };
    fill(p.a, shape.a, a), fill(p.b, shape.b, b), fill(p.c, sums, c);
    run_product(form_of(shape), p);
    for (u32 lane = 0; lane < warp_size; ++lane)
      for (u32 i = 0; i < p.d.elements; ++i) {
        Place at = sums(lane / 4, lane % 4, i);
        double want = c[at.row][at.column];
        for (u32 k = 0; k < shape.k; ++k)
          want += differ ? a[at.row][k] != b[k][at.column] : a[at.row][k] * b[k][at.column];
        if (p.d.type == "s32") want = static_cast<i32>(static_cast<i64>(want));
        ASSERT_EQ(value(p.d.type, p.d.get(lane, i)), want) << "lane " << lane << " element " << i;
      }
  }
}

TEST(MultiplyMatrices, SumsKeepWhatIsAddedOnTheWayAndIntegersStop) {
  Shape halves = shapes[3], bytes = shapes[10];
  Product p = product_of(halves); // 1 · 1 + 2^-24 · 1 + 2^-24 · 1 = 1 + 2^-23: no sum on the way is cut
  for (u32 lane = 0; lane < warp_size; ++lane)
    for (u32 i = 0; i < 8; ++i) {
      u32 column = halves.a(lane / 4, lane % 4, i).column;
      p.a.set(lane, i, column == 0 ? 0x3c00 : column < 3 ? 0x0001 : 0); // 1, 2^-24
      if (i < 4) p.b.set(lane, i, 0x3c00);
    }
  run_product(form_of(halves), p);
  EXPECT_EQ(p.d.get(0, 0), 0x3f800001u);
  Product q = product_of(bytes);
  for (u32 lane = 0; lane < warp_size; ++lane) {
    for (u32 i = 0; i < 16; ++i) q.a.set(lane, i, 255);
    for (u32 i = 0; i < 8; ++i) q.b.set(lane, i, 127);
    for (u32 i = 0; i < 4; ++i) q.c.set(lane, i, 0x7fffffff);
  }
  Product r = q;
  run_product(form_of(bytes, ".satfinite"), q);
  EXPECT_EQ(q.d.get(5, 1), 0x7fffffffu);
  run_product(form_of(bytes), r);
  EXPECT_EQ(r.d.get(5, 1), 0x7fffffffu + 32u * 255 * 127);
}

// As an H200 adds (tests/hardware/instructions.md): 25 bits below the greatest exponent are kept, and the sum is cut off.
TEST(MultiplyMatrices, TermsAreCutOffBelowTheGreatest) {
  const Shape& brains = *std::ranges::find_if(shapes, [](const Shape& s) {
    return s.name == std::string_view("m16n8k16") && s.types == std::string_view("f32 bf16 bf16 f32");
  });
  // One row and column: the products x0 · y0 + x1 · y1 + c.
  auto sum = [&](float x0, float y0, float x1, float y1, float c) {
    auto brain = [](float x) { return std::bit_cast<u32>(x) >> 16; };
    Product p = product_of(brains);
    for (u32 lane = 0; lane < warp_size; ++lane) {
      for (u32 i = 0; i < 8; ++i) {
        const u32 k = brains.a(lane / 4, lane % 4, i).column;
        p.a.set(lane, i, k == 0 ? brain(x0) : k == 1 ? brain(x1) : 0);
      }
      for (u32 i = 0; i < 4; ++i) {
        const u32 k = brains.b(lane / 4, lane % 4, i).row;
        p.b.set(lane, i, k == 0 ? brain(y0) : k == 1 ? brain(y1) : 0);
        p.c.set(lane, i, std::bit_cast<u32>(c));
      }
    }
    run_product(form_of(brains), p);
    return std::bit_cast<float>(static_cast<u32>(p.d.get(0, 0)));
  };
  EXPECT_EQ(sum(1, 1, 0x1.8p-24f, 1, 0), 1.0f);                         // not rounded up to 1 + 2^-23
  EXPECT_EQ(sum(1, 1, 0x1p-24f, 1, 0x1p-24f), 0x1.000002p0f);           // two halves of the last bit are one
  EXPECT_EQ(sum(1, 1, 0x1p-26f, 1, 0x1p-26f), 1.0f);                    // what lies below 25 bits is gone
  EXPECT_EQ(sum(-1, 1, 0x1p-24f, 1, 0), -0x1.fffffep-1f);               // towards zero
  EXPECT_EQ(sum(0x1p-60f, 0x1p-60f, 0x1p-60f, 0x1p-60f, 0), 0x1p-119f); // numbers that are not usual
  EXPECT_EQ(sum(0x1p-30f, 0x1p-30f, 0, 0, 0x1p-60f), 0x1p-59f);
  EXPECT_EQ(sum(0x1p100f, 0x1p100f, 0, 0, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum(0x1p60f, 0x1p60f, -0x1p60f, 0x1p60f, 3), 0.0f); // 3 lies below 2^120 by more than 25 bits
  EXPECT_EQ(sum(0, 0, 0, 0, 0x1p-140f), 0x1p-140f);
}

TEST(MultiplyMatrices, FormsWithoutSemanticsAreRefused) {
  for (const char* form :
       {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, "
        "{%r1,%r2,%r3,%r4};",
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
        "{%r1,%r2,%r3,%r4};",
        "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r2};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1}, "
        "{%r1,%r2,%r3,%r4};",
        "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1,%r2}, [%r3];",
        "wmma.store.d.sync.aligned.row.m9n16k16.global.f32 [%d1], {%r1,%r2,%r3,%r4}, 16;"}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(ptx_header() +
                         ".visible .entry k() { .reg .b32 %r<20>; .reg .b64 %d<2>; .reg .pred %p<2>;\n" +
                         form + "\nret; }\n"))
        << form;
    LaunchResult result = gpu.run("k", {1}, {32}, {});
    ASSERT_TRUE(result.fault) << form;
    EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction) << form;
  }
}

} // namespace
} // namespace warplens::sim
