// The emulator on kernels in which threads wait for each other, and on forms that few programs use
// (data/hazards.cu). Every launch has a time limit, so that a thread that would wait for ever fails its test.
#include "arch/count.h"
#include "measure/collect.h"
#include "sim/harness.h"
#include <algorithm>
#include <bit>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

namespace warplens::sim {
namespace {

std::string hazards() {
  std::ifstream in(WARPLENS_TEST_DATA "/hazards.ptx");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

LaunchOptions limited(u32 workers = 0) {
  LaunchOptions options;
  options.workers = workers;
  options.time_limit = patience;
  return options;
}

class Hazards : public testing::Test, public Gpu {
protected:
  void SetUp() override { ASSERT_TRUE(load(hazards())); }
  u64 ints(std::size_t n, int value = 0) { return buffer(std::vector<int>(n, value)); }
};

TEST_F(Hazards, LanesThatEndDoNotHoldTheirWarpUp) {
  u64 flag = ints(1), out = ints(32);
  expect_run("exit_before_syncwarp", {1}, {64}, {flag, out}, limited());
  EXPECT_EQ(read<int>(out, 32), std::vector<int>(32, 1));
}

TEST_F(Hazards, HalvesOfAWarpMeetAtDifferentPlaces) {
  u64 flag = ints(1), out = ints(32);
  expect_run("syncwarp_in_two_places", {1}, {64}, {flag, out}, limited());
  std::vector<int> got = read<int>(out, 32);
  for (int t = 0; t < 32; ++t) ASSERT_EQ(got[t], t < 16 ? 100 + t + 16 : t - 16 + 1) << t;
}

TEST_F(Hazards, WaitingLoopsThatDivergeEveryRound) {
  u64 flag = ints(4), out = ints(32);
  expect_run("divergent_spin", {1}, {64}, {flag, out}, limited());
  std::vector<int> got = read<int>(out, 32);
  for (int t = 0; t < 32; ++t) ASSERT_EQ(got[t], (t & 1) == 0 && (t & 2) ? 6 : 5) << t;
  flag = ints(1);
  expect_run("divergent_spin_one_warp", {1}, {32}, {flag, out}, limited());
  EXPECT_EQ(read<int>(out, 32), std::vector<int>(32, 5));
}

TEST_F(Hazards, LockTakenInsideACall) {
  u64 mutex = ints(1), counter = ints(1);
  expect_run("lock_in_a_call", {3}, {64}, {mutex, counter}, limited());
  EXPECT_EQ(read<int>(counter, 1)[0], 3 * 64);
}

TEST_F(Hazards, WaitingLoopsWithLoopsInside) {
  for (int rounds : {1, 31, 62, 63, 64, 65, 127}) {
    u64 flag = ints(1), sink = ints(100);
    LaunchResult result =
        run("spin_with_backoff", {1}, {64}, {flag, sink, static_cast<u64>(rounds)}, limited());
    EXPECT_FALSE(result.fault.has_value()) << rounds;
  }
}

TEST_F(Hazards, TilesNameTheirOwnLanes) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = i * 37 % 97;
  u64 din = buffer(in), out = ints(64), masks = ints(64);
  expect_run("tiles", {1}, {64}, {din, out, masks}, limited());
  std::vector<int> got = read<int>(out, 64), ballots = read<int>(masks, 64);
  for (int t = 0; t < 64; ++t) {
    int first = t / 8 * 8, same = 0, ballot = 0;
    bool any = false, all = true;
    for (int i = 0; i < 8; ++i) {
      int v = in[first + i];
      ballot |= (v & 1) << i;
      any |= v > 90;
      all &= v < 50;
      same += (v & 3) == (in[t] & 3);
    }
    EXPECT_EQ(ballots[t], ballot) << t;
    EXPECT_EQ(got[t], any * 1000 + all * 100 + same) << t;
  }
  expect_run("tile_reduce", {1}, {64}, {din, out}, limited());
  got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t)
    EXPECT_EQ(got[t], std::accumulate(in.begin() + t / 8 * 8, in.begin() + t / 8 * 8 + 8, 0)) << t;
}

TEST_F(Hazards, CoalescedGroups) {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[i] = i * 5;
  u64 din = buffer(in), out = ints(32, -1), counter = ints(1);
  expect_run("coalesced_groups", {1}, {32}, {din, out, counter}, limited());
  EXPECT_EQ(read<int>(counter, 1)[0], 11);
  std::vector<int> got = read<int>(out, 11);
  for (int i = 0; i < 11; ++i) EXPECT_EQ(got[i], 3 * i);
}

TEST_F(Hazards, GridWideBarriers) {
  for (u32 workers : {1u, 2u, 4u}) {
    std::vector<int> data(40 * 64);
    std::iota(data.begin(), data.end(), 0);
    u64 d = buffer(data);
    expect_run("grid_rounds", {40}, {64}, {d, 5}, limited(workers), 0, true);
    std::vector<int> got = read<int>(d, data.size());
    for (int i = 0; i < 40 * 64; ++i) ASSERT_EQ(got[i], (i + 5 * 64) % (40 * 64) + 5) << i;
  }
}

TEST_F(Hazards, LookBackScan) {
  for (u32 workers : {1u, 4u}) {
    int blocks = 300;
    std::vector<int> in(blocks * 64);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7 % 13);
    u64 din = buffer(in), out = ints(in.size()), state = ints(blocks), sums = ints(2 * blocks),
        order = ints(1);
    expect_run("look_back", {static_cast<u32>(blocks)}, {64}, {din, out, state, sums, order},
               limited(workers));
    std::vector<int> expected(in.size());
    std::partial_sum(in.begin(), in.end(), expected.begin());
    EXPECT_EQ(read<int>(out, in.size()), expected);
  }
}

