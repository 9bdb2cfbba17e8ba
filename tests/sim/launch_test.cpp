// The emulator on kernels that nvcc compiled (data/programs.cu): results, divergence, waiting, calls, faults.
#include "sim/harness.h"
#include <bit>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>
#include <xmmintrin.h>

namespace warplens::sim {
namespace {

std::string programs() {
  std::ifstream in(WARPLENS_TEST_DATA "/programs.ptx");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class Launch : public testing::Test, public Gpu {
protected:
  void SetUp() override { ASSERT_TRUE(load(programs())); }
  u64 ints(std::size_t n, int value = 0) { return buffer(std::vector<int>(n, value)); }
};

LaunchOptions workers(u32 n) {
  LaunchOptions options;
  options.workers = n;
  return options;
}
LaunchOptions limit(double seconds) {
  LaunchOptions options;
  options.time_limit = std::chrono::milliseconds(static_cast<int>(seconds * 1000));
  return options;
}

TEST_F(Launch, SaxpyWithAPartialLastBlock) {
  std::vector<float> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i), y[i] = 0.5f;
  u64 dx = buffer(x), dy = buffer(y);
  expect_run("saxpy", {4}, {256}, {1000, std::bit_cast<u32>(2.0f), dx, dy});
  std::vector<float> out = read<float>(dy, 1000);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 2.0f * static_cast<float>(i) + 0.5f) << i;
}

TEST_F(Launch, TreeSumThroughSharedMemory) {
  std::vector<int> in(5000);
  std::iota(in.begin(), in.end(), -70);
  u64 din = buffer(in), out = ints(20);
  expect_run("tree_sum", {20}, {256}, {5000, din, out});
  std::vector<int> sums = read<int>(out, 20);
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0), std::accumulate(in.begin(), in.end(), 0));
}

TEST_F(Launch, LoopsWithDifferentTripCounts) {
  u64 out = ints(700);
  expect_run("collatz", {3}, {256}, {700, out});
  std::vector<int> got = read<int>(out, 700);
  for (int i = 0; i < 700; ++i) {
    unsigned v = static_cast<unsigned>(i) + 1;
    int steps = 0;
    while (v != 1) {
      v = (v & 1) ? 3 * v + 1 : v / 2;
      if (++steps > 1000) break;
    }
    ASSERT_EQ(got[i], steps) << i;
  }
}

TEST_F(Launch, ShufflesAndBallots) {
  std::vector<int> in(96);
  std::iota(in.begin(), in.end(), 1);
  u64 din = buffer(in), out = ints(2);
  expect_run("warp_sum", {1}, {96}, {din, out});
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{96 * 97 / 2, 0x55555555}));
}

TEST_F(Launch, LanesThatWaitForLanesOfTheirWarp) {
  u64 mutex = ints(1), counter = ints(1);
  expect_run("spin_lock", {6}, {64}, {mutex, counter});
  EXPECT_EQ(read<int>(counter, 1)[0], 6 * 64);
}

TEST_F(Launch, CtasThatWaitForLaterCtas) {
  for (u32 w : {1u, 4u}) {
    u64 turn = ints(1), out = ints(50, -1);
    expect_run("backwards", {50}, {32}, {turn, out}, workers(w));
    std::vector<int> got = read<int>(out, 50);
    for (int b = 0; b < 50; ++b) ASSERT_EQ(got[b], 49 - b);
  }
}

