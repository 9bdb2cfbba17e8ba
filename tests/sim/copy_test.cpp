// cp.async: what arrives in shared memory, who may point anywhere, and what is counted.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

constexpr u32 threads = 64;

struct Counter final : access::Sink {
  std::vector<std::pair<access::Kind, access::Space>> seen;
  std::vector<u32> bytes;
  void note(const access::AccessHeader& header) {
    if (header.kind == access::Kind::load || header.kind == access::Kind::store) return;
    seen.push_back({header.kind, header.space});
    bytes.push_back(header.bytes);
  }
  void lanes(const access::LaneBatch& batch) override { note(batch); }
  void affine(const access::AffineAccess& access) override { note(access); }
};

// Each thread copies `bytes` from its place in `in` to its place in shared memory, which held ones, and then from there to
// `out`. %r2: the thread's number of `sizes`; %p1: that it is even. An odd thread's source is out of all memory where
// `wild`.
std::string kernel(u32 bytes, const std::string& copy, bool wild) {
  std::string text = ptx_header() + R"(
.visible .entry k(.param .u64 in, .param .u64 sizes, .param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<4>;
  .shared .align 16 .b8 s[2048];
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [sizes]; ld.param.u64 %d3, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d2, %d2, %d4; ld.global.u32 %r2, [%d2];
  and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;
)";
  text += fmt::format("mul.wide.u32 %d5, %r1, {0}; add.s64 %d1, %d1, %d5; add.s64 %d3, %d3, %d5;\n"
                      "mov.u32 %r4, s; mad.lo.u32 %r4, %r1, {0}, %r4; mov.u32 %r5, -1;\n",
                      bytes);
  if (wild) text += "selp.u64 %d1, %d1, 16, %p1;\n";
  for (u32 at = 0; at < bytes; at += 4) text += fmt::format("st.shared.u32 [%r4+{}], %r5;\n", at);
  text += copy + "\ncp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n";
  for (u32 at = 0; at < bytes; at += 4)
    text += fmt::format("ld.shared.u32 %r6, [%r4+{0}]; st.global.u32 [%d3+{0}], %r6;\n", at);
  return text + "ret; }\n";
}

struct Case {
  const char* copy; // {}: "ca" or "cg", how many bytes
  bool wild;
  int (*copied)(u32 thread, u32 size,
                u32 bytes); // bytes that come from the source; zeros follow; -1: nothing is written
};

const Case cases[] = {
    {"cp.async.{}.shared.global [%r4], [%d1], {};", false, [](u32, u32, u32 n) { return int(n); }},
    {"cp.async.{}.shared.global.L2::128B [%r4], [%d1], {};", false, [](u32, u32, u32 n) { return int(n); }},
    {"cp.async.{}.shared::cta.global [%r4], [%d1], {}, %r2;", false, [](u32, u32 s, u32) { return int(s); }},
    {"cp.async.{}.shared.global [%r4], [%d1], {}, 0;", true, [](u32, u32, u32) { return 0; }},
    {"cp.async.{}.shared.global [%r4], [%d1], {}, 3;", false, [](u32, u32, u32) { return 3; }},
    {"@%p1 cp.async.{}.shared.global [%r4], [%d1], {};", true,
     [](u32 t, u32, u32 n) { return t % 2 == 0 ? int(n) : -1; }},
    {"@!%p1 cp.async.{}.shared.global [%r4], [%d1], {}, %r2;", false,
     [](u32 t, u32 s, u32) { return t % 2 == 1 ? int(s) : -1; }},
    {"selp.u32 %r2, %r2, 0, %p1; cp.async.{}.shared.global [%r4], [%d1], {}, %r2;", true,
     [](u32 t, u32 s, u32) { return t % 2 == 0 ? int(s) : 0; }},
    {"not.pred %p2, %p1; cp.async.{}.shared.global [%r4], [%d1], {}, %p2;", true,
     [](u32 t, u32, u32 n) { return t % 2 == 0 ? int(n) : 0; }},
};

TEST(AsynchronousCopies, WriteWhatTheyReadAndZerosBehindIt) {
  std::vector<u8> in(threads * 16);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<u8>(i * 7 + 1);
  for (u32 bytes : {4u, 8u, 16u})
    for (const Case& c : cases) {
      SCOPED_TRACE(fmt::format("{} {}", bytes, c.copy));
      Gpu gpu;
      std::string copy = fmt::format(fmt::runtime(c.copy), bytes == 16 ? "cg" : "ca", bytes);
      ASSERT_TRUE(gpu.load(kernel(bytes, copy, c.wild)));
      std::vector<u32> sizes;
      for (u32 t = 0; t < threads; ++t) sizes.push_back(t * 5 % (bytes + 1));
      u64 from = gpu.buffer(in), to = gpu.buffer(std::vector<u8>(in.size()));
      gpu.expect_run("k", {1}, {threads}, {from, gpu.buffer(sizes), to});
      std::vector<u8> got = gpu.read<u8>(to, in.size());
      for (u32 t = 0; t < threads; ++t) {
        int copied = c.copied(t, sizes[t], bytes);
        for (u32 b = 0; b < bytes; ++b) {
          int want = copied < 0 ? 255 : static_cast<int>(b) < copied ? in[t * bytes + b] : 0;
          ASSERT_EQ(got[t * bytes + b], want) << "thread " << t << " byte " << b;
        }
      }
    }
}

