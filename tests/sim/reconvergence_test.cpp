// Where diverged lanes meet decides how often a warp executes an instruction, and so what is counted.
#include "arch/arch.h"
#include "measure/collect.h"
#include "sim/harness.h"
#include <bit>
#include <fmt/format.h>

namespace warplens::sim {
namespace {

u64 executions(Gpu& gpu, std::string_view opcode, Dim3 block, std::vector<u64> arguments) {
  const arch::Architecture* device = arch::find(90);
  measure::Collector collector({&device, 1}, gpu.program->module().sites, 1);
  LaunchOptions options;
  options.workers = 1;
  options.sinks = collector.sinks();
  gpu.expect_run("k", {1}, block, std::move(arguments), options);
  u64 total = 0;
  for (const measure::SiteRecord& record : collector.finish())
    if (record.site.opcode == opcode) total += record.counters[0].instructions;
  return total;
}

// if (tid < 8 || (tid & 1)) out[tid] = 1; with a branch for each test.
TEST(Reconvergence, TheBodyOfAShortCircuitRunsOncePerWarp) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 bra BODY;
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra DONE;
BODY:
  mov.u32 %r3, 1;
  st.global.u32 [%rd3], %r3;
DONE:
  ret;
})"));
  u64 out = gpu.buffer(std::vector<int>(64));
  EXPECT_EQ(executions(gpu, "st.global.u32", {64}, {out}), 2u);
  std::vector<int> got = gpu.read<int>(out, 64);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(got[i], i < 8 || (i & 1)) << i;
}

// Who does not find is at the end of the kernel: nobody waits for an EXIT, so that those who find meet behind the loop. HeCBench's
// bwt has this form, whose nine launches have the stores that an H200 counts (126 where each turn's lanes alone would make 268).
constexpr const char* find_in_a_loop = R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, 0;
LOOP:
  setp.eq.u32 %p1, %r1, %r2;
  @%p1 bra FOUND;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, 4;
  @%p2 bra LOOP;
  bra.uni DONE;
FOUND:
  add.u32 %r3, %r2, 1;
  st.global.u32 [%rd3], %r3;
DONE:
)";

TEST(Reconvergence, NobodyWaitsForLanesThatEnd) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + find_in_a_loop + "  ret;\n}"));
  u64 out = gpu.buffer(std::vector<int>(32));
  EXPECT_EQ(executions(gpu, "st.global.u32", {32}, {out}), 1u);
  std::vector<int> got = gpu.read<int>(out, 32);
  for (int i = 0; i < 32; ++i) ASSERT_EQ(got[i], i < 4 ? i + 1 : 0) << i;
}

// Where all go on, lanes that leave a loop early run their block at once.
TEST(Reconvergence, LanesThatLeaveALoopEarlyWaitWhereAllMeet) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + find_in_a_loop + "  st.global.u64 [%rd1+256], %rd1;\n  ret;\n}"));
  u64 out = gpu.buffer(std::vector<int>(66));
  EXPECT_EQ(executions(gpu, "st.global.u32", {32}, {out}), 4u);
  EXPECT_EQ(executions(gpu, "st.global.u64", {32}, {out}), 1u);
}

// A loop whose body is if (tid >= 8 && !(tid & 1)) rare(); else out[tid] += 1; with `rare` in the text before the loop, where
// compilers put what they think is seldom run. The branch to it goes backwards and closes no loop: HeCBench's fma, where an H200
// has 130 requests of stores (258 where the lanes of each test store by themselves).
constexpr const char* rare_before_the_loop = R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r4, 0;
  and.b32 %r2, %r1, 1;
  bra.uni LOOP;
RARE:
  ld.global.u32 %r5, [%rd1];
  bra.uni NEXT;
LOOP:
  setp.lt.u32 %p1, %r1, 8;
  @%p1 bra USUAL;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra RARE;
USUAL:
  ld.volatile.global.u32 %r3, [%rd3];
  add.u32 %r3, %r3, 1;
  st.global.u32 [%rd3], %r3;
NEXT:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, 3;
  @%p3 bra LOOP;
  ret;
})";

TEST(Reconvergence, CodeBeforeItsLoopIsNoLoop) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + rare_before_the_loop));
  u64 out = gpu.buffer(std::vector<int>(32));
  EXPECT_EQ(executions(gpu, "st.global.u32", {32}, {out}), 3u);
  EXPECT_EQ(executions(gpu, "ld.global.u32", {32}, {out}), 3u);
  std::vector<int> got = gpu.read<int>(out, 32);
  for (int i = 0; i < 32; ++i) ASSERT_EQ(got[i], i < 8 || (i & 1) ? 6 : 0) << i;
}

