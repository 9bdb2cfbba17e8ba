// mbarrier: phases, waits that make progress, and those that never end.
#include "sim/harness.h"
#include "sim/memory/phase_barrier.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// A kernel k(out) that may use %rd1 (out + 4 · tid), %r0 (tid), `bar` and `more` (mbarriers), `data` (512 words), and registers
// from 1 (%rd: 2) on.
std::string kernel(const std::string& body) {
  return R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;
  .shared .align 8 .b64 bar; .shared .align 8 .b64 more;
  .shared .align 16 .b8 data[2048];
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 4;
  add.s64 %rd1, %rd1, %rd2;
  setp.eq.u32 %p0, %r0, 0;
)" + body +
         "\n  ret;\n}\n";
}

// What ptxas 13.0 stores for 3 arrivals: 2^30 - 3 and 2^31 - 3; it waits for another bit 63.
TEST(PhaseBarrier, MachineCodeFor8xHasAnotherObject) {
  PhaseBarrier barrier = PhaseBarrier::of_8x(0x7fff'fffd'3fff'fffd);
  EXPECT_TRUE(barrier.valid);
  EXPECT_EQ(barrier.word_8x(), 0x7fff'fffd'3fff'fffdu);
  barrier.arrive(2);
  EXPECT_EQ(barrier.word_8x(), 0x7fff'ffff'3fff'fffdu);
  barrier.arrive(1);
  EXPECT_EQ(barrier.word_8x(), 0xffff'fffd'3fff'fffdu);
  EXPECT_EQ(PhaseBarrier::of_8x(barrier.word_8x()).phase, 1u);
  EXPECT_FALSE(PhaseBarrier::of_8x(0).valid);
}

class Mbarrier : public testing::Test, public Gpu {
protected:
  LaunchResult launch_kernel(const std::string& body, u32 threads, bool check = false) {
    if (!load(kernel(body))) return {};
    out = buffer(std::vector<u32>(1024));
    LaunchOptions options;
    options.checks.sync = check;
    return run("k", {1}, {threads}, {out}, options);
  }
  std::vector<u32> results(const std::string& body, u32 threads) {
    LaunchResult result = launch_kernel(body, threads);
    if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
    EXPECT_TRUE(result.warnings.empty());
    return read<u32>(out, threads);
  }
  static bool says(const diag::Diagnostic& diagnostic, const std::string& text) {
    return diag::render(diagnostic).find(text) != std::string::npos;
  }
  u64 out = 0;
};

std::string init(u32 count) {
  return fmt::format("@%p0 mbarrier.init.shared.b64 [bar], {}; bar.sync 0;\n", count);
}

// Ten times: each thread writes a word, arrives, waits, and adds its neighbour's.
std::string exchange(const std::string& wait) {
  return init(64) + R"(
  mov.u32 %r1, 0; mov.u32 %r2, 0;
  shl.b32 %r3, %r0, 2; mov.u32 %r4, data; add.u32 %r5, %r4, %r3;
  xor.b32 %r6, %r3, 252; add.u32 %r6, %r4, %r6;
ROUND: mul.lo.u32 %r7, %r0, 3; add.u32 %r7, %r7, %r1; st.shared.u32 [%r5], %r7;
)" + wait +
         R"(
  ld.shared.u32 %r8, [%r6]; add.u32 %r2, %r2, %r8;
  bar.sync 0;
  add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra ROUND;
  st.global.u32 [%rd1], %r2;
)";
}

std::vector<u32> exchanged() {
  std::vector<u32> want;
  for (u32 t = 0; t < 64; ++t) want.push_back((63 - t) * 30 + 45);
  return want;
}

// What an H200 returned as states, or had in shared memory (driver 580.159.04, 29 November 2026): machine code reads these bits.
TEST(PhaseBarrier, HasTheBitsOfTheHardware) {
  auto high = [](const PhaseBarrier& barrier) { return barrier.word() >> 32; };
  EXPECT_EQ(high({3, 3, 0, 0, true}), 0x7fffe800u); // 3 of 3 arrivals are lacking
  EXPECT_EQ(high({2, 3, 0, 0, true}), 0x7ffff000u);
  EXPECT_EQ(high({3, 3, 256, 1, true}), 0xffffebffu); // the next phase, which waits for 256 bytes, too
  EXPECT_EQ((PhaseBarrier{1, 1, 32, 1, true}.word()), 0xfffffbff'fc1ffffeu);
  EXPECT_EQ((PhaseBarrier{}.word()), 0u);
}

// Code for 10.0 initialises an object by a store.
TEST(PhaseBarrier, SaysAgainWhatItSaid) {
  for (const PhaseBarrier& one :
       {PhaseBarrier{5, 7, 0, 0, true}, PhaseBarrier{1, PhaseBarrier::most_arrivals, -4096, 3, true},
        PhaseBarrier{7, 7, 65536, 2, true}, PhaseBarrier{0, 0, 0, 1, true}}) {
    const PhaseBarrier again = PhaseBarrier::of(one.word());
    EXPECT_EQ(again.pending, one.pending);
    EXPECT_EQ(again.expected, one.expected);
    EXPECT_EQ(again.bytes, one.bytes);
    EXPECT_EQ(again.phase, one.phase);
    EXPECT_TRUE(again.valid);
  }
  EXPECT_FALSE(PhaseBarrier::of(0).valid);
  constexpr u64 five = (u64{1} << 20) - 5;
  EXPECT_TRUE(PhaseBarrier::of(five << 43 | five << 1).valid);
}

TEST_F(Mbarrier, AllThreadsArriveAndWaitForTheirState) {
  for (const char* wait : {"test_wait", "try_wait", "try_wait.acquire.cta"})
    EXPECT_EQ(results(exchange(fmt::format(R"(
  mbarrier.arrive.shared.b64 %rd3, [bar];
W: mbarrier.{}.shared::cta.b64 %p2, [bar], %rd3; @!%p2 bra W;)",
                                           wait)),
                      64),
              exchanged())
        << wait;
}

TEST_F(Mbarrier, AParityNamesThePhase) {
  EXPECT_EQ(results(exchange(R"(
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  and.b32 %r9, %r1, 1;
W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r9, 1000; @!%p2 bra W;)"),
                    64),
            exchanged());
}

// Warp 0 fills, warp 1 empties, each waits for the other at an mbarrier of its own: within one SIMT stack neither would
// ever go on.
TEST_F(Mbarrier, WarpsThatWaitForEachOther) {
  std::vector<u32> out = results(R"(
  @%p0 mbarrier.init.shared.b64 [bar], 32; @%p0 mbarrier.init.shared.b64 [more], 32; bar.sync 0;
  and.b32 %r1, %r0, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, data; add.u32 %r1, %r1, %r2;
  mov.u32 %r3, 0; mov.u32 %r8, 0;
  setp.ge.u32 %p1, %r0, 32; @%p1 bra CONSUME;
FILL: and.b32 %r4, %r3, 1; xor.b32 %r4, %r4, 1;
P: mbarrier.try_wait.parity.shared.b64 %p2, [more], %r4; @!%p2 bra P;
  mad.lo.u32 %r5, %r3, 100, %r0; st.shared.u32 [%r1], %r5;
  mbarrier.arrive.shared.b64 _, [bar];
  add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 20; @%p3 bra FILL;
  bra END;
CONSUME: and.b32 %r4, %r3, 1;
C: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r4; @!%p2 bra C;
  ld.shared.u32 %r5, [%r1]; add.u32 %r8, %r8, %r5;
  mbarrier.arrive.shared.b64 _, [more];
  add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 20; @%p3 bra CONSUME;
END: st.global.u32 [%rd1], %r8;
)",
                                 64);
  for (u32 t = 32; t < 64; ++t) EXPECT_EQ(out[t], 19000 + 20 * (t - 32));
}

// The lane that waits is in the way of the others of its warp, which it waits for.
TEST_F(Mbarrier, ALaneThatWaitsForOthersOfItsWarp) {
  std::vector<u32> out = results(init(31) + R"(
  mov.u32 %r1, 7;
  @!%p0 bra ARRIVE;
W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;
  mov.u32 %r1, 9; bra END;
ARRIVE: mbarrier.arrive.shared.b64 _, [bar];
END: st.global.u32 [%rd1], %r1;
)",
                                 32);
  EXPECT_EQ(out[0], 9u);
  EXPECT_EQ(out[1], 7u);
}