// As many CTAs as fit, each waiting for the one after it, and workers of which one comes long before the
// others: it must not take more than it can start.
TEST_F(Launch, CtasThatAllWaitWhereOneWorkerIsFirst) {
  struct Late final : access::Sink {
    bool slept = false;
    void sleep() {
      if (!std::exchange(slept, true)) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    void lanes(const access::LaneBatch&) override { sleep(); }
    void affine(const access::AffineAccess&) override { sleep(); }
  } late[3];
  device.shape.multiprocessors = 94; // of 2 CTAs each: 47 for each of four workers
  LaunchOptions options = limit(20);
  options.workers = 4;
  options.sinks = {nullptr, &late[0], &late[1], &late[2]};
  u64 turn = ints(1), out = ints(188, -1);
  expect_run("backwards", {188}, {1024}, {turn, out}, options);
  std::vector<int> got = read<int>(out, 188);
  for (int b = 0; b < 188; ++b) ASSERT_EQ(got[b], 187 - b);
}

// A host that flushes subnormal numbers, in the thread that launches alone.
TEST_F(Launch, TheHostsArithmeticStaysOutside) {
  float tiny = std::bit_cast<float>(3u);
  for (u32 w : {1u, 4u}) {
    std::vector<float> x(1000, tiny), y(1000, tiny);
    u64 dx = buffer(x), dy = buffer(y);
    u32 before = _mm_getcsr(), flushing = before | 0x8040;
    _mm_setcsr(flushing);
    LaunchResult result = run("saxpy", {8}, {128}, {1000, std::bit_cast<u32>(2.0f), dx, dy}, workers(w));
    EXPECT_EQ(_mm_getcsr(), flushing);
    _mm_setcsr(before);
    EXPECT_FALSE(result.fault);
    EXPECT_EQ(read<u32>(dy, 1000), std::vector<u32>(1000, 9));
  }
}

TEST_F(Launch, WarpsThatWaitForWarps) {
  u64 out = ints(2);
  expect_run("producer", {1}, {64}, {out});
  EXPECT_EQ(read<int>(out, 2), (std::vector<int>{42, 7}));
}

TEST_F(Launch, RecursionAndFunctionPointers) {
  u64 out = ints(64);
  expect_run("recursion", {1}, {64}, {out});
  int fibonacci[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  std::vector<int> got = read<int>(out, 64);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(got[i], fibonacci[i % 12]) << i;
  expect_run("pointers", {1}, {64}, {out});
  got = read<int>(out, 64);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(got[i], i % 3 == 0 ? i + 1 : i % 3 == 1 ? i * 2 : -i) << i;
}

TEST_F(Launch, DevicePrintf) {
  expect_run("print", {1}, {32}, {});
  EXPECT_EQ(printed,
            "t 0 abc  0.00 1234567890123 %\nt 1 abc  1.50 1234567890123 %\nt 2 abc  3.00 1234567890123 %\n");
}

TEST_F(Launch, LocalSharedAndHeapMemory) {
  u64 out = ints(128);
  expect_run("local_array", {1}, {64}, {out});
  std::vector<int> got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) {
    int sum = 0;
    for (int i = 0; i < 16; ++i) {
      int j = (i * t) & 15;
      sum += j * j + t;
    }
    ASSERT_EQ(got[t], sum) << t;
  }
  expect_run("dynamic_shared", {1}, {128}, {out}, {}, 512);
  got = read<int>(out, 128);
  for (int t = 0; t < 128; ++t) ASSERT_EQ(got[t], 127 - t);
  expect_run("heap", {1}, {40}, {out});
  got = read<int>(out, 40);
  for (int t = 0; t < 40; ++t) ASSERT_EQ(got[t], 2 * t);
  EXPECT_EQ(device.heap_used, 0u);
}

// An allocation takes more of the heap than its bytes, however few they are.
TEST_F(Launch, TheHeapIsFullWhenItShouldBe) {
  ASSERT_TRUE(load(R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 got) malloc (.param .b64 bytes);
.visible .entry fill(.param .u64 out, .param .u64 bytes) {
  .reg .b64 %out, %bytes, %got;
  .reg .b32 %count;
  .reg .pred %full;
  ld.param.u64 %out, [out];
  ld.param.u64 %bytes, [bytes];
  mov.u32 %count, 0;
again:
  {
  .param .b64 argument;
  .param .b64 result;
  st.param.b64 [argument], %bytes;
  call (result), malloc, (argument);
  ld.param.b64 %got, [result];
  }
  setp.eq.u64 %full, %got, 0;
  @%full bra done;
  add.u32 %count, %count, 1;
  bra again;
done:
  st.global.u32 [%out], %count;
  ret;
})"));
  const u64 out = ints(1);
  for (const auto& [bytes, fit] : std::map<u64, int>{
           {1, 32}, {16, 32}, {17, 21}, {100, 8}, {1008, 1}, {1009, 0}, {0, 0}, {~u64{0}, 0}}) {
    device.heap_limit = 1024, device.heap_used = 0;
    expect_run("fill", {1}, {1}, {out, bytes});
    EXPECT_EQ(read<int>(out, 1)[0], fit) << bytes;
  }
}

TEST_F(Launch, BarrierReductions) {
  u64 out = ints(3);
  expect_run("block_votes", {1}, {100}, {out});
  EXPECT_EQ(read<int>(out, 3), (std::vector<int>{50, 1, 1}));
}

TEST_F(Launch, ThreeDimensionalBlocks) {
  u64 out = ints(2 * 5 * 3 * 4);
  expect_run("volume", {2}, {5, 3, 4}, {out});
  std::vector<int> got = read<int>(out, 120);
  for (int i = 0; i < 120; ++i) {
    int t = i % 60;
    ASSERT_EQ(got[i], t % 5 + 100 * (t / 5 % 3) + 10000 * (t / 15)) << i;
  }
}

TEST_F(Launch, Switches) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = i * 5 % 8;
  u64 din = buffer(in), out = ints(64);
  expect_run("switches", {1}, {64}, {din, out});
  std::vector<int> got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) {
    int v = in[t], r;
    switch (v) {
    case 0: r = 11; break;
    case 1: r = v * 7 + t; break;
    case 2: r = std::popcount(static_cast<unsigned>(t)); break;
    case 3: r = -5; break;
    case 4: r = t ^ 9; break;
    case 5: r = t / 3; break;
    default: r = 99;
    }
    ASSERT_EQ(got[t], r) << t;
  }
}

