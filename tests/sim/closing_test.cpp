// Launches that are stopped before their end: what has begun ends in the moment that is left, what has not begun does not,
// and what was counted is that of the CTAs that are said to have run.
#include "base/bits.h"
#include "sim/harness.h"
#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace warplens::sim {
namespace {

constexpr u32 rounds = 100, block = 64;

// Each thread reads `rounds` times; then its CTA adds 1 to out[0].
std::string reader() {
  return ptx_header() + fmt::format(R"(
.visible .entry k(.param .u64 memory) {{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d0, [memory];
  mov.u32 %r0, %tid.x; mov.u32 %r1, 0;
LOOP:
  ld.global.u32 %r2, [%d0+64];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, {};
  @%p0 bra LOOP;
  bar.sync 0;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra END;
  red.global.add.u32 [%d0], 1;
END:
  ret; }})",
                                    rounds);
}

// Asks for the end once it has seen so many warps.
struct Canceller final : access::Sink {
  Canceller(std::atomic<bool>& c, u64 w) : cancel(c), wanted(w) {}
  void add(u64 warps) {
    seen += warps;
    if (seen >= wanted) cancel = true;
  }
  static u64 warps_of(std::span<const u32> active) {
    return static_cast<u64>(std::ranges::count_if(active, [](u32 mask) { return mask != 0; }));
  }
  void lanes(const access::LaneBatch& batch) override { add(warps_of(batch.active)); }
  void affine(const access::AffineAccess& access) override {
    add(access.active.empty() ? ceil_div(access.block.count(), warp_size) * access.count
                              : warps_of(access.active));
  }
  std::atomic<bool>& cancel;
  u64 wanted, seen = 0;
};

class Closing : public testing::TestWithParam<u32>, public Gpu {
protected:
  LaunchOptions options() {
    LaunchOptions out;
    out.workers = GetParam();
    out.cancel = &cancel;
    return out;
  }
  std::atomic<bool> cancel{false};
};
INSTANTIATE_TEST_SUITE_P(Workers, Closing, testing::Values(1u, 3u));

TEST_P(Closing, CountsThoseThatRan) {
  ASSERT_TRUE(load(reader()));
  constexpr u32 grid = 1 << 20;
  u64 memory = buffer(std::vector<u32>(64));
  std::vector<std::unique_ptr<Canceller>> sinks;
  LaunchOptions with = options();
  for (u32 w = 0; w < with.workers; ++w) {
    sinks.push_back(std::make_unique<Canceller>(cancel, 40 * rounds));
    with.sinks.push_back(sinks.back().get());
  }
  LaunchResult result = run("k", {grid}, {block}, {memory}, with);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::cancelled);
  EXPECT_GT(result.ended, 0u);
  EXPECT_LT(result.begun, grid);
  u64 reads = 0;
  for (const auto& sink : sinks) reads += sink->seen;
  const u64 warps = block / warp_size, stored = read<u32>(memory, 1)[0];
  const u64 each = rounds * warps + 1; // with the addition
  EXPECT_GE(reads, result.ended * each);
  EXPECT_LE(reads, result.begun * each);
  EXPECT_GE(stored, result.ended);
  EXPECT_LE(stored, result.begun);
}

TEST_P(Closing, BeforeTheFirst) {
  ASSERT_TRUE(load(reader()));
  cancel = true;
  LaunchResult result = run("k", {100}, {block}, {buffer(std::vector<u32>(64))}, options());
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::cancelled);
  EXPECT_EQ(result.begun, 0u);
}

// Nothing was cut off: the launch is whole.
TEST_P(Closing, AfterTheLast) {
  ASSERT_TRUE(load(reader()));
  u64 memory = buffer(std::vector<u32>(64));
  LaunchResult result = run("k", {100}, {block}, {memory}, options());
  ASSERT_FALSE(result.fault);
  EXPECT_EQ(result.begun, 100u);
  EXPECT_EQ(result.ended, 100u);
}

// Straight on for ever, and waiting for ever: the moment ends.
TEST_P(Closing, DoesNotWaitForThoseThatNeverEnd) {
  for (const char* body : {"LOOP: add.u32 %r1, %r1, 1; bra LOOP;",
                           "LOOP: ld.volatile.global.u32 %r1, [%d0]; setp.eq.u32 %p0, %r1, 0; @%p0 bra LOOP;",
                           "LOOP: atom.global.add.u32 %r1, [%d0+64], 1; ld.volatile.global.u32 %r1, [%d0]; "
                           "setp.eq.u32 %p0, %r1, 0; @%p0 bra LOOP;"}) {
    SCOPED_TRACE(body);
    ASSERT_TRUE(load(ptx_header() +
                     ".visible .entry k(.param .u64 memory) { .reg .pred %p<4>; .reg .b32 %r<8>; "
                     ".reg .b64 %d<4>; ld.param.u64 %d0, [memory]; mov.u32 %r1, 0; st.global.u32 "
                     "[%d0+128], 1; " +
                     body + " ret; }"));
    cancel = false;
    u64 memory = buffer(std::vector<u32>(64));
    std::thread other([&] {
      const volatile u32* begun = reinterpret_cast<const volatile u32*>(memory + 128);
      while (*begun == 0) std::this_thread::yield();
      cancel = true;
    });
    LaunchResult result = run("k", {8}, {block}, {memory}, options());
    other.join();
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->kind, FaultKind::cancelled);
    EXPECT_EQ(result.ended, 0u);
    EXPECT_GT(result.begun, 0u);
  }
}

} // namespace
} // namespace warplens::sim
