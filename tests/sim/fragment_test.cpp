// wmma: products of matrices in memory against double, every shape, type and layout; and the accesses that are counted.
#include "sim/matrices.h"
#include <algorithm>

namespace warplens::sim {
namespace {

struct Wmma {
  u32 m, n, k;
  const char *d, *a, *b, *c;
  const char* more = ""; // behind the types
};

std::string shape(const Wmma& w) { return fmt::format("m{}n{}k{}", w.m, w.n, w.k); }

struct Layout {
  std::string a, b, c;
  u32 pad = 0;         // elements between lines beyond the matrix's
  bool shared = false; // A, B, C and D are in shared memory
};

// A matrix in memory.
struct Stored {
  std::string type, layout;
  u32 rows, columns, stride;
  std::vector<u8> bytes;

  Stored(std::string t, std::string l, u32 r, u32 c, u32 pad)
      : type(std::move(t)), layout(std::move(l)), rows(r), columns(c),
        stride((layout == "row" ? columns : rows) + pad) {
    bytes.resize(((layout == "row" ? rows : columns) * u64{stride} * bits_of(type) / 8 + 15) / 16 * 16);
  }
  u64 element(u32 row, u32 column) const {
    return layout == "row" ? row * u64{stride} + column : column * u64{stride} + row;
  }
  void set(u32 row, u32 column, u64 raw) {
    u32 bits = bits_of(type);
    u64 at = element(row, column) * bits;
    for (u32 b = 0; b < bits; ++b)
      if (raw >> b & 1) bytes[(at + b) / 8] |= static_cast<u8>(1 << (at + b) % 8);
  }
  double get(u32 row, u32 column) const {
    u32 bits = bits_of(type);
    u64 at = element(row, column) * bits, raw = 0;
    for (u32 b = 0; b < bits; ++b) raw |= u64{bytes[(at + b) / 8] >> (at + b) % 8 & 1u} << b;
    return value(type, raw);
  }
  void fill(std::mt19937& random) {
    for (u32 r = 0; r < rows; ++r)
      for (u32 c = 0; c < columns; ++c) set(r, c, draw(type, random));
  }
};

u32 registers(const Wmma& w, char operand, const std::string& type) {
  u32 elements = operand == 'a' ? w.m * w.k : operand == 'b' ? w.k * w.n : w.m * w.n;
  if ((operand == 'a' || operand == 'b') && type == "f16") return 8;
  return elements * bits_of(type) / (warp_size * register_bits(type));
}

// Copies `bytes` from global memory at %d{} to shared memory at %r{}, or back.
std::string copy(u64 bytes, int global, int shared, int label, bool to_shared) {
  return fmt::format("mul.lo.u32 %t1, %t0, 4; C{2}: setp.ge.u32 %p1, %t1, {3}; @%p1 bra E{2};\n"
                     "cvt.u64.u32 %u1, %t1; add.u64 %u1, %u1, %d{0}; add.u32 %t2, %t1, %r{1};\n{4}\n"
                     "add.u32 %t1, %t1, 128; bra C{2}; E{2}:\n",
                     global, shared, label, bytes,
                     to_shared ? "ld.global.u32 %t3, [%u1]; st.shared.u32 [%t2], %t3;"
                               : "ld.shared.u32 %t3, [%t2]; st.global.u32 [%u1], %t3;");
}

std::string program(const Wmma& w, const Layout& l, const Stored& a, const Stored& b, const Stored& c,
                    const Stored& d) {
  std::string text = ptx_header() + R"(
.extern .shared .align 128 .b8 s[];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
  .reg .b64 %d<5>; .reg .b32 %r<5>; .reg .b32 %t<5>; .reg .b64 %u<2>; .reg .pred %p<2>;
  .reg .b64 %wa<9>; .reg .b64 %wc<9>; .reg .b32 %a<9>; .reg .b32 %b<9>; .reg .b32 %c<9>; .reg .b64 %wb<9>;
  ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b]; ld.param.u64 %d2, [c]; ld.param.u64 %d3, [d];
  mov.u32 %t0, %tid.x; mov.u32 %r0, s;
)";
  u64 at = 0;
  const Stored* all[] = {&a, &b, &c, &d};
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("add.u32 %r{}, %r0, {};\n", i == 0 ? 4 : i, at); // %r4: A
    if (l.shared && i < 3) text += copy(all[i]->bytes.size(), i, i == 0 ? 4 : i, i, true);
    at += (all[i]->bytes.size() + 127) / 128 * 128;
  }
  auto names_of = [&](char operand, const std::string& type) {
    std::string prefix =
        register_bits(type) == 64 ? fmt::format("%w{}", operand) : fmt::format("%{}", operand);
    return names(prefix.c_str(), 0, registers(w, operand == 'd' ? 'c' : operand, type));
  };
  std::string space = l.shared ? ".shared" : ".global";
  auto where = [&](int i) {
    return l.shared ? fmt::format("[%r{}]", i == 0 ? 4 : i) : fmt::format("[%d{}]", i);
  };
  auto load = [&](char operand, int i, const Stored& m) {
    text += fmt::format("wmma.load.{}.sync.aligned.{}.{}{}.{} {}, {}, {};\n", operand, m.layout, shape(w),
                        space, m.type, names_of(operand, m.type), where(i), m.stride);
  };
  text += "bar.sync 0;\n";
  load('a', 0, a), load('b', 1, b), load('c', 2, c);
  bool halves = std::string_view(w.a) == "f16";
  std::string op = std::string_view(w.a) == "b1" ? ".xor.popc" : "";
  std::string types =
      halves ? fmt::format(".{}.{}", w.d, w.c) : fmt::format(".{}.{}.{}.{}", w.d, w.a, w.b, w.c);
  // A fragment of one type may not be one of another, so D is C's only where the types agree.
  std::string sums = std::string_view(w.d) == w.c ? names_of('c', w.c) : names_of('d', w.d);
  if (std::string_view(w.d) != w.c)
    text += ".reg .b32 %d_; .reg .b32 %e<9>;\n", sums = names("%e", 0, registers(w, 'c', w.d));
  text += fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}{}{} {}, {}, {}, {};\n", op, l.a, l.b, shape(w), types,
                      w.more, sums, names_of('a', w.a), names_of('b', w.b), names_of('c', w.c));
  text += fmt::format("wmma.store.d.sync.aligned.{}.{}{}.{} {}, {}, {};\nbar.sync 0;\n", l.c, shape(w), space,
                      w.d, where(3), sums, d.stride);
  if (l.shared) text += copy(d.bytes.size(), 3, 3, 3, false);
  return text + "ret; }\n";
}