TEST_F(Hazards, LockFreeStack) {
  for (u32 workers : {1u, 4u}) {
    u64 nodes = ints(2 * 640), head = ints(2), popped = ints(640);
    expect_run("lock_free_stack", {10}, {64}, {nodes, head, popped}, limited(workers));
    EXPECT_EQ(read<int>(popped, 640), std::vector<int>(640, 1));
    EXPECT_EQ(read<int>(head, 1)[0], 0);
  }
}

TEST_F(Hazards, SleepersLetOthersRun) {
  u64 flag = ints(1), out = ints(32);
  expect_run("sleepy", {2}, {32}, {flag, out}, limited(1));
  EXPECT_EQ(read<int>(out, 32), std::vector<int>(32, 3));
}

TEST_F(Hazards, NamedBarriersOverAndOver) {
  u64 out = ints(32);
  expect_run("named_barriers", {1}, {96}, {out, 10}, limited());
  std::vector<int> got = read<int>(out, 32);
  for (int t = 0; t < 32; ++t) {
    int sum = 0;
    for (int r = 0; r < 10; ++r) sum += (r * 64 + t) + (r * 64 + t + 32);
    EXPECT_EQ(got[t], sum) << t;
  }
}

int search(const std::vector<int>& in, int t, int depth) {
  for (int i = 0; i < 40; ++i) {
    if (in[(t + i) & 63] == 7) return i;
    if (depth > 0 && i == t % 5 && search(in, t + 1, depth - 1) == 3) return 1000 + i;
  }
  return -1;
}

TEST_F(Hazards, EarlyReturnsInsideLoopsAndCalls) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[i] = i * i % 23;
  u64 din = buffer(in), out = ints(64, -9);
  expect_run("early_returns", {1}, {64}, {din, out}, limited());
  std::vector<int> got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) {
    int sum = 0;
    for (int r = 0; r < 3; ++r)
      if (int found = search(in, t * (r + 1), 2); found != 5) sum += found;
    EXPECT_EQ(got[t], t >= 60 ? -9 : sum) << t;
  }
}

TEST_F(Hazards, ClosedFormsUnderMasks) {
  u64 flag = ints(1), out = ints(64);
  expect_run("forms_under_masks", {1}, {64}, {flag, out, 10}, limited());
  std::vector<int> got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) {
    int v = t * 4 + 10;
    if (t % 3 == 0) v = 10;
    if (t % 5 == 0) v += t;
    if (t & 1) {
      v = v * 2 + 1;
      for (int i = 0; i < (t & 3); ++i) v += 64;
    } else {
      v = v + 7 * t - 3;
    }
    EXPECT_EQ(got[t], v) << t;
  }
}

TEST_F(Hazards, CallsWithManyTargetsMeetAgain) {
  u64 out = ints(64);
  expect_run("many_targets", {1}, {64}, {out}, limited());
  std::vector<int> got = read<int>(out, 64);
  auto apply = [](int which, int v) {
    return which == 0 ? v + 100 : which == 1 ? (v & 1 ? v * 3 : -v) : v - 1;
  };
  for (int t = 0; t < 64; ++t) {
    int v = apply(t % 3, t);
    EXPECT_EQ(got[t], (t & 4 ? v : apply((t + 1) % 3, v)) + 100000) << t;
  }
}