TEST_F(Mbarrier, BytesHoldAPhaseBack) {
  std::vector<u32> out = results(init(1) + R"(
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 48;
  mbarrier.complete_tx.shared.b64 [bar], 32;
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd3; selp.u32 %r1, 1, 0, %p1;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd3; selp.u32 %r2, 2, 0, %p1;
  mbarrier.complete_tx.shared.b64 [bar], 64;
  mbarrier.arrive.shared.b64 %rd4, [bar];
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd4; selp.u32 %r3, 4, 0, %p1;
  mbarrier.expect_tx.shared.b64 [bar], 64;
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd4; selp.u32 %r4, 8, 0, %p1;
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;
  st.global.u32 [%rd1], %r1;
)",
                                 1);
  EXPECT_EQ(out[0], 10u);
}

TEST_F(Mbarrier, CountsOfArrivals) {
  std::vector<u32> out = results(init(5) + R"(
  mbarrier.arrive.shared.b64 %rd3, [bar], 2;
  mbarrier.pending_count.b64 %r1, %rd3;
  mbarrier.arrive.noComplete.shared.b64 %rd3, [bar], 1;
  mbarrier.pending_count.b64 %r2, %rd3;
  mbarrier.arrive_drop.shared.b64 %rd4, [bar], 2;
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd4; selp.u32 %r3, 100, 0, %p1;
  mbarrier.arrive.shared.b64 %rd3, [bar];
  mbarrier.pending_count.b64 %r4, %rd3;
  mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r4; add.u32 %r1, %r1, %r3;
  mbarrier.inval.shared.b64 [bar];
  st.global.u32 [%rd1], %r1;
)",
                                 1);
  EXPECT_EQ(out[0], 5 * 100 + 3 * 10 + 3 + 100u); // three are expected after two were dropped
}