TEST(AsynchronousCopies, AreCountedOnceAtTheirSource) {
  for (const Case& c : {cases[0], cases[2]}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(kernel(16, fmt::format(fmt::runtime(c.copy), "cg", 16), false)));
    u64 from = gpu.buffer(std::vector<u8>(threads * 16)), sizes = gpu.buffer(std::vector<u32>(threads, 16)),
        to = gpu.buffer(std::vector<u8>(threads * 16));
    Counter counter;
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&counter};
    gpu.expect_run("k", {1}, {threads}, {from, sizes, to}, options);
    ASSERT_EQ(counter.seen.size(), 1u);
    EXPECT_EQ(counter.seen[0], std::pair(access::Kind::async_copy, access::Space::global));
    EXPECT_EQ(counter.bytes[0], 16u);
  }
}

// Where each lane writes, and which lanes read nothing: %r2 bytes each, 0 in every third thread.
TEST(AsynchronousCopies, TheSinkIsToldWhereTheyWrite) {
  struct Sink final : access::Sink {
    void lanes(const access::LaneBatch& batch) override {
      if (batch.kind != access::Kind::async_copy) return;
      for (u32 w = 0; w < batch.active.size(); ++w) {
        access::WarpAccess one = access::warp_of(batch, w);
        EXPECT_EQ(one.active, full_mask);
        ASSERT_NE(one.copied_to, nullptr);
        for (u32 lane = 0; lane < warp_size; ++lane)
          EXPECT_EQ(one.copied_to[lane], (w * warp_size + lane) * 16 + 32) << w << " " << lane;
        empty.push_back(one.empty);
        sized.push_back(one.sized);
      }
    }
    void affine(const access::AffineAccess& access) override {
      EXPECT_NE(access.kind, access::Kind::async_copy);
    }
    std::vector<u32> empty;
    std::vector<bool> sized;
  };
  std::vector<u32> sizes;
  std::vector<u32> none(threads / warp_size);
  for (u32 t = 0; t < threads; ++t) {
    sizes.push_back(t % 3 == 0 ? 0 : 16);
    none[t / warp_size] |= u32{t % 3 == 0} << t % warp_size;
  }
  for (bool sized : {false, true}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(kernel(16,
                                sized ? "cp.async.cg.shared.global [%r4+32], [%d1], 16, %r2;"
                                      : "cp.async.cg.shared.global [%r4+32], [%d1], 16;",
                                false)));
    u64 from = gpu.buffer(std::vector<u8>(threads * 16)), to = gpu.buffer(std::vector<u8>(threads * 16));
    Sink sink;
    LaunchOptions options;
    options.workers = 1;
    options.sinks = {&sink};
    gpu.expect_run("k", {1}, {threads}, {from, gpu.buffer(sizes), to}, options);
    EXPECT_EQ(sink.empty, sized ? none : std::vector<u32>(threads / warp_size));
    EXPECT_EQ(sink.sized, std::vector<bool>(threads / warp_size, sized));
  }
}

TEST(AsynchronousCopies, FaultWhereTheyPointOutOfMemory) {
  for (const char* copy : {"cp.async.ca.shared.global [%r4], [%d1], 8;",        // odd threads' source
                           "cp.async.ca.shared.global [%r4+100000], [%d3], 8;", // destination
                           "cp.async.ca.shared.global [%r4+4], [%d3], 8;"}) {   // misaligned
    Gpu gpu;
    ASSERT_TRUE(gpu.load(kernel(8, copy, true)));
    u64 from = gpu.buffer(std::vector<u8>(threads * 16)), sizes = gpu.buffer(std::vector<u32>(threads));
    EXPECT_TRUE(gpu.run("k", {1}, {threads}, {from, sizes, from}).fault) << copy;
  }
}

// 8 bytes are left of the allocation where the last thread reads.
TEST(AsynchronousCopies, ReadNoMoreThanTheirSize) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel(16, "cp.async.ca.shared.global [%r4], [%d1], 16, %r2;", false)));
  std::vector<u32> sizes(threads, 16);
  sizes.back() = 6;
  u64 from = gpu.buffer(std::vector<u8>(threads * 16 - 8, 3)), to = gpu.buffer(std::vector<u8>(threads * 16));
  LaunchOptions options;
  options.strict_memory = true;
  gpu.expect_run("k", {1}, {threads}, {from, gpu.buffer(sizes), to}, options);
  std::vector<u8> got = gpu.read<u8>(to + threads * 16 - 16, 16);
  for (u32 b = 0; b < 16; ++b) EXPECT_EQ(got[b], b < 6 ? 3 : 0) << b;
  sizes.back() = 9;
  EXPECT_TRUE(gpu.run("k", {1}, {threads}, {from, gpu.buffer(sizes), to}, options).fault);
}

TEST(AsynchronousCopies, WithoutSuchASizeAreRefused) {
  for (const char* copy :
       {"cp.async.ca.shared.global [%r4], [%d1], 12;", "cp.async.cg.shared.global [%r4], [%d1], 8;"}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(kernel(16, copy, false)));
    u64 from = gpu.buffer(std::vector<u8>(threads * 16)), sizes = gpu.buffer(std::vector<u32>(threads));
    LaunchResult result = gpu.run("k", {1}, {threads}, {from, sizes, from});
    ASSERT_TRUE(result.fault) << copy;
    EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction);
  }
}

} // namespace
} // namespace warplens::sim