TEST_F(Launch, OutsideEveryPageIsAFaultWithPlaceAndNeighbour) {
  u64 p = ints(100);
  LaunchResult result = run("write_at", {1}, {32}, {p, u64{1} << 30});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::illegal_address);
  std::string text = diag::render(result.fault->diagnostic);
  EXPECT_NE(text.find("programs.cu:"), text.npos) << text;
  EXPECT_NE(text.find("thread (0, 0, 0)"), text.npos) << text;
  EXPECT_NE(text.find("past the end of allocation 1 (400 bytes"), text.npos) << text;
}

TEST_F(Launch, PastAnAllocationInsideAPageIsToleratedUnlessStrict) {
  u64 p = ints(100);
  LaunchResult result = run("write_at", {1}, {32}, {p, 90});
  EXPECT_FALSE(result.fault.has_value());
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_EQ(result.warnings[0].kind, "kernel-out-of-bounds");
  EXPECT_TRUE(result.warnings[0].message.starts_with("store of 4 bytes at ")) << result.warnings[0].message;
  LaunchOptions strict;
  strict.strict_memory = true;
  result = run("write_at", {1}, {32}, {p, 90}, strict);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(result.fault->thread.x, 10u);
  EXPECT_TRUE(result.fault->diagnostic.message.starts_with("store of 4 bytes at "))
      << result.fault->diagnostic.message;
}

// An H200 (driver 580.159.04, 23 November 2026), dynamic memory of 4 to 49,152 bytes: loads and stores come to pass up to the next
// multiple of 128 bytes, and the one after is an illegal address. Without any shared memory each is.
TEST_F(Launch, BehindSharedMemoryIsToleratedInItsLastUnitUnlessStrict) {
  u64 out = ints(128);
  LaunchResult result = run("dynamic_shared", {3}, {128}, {out}, {}, 392);
  EXPECT_FALSE(result.fault.has_value());
  ASSERT_EQ(result.warnings.size(), 2u); // of the store and of the load
  EXPECT_EQ(result.warnings[0].kind, "kernel-out-of-bounds");
  EXPECT_NE(result.warnings[0].message.find("outside the 392 bytes of shared memory, inside the 512"),
            std::string::npos)
      << result.warnings[0].message;
  std::vector<int> got = read<int>(out, 128);
  for (int t = 0; t < 128; ++t) EXPECT_EQ(got[t], 127 - t);
  for (u32 bytes : {0u, 384u}) {
    result = run("dynamic_shared", {3}, {128}, {out}, {}, bytes);
    ASSERT_TRUE(result.fault.has_value()) << bytes;
    EXPECT_EQ(result.fault->kind, FaultKind::illegal_address);
  }
  LaunchOptions strict;
  strict.strict_memory = true;
  result = run("dynamic_shared", {3}, {128}, {out}, strict, 392);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->thread.x, 98u);
}