TEST_F(Mbarrier, CopiesArrive) {
  std::vector<u32> out = results(init(2) + R"(
  mov.u32 %r2, data; st.global.u32 [%rd1], 77;
  cp.async.ca.shared.global [%r2], [%rd1], 4;
  cp.async.mbarrier.arrive.shared.b64 [bar];
  mbarrier.arrive.shared.b64 %rd3, [bar];
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd3; selp.u32 %r3, 1, 0, %p1;
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd3; selp.u32 %r4, 2, 0, %p1;
  ld.shared.u32 %r5, [%r2]; add.u32 %r5, %r5, %r3; add.u32 %r5, %r5, %r4;
  st.global.u32 [%rd1], %r5;
)",
                                 1);
  EXPECT_EQ(out[0], 79u);
}

TEST_F(Mbarrier, APhaseThatNobodyCompletes) {
  for (const char* wait : {"test_wait", "try_wait"}) {
    LaunchResult result =
        launch_kernel(init(65) + fmt::format("mbarrier.arrive.shared.b64 %rd3, [bar];\n"
                                             "W: mbarrier.{}.shared.b64 %p1, [bar], %rd3; @!%p1 bra W;",
                                             wait),
                      64);
    ASSERT_TRUE(result.fault.has_value());
    EXPECT_EQ(result.fault->kind, FaultKind::deadlock);
    EXPECT_TRUE(says(result.fault->diagnostic, "waiting at the mbarrier"))
        << diag::render(result.fault->diagnostic);
    EXPECT_TRUE(says(result.fault->diagnostic, "lacks 1 of 65 arrivals"))
        << diag::render(result.fault->diagnostic);
  }
}

TEST_F(Mbarrier, MisuseIsFound) {
  for (const char* use : {"mbarrier.arrive.shared.b64 _, [bar];", "mbarrier.init.shared.b64 [bar], 0;",
                          "mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];",
                          "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;"}) {
    LaunchResult result = launch_kernel(use, 1);
    ASSERT_TRUE(result.fault.has_value()) << use;
    EXPECT_EQ(result.fault->diagnostic.kind, "kernel-bad-mbarrier") << use;
  }
}

// As libcu++ does: twice, by every thread, where there is no object yet, and while others wait.
TEST_F(Mbarrier, InvalidatingChangesNothing) {
  const std::string inval = "mbarrier.inval.shared.b64 [bar];", once = "@%p0 " + inval;
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd3, [bar];",
                    wait = "W: mbarrier.try_wait.shared.b64 %p1, [bar], %rd3; @!%p1 bra W;";
  for (const std::string& body :
       {init(64) + arrive + wait + "bar.sync 0;" + once + once,
        init(64) + arrive + wait + "bar.sync 0;" + inval, inval + "bar.sync 0;" + init(64) + arrive + wait,
        init(64) + arrive + once + wait}) {
    std::vector<u32> out = results(body + "st.global.u32 [%rd1], 1;", 64);
    EXPECT_EQ(std::ranges::count(out, 1u), 64) << body;
  }
}

TEST_F(Mbarrier, MoreArrivalsThanAPhaseHas) {
  LaunchResult result = launch_kernel(init(1) + "mbarrier.arrive.shared.b64 _, [bar], 2;", 1);
  EXPECT_FALSE(result.fault.has_value());
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].kind, "sync-mbarrier-overflow");
}

TEST_F(Mbarrier, CheckSyncKnowsStatesThatAreTooOld) {
  const std::string stale = init(1) + R"(
  mbarrier.arrive.shared.b64 %rd3, [bar]; mbarrier.arrive.shared.b64 _, [bar];
  mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;)";
  EXPECT_TRUE(launch_kernel(stale, 1).warnings.empty());
  LaunchResult result = launch_kernel(stale, 1, true);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].kind, "sync-mbarrier-phase");
}

} // namespace
} // namespace warplens::sim