// Odd lanes pass over a loop to a load that the others come to, each after as many turns as its number says: HeCBench's mr, where
// an H200 loads more than four times per warp. They meet at the end.
// A loop whose test stands behind its body, which is entered backwards, is one all the same.
TEST(Reconvergence, WhoPassesOverALoopMeetsNobodyWhoComesFromIt) {
  const std::string test_last =
      "LOOP:\n  setp.ge.u32 %p2, %r2, 100;\n  @%p2 bra END;\n  add.u32 %r2, %r2, 2;\n"
      "  setp.le.u32 %p3, %r2, %r1;\n  @%p3 bra LOOP;\n";
  const std::string body_first =
      "  bra.uni TEST;\nBODY:\n  setp.ge.u32 %p2, %r2, 100;\n  @%p2 bra END;\n"
      "TEST:\n  add.u32 %r2, %r2, 2;\n  setp.le.u32 %p3, %r2, %r1;\n  @%p3 bra BODY;\n";
  for (const std::string& loop : {test_last, body_first}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<5>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p1, %r3, 1;
  @%p1 bra NEXT;
)" + loop + R"(
NEXT:
  ld.global.u32 %r4, [%rd1];
END:
  st.global.u32 [%rd1], %r4;
  ret;
})"));
    u64 out = gpu.buffer(std::vector<int>(1));
    EXPECT_EQ(executions(gpu, "ld.global.u32", {8}, {out}), 5u) << loop; // 1, 3, 5, 7 at once; 0; 2; 4; 6
    EXPECT_EQ(executions(gpu, "st.global.u32", {8}, {out}), 1u) << loop;
  }
}

// Machine code says where lanes meet: those that leave this loop early and those that go on to its end meet behind both. The H200 lets those
// go first that go on, unless they are more; the others wait for more of their warp that leave so.
TEST(Reconvergence, OfAWarpsTwoSidesTheOneWithMoreLanesWaitsInMachineCode) {
  Gpu gpu;
  const std::string kernel = ptx_header() + R"(
.visible .entry k(.param .u64 out, .param .u64 when) {
  .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [when];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd2];
  mov.u32 %r3, 0;
LOOP:
  add.u32 %r3, %r3, 1;
  setp.eq.u32 %p1, %r2, %r3;
  @%p1 bra LEAVES;
  setp.lt.u32 %p2, %r3, 4;
  @%p2 bra LOOP;
  bra.uni END;
LEAVES:
  st.global.u32 [%rd1], %r3;
END:
  ret;
})";
  const ir::BlockId end{5u};
  ASSERT_TRUE(gpu.load(
      kernel, [&](ir::Module& module) { module.functions[0].meetings = {{}, end, end, {}, {}, {}}; }));
  std::vector<u32> when; // the round in which each lane leaves; 9: none
  auto lanes = [&](u32 count, u32 round) { when.insert(when.end(), count, round); };
  lanes(20, 1), lanes(7, 2), lanes(1, 3), lanes(4, 4);   // 20 and 7 together; 1; 4
  lanes(4, 1), lanes(14, 2), lanes(7, 4), lanes(7, 9);   // 4; 14 and 7 together
  lanes(10, 1), lanes(11, 2), lanes(10, 3), lanes(1, 9); // 10; 11 and 10 together
  const u64 out = gpu.buffer(std::vector<u32>(when.size()));
  EXPECT_EQ(executions(gpu, "st.global.u32", {96}, {out, gpu.buffer(when)}), 3u + 2u + 2u);
  const std::vector<u32> got = gpu.read<u32>(out, when.size());
  for (std::size_t i = 0; i < when.size(); ++i) EXPECT_EQ(got[i], when[i] == 9 ? 0 : when[i]) << i;
}

// Lanes that wait behind a loop go on when others of their warp come to YIELD, and meet nobody there any more:
// as many stores as different rounds. Without lanes that wait, all meet. An H200 counts the same (tests/hardware/yield_in_loop.cu).
TEST(Reconvergence, YieldLetsLanesGoThatWaitBehindALoop) {
  const std::string kernel = ptx_header() + R"(
.visible .entry k(.param .u64 out, .param .u64 rounds) {
  .reg .pred %p1; .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [rounds];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd2];
  mov.u32 %r3, 0;
  bra.uni LOOP;
LOOP:
  yield;
  add.u32 %r3, %r3, 1;
  setp.le.u32 %p1, %r3, %r2;
  @%p1 bra LOOP;
END:
  st.global.u32 [%rd1], %r3;
  ret;
})";
  const ir::BlockId end{2u};
  const std::pair<std::function<u32(u32)>, u64> cases[] = {
      {[](u32 t) { return t % 32; }, 96},         {[](u32 t) { return t & 1; }, 6},
      {[](u32 t) { return t / 8 % 4; }, 12},      {[](u32) { return 4u; }, 3},
      {[](u32 t) { return t % 32 * 7 % 5; }, 15}, {[](u32 t) { return t < 32 ? t : 2; }, 34}};
  for (const auto& [rounds_of, stores] : cases) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(kernel, [&](ir::Module& module) {
      module.functions[0].meetings.assign(module.functions[0].blocks.size(), {});
      module.functions[0].meetings[0] = module.functions[0].meetings[1] = end;
    }));
    std::vector<u32> rounds(96);
    for (u32 t = 0; t < rounds.size(); ++t) rounds[t] = rounds_of(t);
    const u64 out = gpu.buffer(std::vector<u32>(rounds.size()));
    EXPECT_EQ(executions(gpu, "st.global.u32", {96}, {out, gpu.buffer(rounds)}), stores);
    const std::vector<u32> got = gpu.read<u32>(out, rounds.size());
    for (u32 t = 0; t < rounds.size(); ++t) EXPECT_EQ(got[t], rounds[t] + 1) << t;
  }
}