TEST_F(Hazards, AtomicsOfEveryType) {
  u64 i = ints(4, 3), u = ints(4, 3), l = buffer(std::vector<u64>(2, 5)), f = buffer(std::vector<float>{1}),
      d = buffer(std::vector<double>{1});
  u64 h = buffer(std::vector<u16>{0, 0}), b = buffer(std::vector<u16>{0, 0}),
      h1 = buffer(std::vector<u16>{0, 0});
  expect_run("atomics", {1}, {64}, {i, u, l, f, d, h, b, h1}, limited());
  EXPECT_EQ(read<int>(i, 4), (std::vector<int>{-63, 23, 3 - 63 * 32, 3}));
  // 64 increments from 3, back to 0 after 9; 64 decrements from 3, to 5 after 0.
  EXPECT_EQ(read<u32>(u, 4), (std::vector<u32>{7, 5, 3, 0}));
  EXPECT_EQ(read<u64>(l, 2), (std::vector<u64>{5 + (u64{64} << 33), 5}));
  EXPECT_EQ(read<float>(f, 1)[0], 33.0f);
  EXPECT_EQ(read<double>(d, 1)[0], 17.0);
  EXPECT_EQ(read<u16>(h, 2), (std::vector<u16>{0x5400, 0x5800})); // 64, 128
  EXPECT_EQ(read<u16>(b, 2), (std::vector<u16>{0x4280, 0xc280})); // 64, -64
  EXPECT_EQ(read<u16>(h1, 1)[0], 0x5000);                         // 32
}

TEST_F(Hazards, AtomicsThroughPointersIntoSeveralSpaces) {
  u64 out = ints(8 + 64);
  expect_run("generic_atomics", {1}, {64}, {out}, limited());
  std::vector<int> got = read<int>(out, 72);
  int shared[2] = {10, 10}, global[2] = {0, 0};
  for (int t = 0; t < 64; ++t) {
    if (t % 3 == 0) shared[t & 1] += t;
    if (t % 3 != 0) global[t & 1] += t;
    EXPECT_EQ(got[8 + t], 1) << t;
  }
  EXPECT_EQ(got[0], shared[0]);
  EXPECT_EQ(got[1], shared[1]);
  EXPECT_EQ(got[4], global[0]);
  EXPECT_EQ(got[5], global[1]);
}

TEST_F(Hazards, PrintfFormatsAndResults) {
  expect_run("print_formats", {1}, {1}, {0}, limited());
  EXPECT_EQ(printed, "[     42|42    |000042|+42|3.142|z%|(null)|ff|010|-1|   ab|1.500000e+00]\n");
  u64 out = ints(3);
  expect_run("print_results", {1}, {1}, {out, 0}, limited());
  EXPECT_EQ(read<int>(out, 3),
            (std::vector<int>{0, 2, -1})); // how many arguments were printed; -1 without a format
}

TEST_F(Hazards, SharedMemoryUpToTheLimit) {
  u64 out = ints(1);
  for (u64 bytes : {u64{1}, u64{49152}, u64{227 * 1024}}) {
    expect_run("shared_bytes", {1}, {64}, {out, bytes}, limited(), static_cast<u32>(bytes));
    EXPECT_EQ(read<int>(out, 1)[0], 77);
  }
  LaunchResult result = run("shared_bytes", {1}, {64}, {out, 227 * 1024 + 1}, limited(), 227 * 1024 + 1);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_NE(result.fault->diagnostic.message.find("shared"), std::string::npos)
      << result.fault->diagnostic.message;
}

TEST_F(Hazards, AddressesIntoSharedMemoryWrapAt32Bits) {
  u64 out = ints(64);
  expect_run("stencil", {1}, {64}, {out}, limited());
  std::vector<int> got = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(got[t], t * t + (t >= 3 ? (t - 3) * (t - 3) : 0)) << t;
}

TEST_F(Hazards, DeepRecursionWorksAndEndlessRecursionIsAFault) {
  u64 out = ints(32);
  expect_run("recursion", {1}, {32}, {out, 500}, limited());
  EXPECT_EQ(read<int>(out, 32), std::vector<int>(32, 500));
  LaunchResult result = run("recursion", {1}, {32}, {out, 100000000}, limited());
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::stack_overflow);
}