struct Accesses final : access::Sink {
  std::vector<access::WarpAccess> seen;
  void lanes(const access::LaneBatch& batch) override { seen.push_back(access::warp_of(batch, 0)); }
  void affine(const access::AffineAccess& access) override { seen.push_back(access::expand(access, 0)); }
};

void check(const Wmma& w, const Layout& l, std::mt19937& random) {
  Stored a(w.a, l.a, w.m, w.k, l.pad), b(w.b, l.b, w.k, w.n, l.pad), c(w.c, l.c, w.m, w.n, l.pad),
      d(w.d, l.c, w.m, w.n, l.pad);
  a.fill(random), b.fill(random), c.fill(random);
  std::string text = program(w, l, a, b, c, d);
  SCOPED_TRACE(text);
  Gpu gpu;
  ASSERT_TRUE(gpu.load(text));
  u64 to = gpu.buffer(d.bytes);
  gpu.expect_run("k", {1}, {32}, {gpu.buffer(a.bytes), gpu.buffer(b.bytes), gpu.buffer(c.bytes), to}, {},
                 40000);
  d.bytes = gpu.read<u8>(to, d.bytes.size());
  for (u32 i = 0; i < w.m; ++i)
    for (u32 j = 0; j < w.n; ++j) {
      double want = c.get(i, j);
      for (u32 k = 0; k < w.k; ++k)
        want += std::string_view(w.a) == "b1" ? a.get(i, k) != b.get(k, j) : a.get(i, k) * b.get(k, j);
      if (std::string_view(w.d) == "s32") want = static_cast<i32>(static_cast<i64>(want));
      ASSERT_EQ(d.get(i, j), want) << i << ", " << j;
    }
}

std::vector<Wmma> all_shapes() {
  std::vector<Wmma> out;
  for (auto [m, n] : {std::pair(16u, 16u), std::pair(32u, 8u), std::pair(8u, 32u)}) {
    for (const char* d : {"f32", "f16"})
      for (const char* c : {"f32", "f16"}) out.push_back({m, n, 16, d, "f16", "f16", c});
    out.push_back({m, n, 16, "f32", "bf16", "bf16", "f32"});
    out.push_back({m, n, 16, "s32", "s8", "s8", "s32", m == 16 ? ".satfinite" : ""});
    out.push_back({m, n, 16, "s32", "u8", "u8", "s32"});
  }
  out.push_back({16, 16, 8, "f32", "tf32", "tf32", "f32"});
  out.push_back({8, 8, 4, "f64", "f64", "f64", "f64", ".rn"});
  return out;
}

TEST(Fragments, ProductsAreRightInEveryShapeTypeAndLayout) {
  std::mt19937 random(31);
  for (const Wmma& w : all_shapes())
    for (std::string a : {"row", "col"})
      for (std::string b : {"row", "col"})
        for (std::string c : {"row", "col"}) {
          bool shared = random() % 2 == 0;
          check(w, {a, b, c, static_cast<u32>(random() % 3) * 16, shared}, random);
          if (testing::Test::HasFailure()) return;
        }
}