// Lanes in a loop each, whose YIELDs let the others run, one after the other: but for its first and last rounds, each sees always the same one before
// it. An H200 does so, around printf, too. The call is of the runtime, or of a function of the program, whose lanes part and end there.
TEST(Reconvergence, PartsTakeTurnsAroundCalls) {
  const std::string next = R"(.func (.param .b32 out) next (.param .b32 in) {
  .reg .pred %p1; .reg .b32 %r<3>;
  ld.param.u32 %r1, [in];
  mov.u32 %r2, %tid.x;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra FIRST;
  add.u32 %r1, %r1, 0;
  st.param.b32 [out], %r1;
  ret;
FIRST:
  st.param.b32 [out], %r1;
  ret;
})";
  const std::pair<std::string, std::string> calls[] = {
      {"", ""},
      {".extern .func free (.param .b64 at);",
       "{ .param .b64 at; st.param.b64 [at], 0; call.uni free, (at); }"},
      {next, "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %r2; call.uni (out), next, (in); "
             "ld.param.b32 %r2, [out]; }"}};
  for (const auto& [functions, call] : calls)
    for (const u32 lanes : {2u, 3u, 4u}) {
      std::string kernel = ptx_header() + functions + R"(
.visible .entry k(.param .u64 last, .param .u64 out) {
  .reg .pred %p1; .reg .b32 %r<7>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [last];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
)";
      for (u32 lane = 1; lane < lanes; ++lane)
        kernel += fmt::format("setp.eq.u32 %p1, %r1, {0};\n@%p1 bra L{0};\n", lane);
      for (u32 lane = 0; lane < lanes; ++lane)
        kernel += fmt::format(R"(L{0}:
  yield;
  atom.global.exch.b32 %r4, [%rd1], %r1;
  mov.u32 %r5, 1;
  shl.b32 %r5, %r5, %r4;
  sub.u32 %r6, %r3, 1;
  setp.lt.u32 %p1, %r6, 5;
  @%p1 or.b32 %r2, %r2, %r5;
  {1}
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 8;
  @%p1 bra L{0};
  bra.uni END;
)",
                              lane, call);
      Gpu gpu;
      ASSERT_TRUE(gpu.load(kernel + "END:\n st.global.u32 [%rd2], %r2;\n ret;\n}", [&](ir::Module& module) {
        ir::Function& k = module.functions.back();
        const u32 end = static_cast<u32>(k.blocks.size() - 1);
        k.meetings.assign(end, ir::BlockId(end));
        k.meetings.emplace_back();
      }));
      const u64 last = gpu.buffer(std::vector<u32>{9}), out = gpu.buffer(std::vector<u32>(lanes));
      gpu.expect_run("k", {1}, {lanes}, {last, out});
      const std::vector<u32> seen = gpu.read<u32>(out, lanes);
      u32 round = 0, lane = 0; // from each to the one before it: all, until lane 0 again
      do {
        ASSERT_TRUE(std::has_single_bit(seen[lane]) && seen[lane] < 1u << lanes) << call << seen[lane];
        lane = static_cast<u32>(std::countr_zero(seen[lane]));
        ++round;
      } while (lane != 0 && round < lanes);
      EXPECT_EQ(lane, 0u) << call;
      EXPECT_EQ(round, lanes) << call;
    }
}

// Every lane stores its own number to one address; which stays was measured on an H100, of 16 bytes inferred (see
// memory/store.cpp).
TEST(SameAddress, TheLowestLaneOfEachGroupStays) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r1; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%rd1], %r1;
  cvt.u64.u32 %rd2, %r1;
  st.global.u64 [%rd1+8], %rd2;
  setp.gt.u32 %p, %r1, 2;
  @%p st.global.u32 [%rd1+16], %r1;
  @%p st.global.u64 [%rd1+24], %rd2;
  st.global.v4.u32 [%rd1+32], {%r1, %r1, %r1, %r1};
  setp.lt.and.u32 %q, %r1, 11, %p;
  @%q st.global.v4.u32 [%rd1+48], {%r1, %r1, %r1, %r1};
  ret;
})"));
  u64 out = gpu.buffer(std::vector<int>(16));
  gpu.expect_run("k", {1}, {32}, {out});
  EXPECT_EQ(gpu.read<int>(out, 16), (std::vector<int>{0, 0, 16, 0, 3, 0, 16, 0, 24, 24, 24, 24, 8, 8, 8, 8}));
}

} // namespace
} // namespace warplens::sim