TEST_F(Hazards, ManyBlocks) {
  u64 sum = buffer(std::vector<u64>{0}), n = u64{1} << 20;
  expect_run("count_blocks", {static_cast<u32>(n)}, {1}, {sum}, limited());
  EXPECT_EQ(read<u64>(sum, 1)[0], n * (n + 1) / 2);
  expect_run("nothing", {70000, 3, 2}, {1}, {}, limited());
  LaunchResult result = run("nothing", {1, 65536, 1}, {1}, {}, limited());
  EXPECT_TRUE(result.fault.has_value());
  result = run("nothing", {1u << 31, 1, 1}, {1}, {}, limited());
  EXPECT_TRUE(result.fault.has_value());
  for (Dim3 block : {Dim3{1024}, Dim3{1, 1024}, Dim3{16, 1, 64}})
    expect_run("nothing", {2}, block, {}, limited());
  for (Dim3 block : {Dim3{1025}, Dim3{0}, Dim3{1, 1, 65}, Dim3{0xffffffff, 0xffffffff, 0xffffffff}})
    EXPECT_TRUE(run("nothing", {2}, block, {}, limited()).fault.has_value());
}

TEST_F(Hazards, HeapExhaustion) {
  u64 out = ints(64);
  // Of the 8 MiB that cudaLimitMallocHeapSize starts with: the heap takes 16 bytes for itself.
  expect_run("use_heap", {1}, {64}, {out, (u64{1} << 20) - 16}, limited());
  std::vector<int> got = read<int>(out, 64);
  EXPECT_EQ(std::accumulate(got.begin(), got.end(), 0), 8);
  expect_run("use_heap", {1}, {64}, {out, u64{0} - 8}, limited());
  got = read<int>(out, 64);
  EXPECT_EQ(std::accumulate(got.begin(), got.end(), 0), 0);
}

// A loop full of atomics is no waiting loop: the block is run to its end before the next is begun.
TEST_F(Hazards, CountsDoNotDependOnWorkers) {
  std::vector<u32> in(50000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<u32>(i * 2654435761u >> 7);
  const arch::Architecture* device = arch::find(90);
  std::vector<int> numbers(64 * 64);
  for (int i = 0; i < 64 * 64; ++i) numbers[i] = i * 37 % 97;
  u64 din = buffer(in), bins = ints(16), values = buffer(numbers), out = ints(64), masks = ints(64),
      sums = buffer(std::vector<u64>{0});
  struct Case {
    const char* kernel;
    Dim3 grid, block;
    std::vector<u64> arguments;
  };
  std::vector<Case> cases = {{"histogram", {7}, {96}, {din, bins, in.size()}},
                             {"tiles", {9}, {64}, {values, out, masks}},
                             {"early_returns", {8}, {64}, {values, out}},
                             {"many_targets", {8}, {64}, {out}},
                             {"count_blocks", {500}, {33}, {sums}},
                             {"stencil", {20}, {64}, {out}}};
  for (const Case& c : cases) {
    std::vector<std::string> seen;
    for (u32 workers : {1u, 2u, 4u}) {
      measure::Collector collector({&device, 1}, program->module().sites, workers);
      LaunchOptions options = limited(workers);
      options.sinks = collector.sinks();
      LaunchResult result = run(c.kernel, c.grid, c.block, c.arguments, options);
      EXPECT_FALSE(result.fault.has_value()) << c.kernel;
      std::string text =
          std::to_string(result.warp_instructions) + " " + std::to_string(result.thread_instructions);
      for (const measure::SiteRecord& record : collector.finish())
        text += " " + std::to_string(record.counters[0].instructions) + "/" +
                std::to_string(record.counters[0].sectors);
      seen.push_back(text);
    }
    EXPECT_EQ(seen[0], seen[1]) << c.kernel;
    EXPECT_EQ(seen[0], seen[2]) << c.kernel;
  }
}

TEST_F(Hazards, TwoLaunchesAtOnce) {
  u64 first = buffer(std::vector<u64>{0}), second = buffer(std::vector<u64>{0});
  std::thread other([&] { expect_run("count_blocks", {3000}, {64}, {first}, limited(2)); });
  expect_run("count_blocks", {2000}, {64}, {second}, limited(2));
  other.join();
  EXPECT_EQ(read<u64>(first, 1)[0], 3000u * 3001 / 2);
  EXPECT_EQ(read<u64>(second, 1)[0], 2000u * 2001 / 2);
}

} // namespace
} // namespace warplens::sim