TEST_F(Launch, ANullPointerIsCalledThat) {
  LaunchResult result = run("write_at", {1}, {32}, {0, 5});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_NE(result.fault->diagnostic.help.find("the pointer is null"), std::string::npos);
}

TEST_F(Launch, MisalignedAccessNamesTheThread) {
  u64 p = ints(100);
  LaunchResult result = run("misaligned", {1}, {32}, {p});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::misaligned_address);
  EXPECT_EQ(result.fault->thread.x, 5u);
}

TEST_F(Launch, Assertion) {
  std::vector<int> in(32, 1);
  in[9] = 7;
  u64 p = buffer(in);
  LaunchResult result = run("assertion", {1}, {32}, {p});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::assertion);
  EXPECT_NE(result.fault->diagnostic.message.find(
                "block: [0,0,0], thread: [9,0,0] Assertion `p[threadIdx.x] != 7` failed."),
            std::string::npos)
      << result.fault->diagnostic.message;
}

TEST_F(Launch, EndlessKernelsEndAtTheTimeLimit) {
  u64 p = ints(1);
  for (const char* kernel : {"forever", "no_escape"}) {
    LaunchResult result = run(kernel, {2}, {64}, {p}, limit(0.2));
    ASSERT_TRUE(result.fault.has_value()) << kernel;
    EXPECT_EQ(result.fault->kind, FaultKind::timeout);
  }
}

// What cannot be run says why, where that is known.
TEST(Refusals, SayWhatIsBehind) {
  struct Refused {
    const char *line, *reason;
  };
  for (const Refused& r :
       {Refused{"multimem.ld_reduce.global.add.f32 %f0, [%d0];", "several GPUs"},
        Refused{"tcgen05.wait::ld.sync.aligned;", "tensor memory"},
        Refused{"st.async.mmio.release.sys.global.b32 [%d0], %r0;", "compile the kernel for 9.0"},
        Refused{"st.global.u32 [%d0], %p0;", "a predicate where a value belongs"}}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(ptx_header() +
                         ".visible .entry k() { .reg .f32 %f<2>; .reg .b64 %d<2>; .reg .pred %p<2>;\n" +
                         r.line + "\nret; }\n"));
    LaunchResult result = gpu.run("k", {1}, {32}, {});
    ASSERT_TRUE(result.fault) << r.line;
    EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction);
    std::string notes;
    for (const std::string& note : result.fault->diagnostic.notes) notes += note + '\n';
    EXPECT_NE(notes.find(r.reason), notes.npos) << result.fault->diagnostic.message << '\n' << notes;
  }
}

TEST(CachePolicies, AreMadeAndIgnored) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %d<6>;
  ld.param.u64 %d0, [p];
  createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;
  createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %d2;
  createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d3, [%d0], 1024, 4096;
  ld.global.L2::cache_hint.u32 %r1, [%d0], %d1;
  add.u32 %r1, %r1, 1;
  st.global.L2::cache_hint.u32 [%d0+4], %r1, %d2;
  ret;
})"));
  u64 at = gpu.buffer(std::vector<u32>{41, 0});
  gpu.expect_run("k", {1}, {1}, {at});
  EXPECT_EQ(gpu.read<u32>(at, 2)[1], 42u);
}

} // namespace
} // namespace warplens::sim