TEST(Fragments, NarrowElements) {
  std::mt19937 random(32);
  for (bool shared : {false, true})
    for (const Wmma& w : {Wmma{8, 8, 32, "s32", "s4", "s4", "s32"}, Wmma{8, 8, 32, "s32", "u4", "u4", "s32"},
                          Wmma{8, 8, 128, "s32", "b1", "b1", "s32"}})
      for (std::string c : {"row", "col"}) check(w, {"row", "col", c, 0, shared}, random);
}

// What ptxas 13.0 makes of each for compute capability 9.0: how many requests of how many bytes a lane.
struct Counted {
  const char* form; // of wmma.load or wmma.store, behind ".sync.aligned."
  u32 requests, bytes, matrices;
};

TEST(Fragments, AccessesAreThoseOfTheHardware) {
  for (const Counted& c : std::initializer_list<Counted>{
           {"load.a row.m16n16k16.global.f16", 4, 4, 0},  {"load.a col.m16n16k16.global.f16", 4, 4, 0},
           {"load.b col.m32n8k16.global.bf16", 2, 4, 0},  {"load.a col.m16n16k16.global.s8", 8, 1, 0},
           {"load.a row.m32n8k16.global.s8", 4, 4, 0},    {"load.b row.m16n16k8.global.tf32", 4, 4, 0},
           {"load.c row.m16n16k16.global.f32", 4, 8, 0},  {"load.c col.m16n16k16.global.f32", 8, 4, 0},
           {"load.c row.m8n32k16.global.f32", 8, 4, 0},   {"load.c col.m8n32k16.global.s32", 4, 8, 0},
           {"load.c row.m8n32k16.global.f16", 4, 4, 0},   {"load.c row.m8n8k4.global.f64", 1, 16, 0},
           {"load.a row.m16n16k16.shared.f16", 1, 16, 4}, {"load.a col.m32n8k16.shared.f16", 2, 16, 4},
           {"load.b row.m32n8k16.shared.f16", 1, 16, 2},  {"load.a row.m16n16k16.shared.s8", 1, 16, 2},
           {"load.b col.m32n8k16.shared.u8", 1, 16, 1},   {"load.a col.m16n16k16.shared.s8", 8, 1, 0},
           {"load.c row.m16n16k16.shared.f16", 4, 4, 0},  {"store.d row.m16n16k16.global.f32", 4, 8, 0},
           {"store.d col.m16n16k16.global.f16", 4, 4, 0}}) {
    std::string text = c.form, opcode = text.substr(0, text.find(' ')),
                rest = text.substr(text.find(' ') + 1);
    std::string form = fmt::format("wmma.{}.sync.aligned.{}", opcode, rest);
    SCOPED_TRACE(form);
    ResultOr<ir::Form, ir::UnknownToken> parsed = ir::parse_form(form);
    ASSERT_TRUE(parsed);
    bool wide = rest.ends_with("f64"), loads = opcode.starts_with("load");
    std::string type = rest.substr(rest.rfind('.') + 1);
    u32 m = 0, n = 0, k = 0;
    ASSERT_EQ(std::sscanf(rest.c_str() + 4, "m%un%uk%u", &m, &n, &k), 3);
    std::string list =
        names(wide ? "%w" : "%r", 0,
              registers({m, n, k, "", "", "", ""}, opcode.back() == 'd' ? 'c' : opcode.back(), type));
    Gpu gpu;
    ASSERT_TRUE(gpu.load(
        ptx_header() + fmt::format(".extern .shared .align 16 .b8 s[];\n.visible .entry k(.param .u64 p) {{\n"
                                   ".reg .b32 %r<9>; .reg .b64 %w<9>; .reg .b64 %d; ld.param.u64 %d, [p];\n"
                                   "{}\n{} {};\nret; }}\n",
                                   rest.find("shared") != rest.npos ? "mov.u64 %d, s;" : "", form,
                                   loads ? list + ", [%d], 32" : "[%d], " + list + ", 32")));
    Accesses accesses;
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&accesses};
    gpu.expect_run("k", {1}, {32}, {gpu.buffer(std::vector<u64>(1024))}, options, 8192);
    ASSERT_EQ(accesses.seen.size(), c.requests);
    for (const access::WarpAccess& a : accesses.seen) {
      EXPECT_EQ(a.bytes, c.bytes);
      EXPECT_EQ(a.matrices, c.matrices);
      EXPECT_EQ(a.kind, !loads       ? access::Kind::store
                        : c.matrices ? access::Kind::ldmatrix
                                     : access::Kind::load);
    }
  }
}

} // namespace
} // namespace warplens::sim
