// Warp-level instructions against plain loops over the lanes: operands that differ from lane to lane and that
// do not, all lanes and some, teams of lanes that name their own members, results that go where operands come
// from. And registers taken apart and put together.
#include "sim/harness.h"
#include "sim/kernels/request.h"
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <random>

namespace warplens::sim {
namespace {

constexpr u32 threads = 72, warps = 3; // the last warp has 8 threads
using Lanes = std::array<u32, warps * warp_size>;

u32 existing(u32 warp) { return warp == 2 ? 0xffu : full_mask; }

// --- shuffles
struct Shuffle {
  std::string mode;
  u32 active;                  // lanes of each warp that come to it
  bool uniform, guarded, same; // operands; by a guard instead of a branch; the result goes where the value is
};

std::string shuffle_program(const Shuffle& s) {
  std::string operands = s.uniform ? "%r10, %r11" : "%r3, %r4", to = s.same ? "%r2" : "%r5";
  std::string text =
      ptx_header() +
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 by, .param .u32 bounds) {\n"
      ".reg .b32 %r<16>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"
      "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 16;\n"
      "ld.param.u32 %r10, [by]; ld.param.u32 %r11, [bounds];\n"
      "add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2; ld.global.v2.u32 {%r2, %r3}, [%d0];\n"
      "ld.global.u32 %r4, [%d0+8]; mov.u32 %r5, -1; setp.ne.u32 %p1, %r0, %r0;\n";
  text += fmt::format("mov.u32 %r6, %laneid; shr.u32 %r6, {0}, %r6; and.b32 %r6, %r6, 1;\n"
                      "setp.ne.u32 %p0, %r6, 0;\n{1}\n"
                      "{2}shfl.sync.{3}.b32 {4}|%p1, %r2, {5}, {0};\n",
                      s.active, s.guarded ? "" : "@!%p0 bra DONE;", s.guarded ? "@%p0 " : "", s.mode, to,
                      operands);
  return text +
         fmt::format("DONE: selp.u32 %r7, 1, 0, %p1; st.global.v2.u32 [%d1], {{{}, %r7}}; ret; }}\n", to);
}

// The lane that is read, and whether it is the one asked for (PTX ISA, shfl).
std::pair<u32, bool> source_of(const std::string& mode, u32 lane, u32 by, u32 bounds) {
  i32 b = by & 31, clamp = bounds & 31, segment = bounds >> 8 & 31, own = static_cast<i32>(lane);
  i32 low = own & segment, high = low | (clamp & ~segment);
  i32 from = mode == "up"     ? own - b
             : mode == "down" ? own + b
             : mode == "bfly" ? own ^ b
                              : low | (b & ~segment);
  bool inside = mode == "up" ? from >= high : from <= high;
  return {static_cast<u32>(inside ? from : own), inside};
}

void check_shuffle(const Shuffle& s, std::mt19937& random) {
  std::array<std::array<u32, 4>, threads> in;
  constexpr u32 segments[] = {0, 0, 16, 24, 28, 30};
  auto bounds = [&]() -> u32 {
    return segments[random() % 6] << 8 | (s.mode == "up" ? random() % 2 : 31 - random() % 3);
  };
  u32 by_all = random() % 40, bounds_all = bounds();
  for (u32 t = 0; t < threads; ++t)
    in[t] = {static_cast<u32>(random()), s.uniform ? by_all : static_cast<u32>(random() % 40),
             s.uniform ? bounds_all : bounds(), 0};
  Gpu gpu;
  ASSERT_TRUE(gpu.load(shuffle_program(s)));
  u64 from = gpu.buffer(std::vector(in.begin(), in.end())), to = gpu.buffer(std::vector<u32>(4 * threads));
  gpu.expect_run("k", {1}, {threads}, {from, to, by_all, bounds_all});
  std::vector<u32> got = gpu.read<u32>(to, 4 * threads);
  for (u32 t = 0; t < threads; ++t) {
    u32 lane = t % warp_size, here = s.active & existing(t / warp_size);
    if ((here >> lane & 1) == 0) {
      EXPECT_EQ(got[4 * t], s.same ? in[t][0] : full_mask) << t;
      EXPECT_EQ(got[4 * t + 1], 0u) << t;
      continue;
    }
    auto [source, inside] = source_of(s.mode, lane, in[t][1], in[t][2]);
    EXPECT_EQ(got[4 * t + 1], inside) << t;
    EXPECT_EQ(got[4 * t], here >> source & 1 ? in[t - lane + source][0] : 0u) << t; // 0 from absent lanes
  }
}

TEST(WarpOperations, Shuffles) {
  std::mt19937 random(1);
  for (const char* mode : {"up", "down", "bfly", "idx"})
    for (u32 active : {full_mask, 0xffffu, 0x55555555u, 0x8001f00fu})
      for (u32 variant = 0; variant < 8; ++variant) {
        Shuffle s{mode, active, (variant & 1) != 0, (variant & 2) != 0, (variant & 4) != 0};
        SCOPED_TRACE(shuffle_program(s));
        check_shuffle(s, random);
        if (testing::Test::HasFailure()) return;
      }
}

// --- lanes that are elsewhere: what the mask names them for is done without them

// Each of 32 threads stores %o; %l is its lane, %v = 100 + %l.
std::vector<u32> results(const std::string& body) {
  Gpu gpu;
  std::string text =
      ptx_header() +
      ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<9>; .reg .b32 %l; .reg .b32 %v; .reg .b32 %o;\n"
      ".reg .b64 %d<2>; .reg .pred %p<5>;\nld.param.u64 %d0, [out]; mov.u32 %l, %laneid; add.u32 %v, %l, "
      "100;\n"
      "mul.wide.u32 %d1, %l, 4; add.s64 %d0, %d0, %d1; mov.u32 %o, 7;\n" +
      body + "\nDONE: st.global.u32 [%d0], %o; ret; }\n";
  if (!gpu.load(text)) return {};
  u64 out = gpu.buffer(std::vector<u32>(warp_size));
  gpu.expect_run("k", {1}, {warp_size}, {out});
  return gpu.read<u32>(out, warp_size);
}

void expect_lanes(const std::string& body, const std::function<u32(u32)>& wanted) {
  std::vector<u32> got = results(body);
  ASSERT_EQ(got.size(), warp_size) << body;
  for (u32 lane = 0; lane < warp_size; ++lane) EXPECT_EQ(got[lane], wanted(lane)) << lane << body;
}

// As llm.c's kernels sum what one lane in four holds, measured on an H200: the others left the inner loop, and come to
// it again in the next round of the outer one.
TEST(AbsentLanes, ALoopThatSomeLeaveIsNotWaitedFor) {
  expect_lanes(R"(
    and.b32 %r0, %l, 3; mov.u32 %o, 0; mov.u32 %r5, 0;
    OUTER: mov.u32 %r1, %r0;
    setp.ge.u32 %p0, %r1, 1; @%p0 bra LEFT;
    INNER: shfl.sync.down.b32 %r2, %v, 1, 7199, -1; add.u32 %r3, %v, %r2;
    shfl.sync.down.b32 %r2, %r3, 2, 7199, -1; add.u32 %r3, %r3, %r2; add.u32 %o, %o, %r3;
    add.u32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, 1; @%p1 bra INNER;
    LEFT: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra OUTER;)",
               [](u32 lane) { return lane % 4 == 0 ? 3 * (100 + lane) : 0; });
}

TEST(AbsentLanes, ThoseWhoPassedByCountForNothing) {
  std::string skip = "setp.ge.u32 %p0, %l, 5; @%p0 bra DONE;\n", odd = "and.b32 %r0, %l, 1; "
                                                                       "setp.ne.u32 %p1, %r0, 0;\n";
  expect_lanes(skip + "shfl.sync.bfly.b32 %o, %v, 1, 31, -1;", [](u32 lane) {
    return lane >= 5 ? 7 : lane == 4 ? 0 : 100 + (lane ^ 1);
  });
  expect_lanes(skip + odd + "vote.sync.ballot.b32 %o, %p1, -1;",
               [](u32 lane) { return lane >= 5 ? 7 : 0xau; });
  expect_lanes(skip + odd + "vote.sync.all.pred %p2, !%p1, -1; selp.u32 %o, 1, 2, %p2;",
               [](u32 lane) { return lane >= 5 ? 7u : 2u; });
  expect_lanes(skip + "redux.sync.add.u32 %o, %l, -1;", [](u32 lane) { return lane >= 5 ? 7u : 10u; });
  expect_lanes(skip + "match.any.sync.b32 %o, 9, -1;", [](u32 lane) { return lane >= 5 ? 7u : 31u; });
  expect_lanes("setp.ge.u32 %p0, %l, 5; @!%p0 shfl.sync.bfly.b32 %o, %v, 1, 31, -1;", [](u32 lane) {
    return lane >= 5 ? 7 : lane == 4 ? 0 : 100 + (lane ^ 1);
  });
}

TEST(AbsentLanes, EndedOnesReadAsZeroToo) {
  expect_lanes("setp.ge.u32 %p0, %l, 9; @%p0 ret; shfl.sync.down.b32 %o, %v, 1, 31, -1;",
               [](u32 lane) { return lane >= 9 || lane == 8 ? 0 : 101 + lane; });
  expect_lanes("setp.ge.u32 %p0, %l, 9; @%p0 ret; shfl.sync.down.b32 %o, 55, 1, 31, -1;",
               [](u32 lane) { return lane >= 9 || lane == 8 ? 0u : 55u; });
}

// The sides of a branch execute as many of them as they like, and are together again behind it.
TEST(AbsentLanes, SidesOfABranchMeetBehindIt) {
  for (bool odd_first : {true, false})
    expect_lanes(fmt::format(R"(
    and.b32 %r0, %l, 1; setp.eq.u32 %p0, %r0, {}; mul.lo.u32 %v, %l, 10; mov.u32 %r1, 0; @%p0 bra ONCE;
    LOOP: shfl.sync.bfly.b32 %r2, %l, 1, 31, -1; add.u32 %v, %v, %r2; add.u32 %v, %v, 1;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra LOOP; bra.uni MEET;
    ONCE: shfl.sync.bfly.b32 %r2, %l, 1, 31, -1; add.u32 %v, %v, %r2;
    MEET: shfl.sync.bfly.b32 %o, %v, 1, 31, -1;)",
                             odd_first ? 0 : 1),
                 [&](u32 lane) { return (lane ^ 1) * 10 + ((lane % 2 == 0) == odd_first ? 3 : 0); });
}

// Those who may still come are waited for: the other side of a branch, which meets this one before it ends.
TEST(AbsentLanes, TheOtherSideOfABranchIsWaitedFor) {
  expect_lanes(R"(
    setp.lt.u32 %p0, %l, 16; @%p0 bra LOW;
    add.u32 %v, %v, 1000; bra MEET;
    LOW: setp.eq.u32 %p1, %l, 3; @%p1 bra DONE;
    MEET: shfl.sync.bfly.b32 %o, %v, 16, 31, -1;)",
               [](u32 lane) {
                 if (lane == 3) return 7u;
                 if (lane == 19) return 0u;
                 return lane < 16 ? 1116 + lane : 84 + lane;
               });
}

// --- votes, matches, reductions: what lanes that name the same members tell each other
struct Team {
  const u32* value; // [lanes of the warp]
  u32 members, lane;
  template <class F> u32 fold(u32 start, F&& f) const {
    for_each_lane(members, [&](u32 l) { start = f(start, value[l]); });
    return start;
  }
  u32 where(u32 v) const {
    u32 out = 0;
    for_each_lane(members, [&](u32 l) { out |= u32{value[l] == v} << l; });
    return out;
  }
  u32 odd() const {
    u32 out = 0;
    for_each_lane(members, [&](u32 l) { out |= (value[l] & 1) << l; });
    return out;
  }
};
struct Operation {
  const char* text; // %v value, %w the same in 64 bits, %p its lowest bit, %m members; result: %o
  std::function<u32(const Team&)> expected;
  const char* in_place = ""; // the same with the result in an operand
};

u32 smaller(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b) ? a : b; }
u32 larger(u32 a, u32 b) { return static_cast<i32>(a) > static_cast<i32>(b) ? a : b; }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = {
      {"vote.sync.ballot.b32 %o, %p, %m;", [](const Team& t) { return t.odd(); },
       "vote.sync.ballot.b32 %m, %p, %m; mov.b32 %o, %m;"},
      {"vote.sync.ballot.b32 %o, !%p, %m;", [](const Team& t) { return t.members & ~t.odd(); }},
      {"vote.sync.any.pred %q, %p, %m; selp.u32 %o, 1, 0, %q;",
       [](const Team& t) { return u32{t.odd() != 0}; },
       "vote.sync.any.pred %p, %p, %m; selp.u32 %o, 1, 0, %p;"},
      {"vote.sync.all.pred %q, %p, %m; selp.u32 %o, 1, 0, %q;",
       [](const Team& t) { return u32{t.odd() == t.members}; }},
      {"vote.sync.uni.pred %q, %p, %m; selp.u32 %o, 1, 0, %q;",
       [](const Team& t) { return u32{t.odd() == t.members || t.odd() == 0}; }},
      {"match.any.sync.b32 %o, %v, %m;", [](const Team& t) { return t.where(t.value[t.lane]); },
       "match.any.sync.b32 %v, %v, %m; mov.b32 %o, %v;"},
      {"match.any.sync.b64 %o, %w, %m;", [](const Team& t) { return t.where(t.value[t.lane]); }},
      {"match.all.sync.b32 %o|%q, %v, %m; @%q xor.b32 %o, %o, 5;",
       [](const Team& t) {
         u32 same = t.where(t.value[t.lane]);
         return same == t.members ? same ^ 5 : 0;
       }},
      {"redux.sync.add.u32 %o, %v, %m;", [](const Team& t) { return t.fold(0, std::plus<u32>()); },
       "redux.sync.add.u32 %v, %v, %m; mov.b32 %o, %v;"},
      {"redux.sync.and.b32 %o, %v, %m;",
       [](const Team& t) { return t.fold(full_mask, std::bit_and<u32>()); }},
      {"redux.sync.or.b32 %o, %v, %m;", [](const Team& t) { return t.fold(0, std::bit_or<u32>()); }},
      {"redux.sync.xor.b32 %o, %v, %m;", [](const Team& t) { return t.fold(0, std::bit_xor<u32>()); }},
      {"redux.sync.min.u32 %o, %v, %m;",
       [](const Team& t) { return t.fold(full_mask, [](u32 a, u32 b) { return std::min(a, b); }); }},
      {"redux.sync.max.u32 %o, %v, %m;",
       [](const Team& t) { return t.fold(0, [](u32 a, u32 b) { return std::max(a, b); }); }},
      {"redux.sync.min.s32 %o, %v, %m;", [](const Team& t) { return t.fold(0x7fffffff, smaller); }},
      {"redux.sync.max.s32 %o, %v, %m;", [](const Team& t) { return t.fold(0x80000000, larger); }},
      {"elect.sync %o|%q, %m; @%q add.u32 %o, %o, 100;",
       [](const Team& t) {
         u32 leader = static_cast<u32>(std::countr_zero(t.members));
         return t.lane == leader ? leader + 100 : leader;
       },
       "elect.sync %m|%q, %m; @%q add.u32 %m, %m, 100; mov.b32 %o, %m;"},
      {"activemask.b32 %o; and.b32 %o, %o, %m;", [](const Team& t) { return t.members; }}};
  return table;
}

// Lanes whose members name them do the operation, the others go round it.
std::string team_program(const std::string& operation) {
  return ptx_header() +
         ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
         ".reg .b32 %r<4>; .reg .b32 %v; .reg .b32 %m; .reg .b32 %o; .reg .b64 %d<4>; .reg .b64 %w;\n"
         ".reg .pred %p; .reg .pred %q; .reg .pred %on;\n"
         "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 8;\n"
         "add.s64 %d0, %d0, %d2; add.s64 %d1, %d1, %d2; ld.global.v2.u32 {%v, %m}, [%d0]; mov.u32 %o, -7;\n"
         "cvt.u64.u32 %w, %v; and.b32 %r1, %v, 1; setp.ne.u32 %p, %r1, 0; mov.u32 %r2, %laneid;\n"
         "shr.u32 %r2, %m, %r2; and.b32 %r2, %r2, 1; setp.ne.u32 %on, %r2, 0; @!%on bra DONE;\n" +
         operation + "\nDONE: st.global.u32 [%d1], %o; ret; }\n";
}

// Members of every lane: tiles of `tile` lanes without the lanes that `absent` names.
void check_team(const std::string& text, const std::function<u32(const Team&)>& expected, u32 tile,
                u32 absent, u32 values, std::mt19937& random) {
  std::vector<std::array<u32, 2>> in(threads);
  Lanes value{};
  for (u32 t = 0; t < threads; ++t) {
    u32 lane = t % warp_size, members = low_lanes(tile) << lane / tile * tile;
    value[t] = values == 0 ? static_cast<u32>(random()) : 77 + static_cast<u32>(random()) % values;
    in[t] = {value[t], members & ~absent & existing(t / warp_size)};
  }
  Gpu gpu;
  ASSERT_TRUE(gpu.load(team_program(text)));
  u64 from = gpu.buffer(in), to = gpu.buffer(std::vector<u32>(2 * threads));
  gpu.expect_run("k", {1}, {threads}, {from, to});
  std::vector<u32> got = gpu.read<u32>(to, 2 * threads);
  for (u32 t = 0; t < threads; ++t) {
    u32 lane = t % warp_size;
    u32 wanted = in[t][1] >> lane & 1 ? expected({&value[t - lane], in[t][1], lane}) : static_cast<u32>(-7);
    ASSERT_EQ(got[2 * t], wanted) << "thread " << t << ", tiles of " << tile << " without " << std::hex
                                  << absent;
  }
}

TEST(WarpOperations, Teams) {
  std::mt19937 random(2);
  for (const Operation& operation : operations())
    for (std::string text : {operation.text, operation.in_place}) {
      if (text.empty()) continue;
      SCOPED_TRACE(text);
      for (u32 tile : {32u, 16u, 4u})
        for (u32 absent : {0u, 0xaaaaaaa0u, 0xffff0000u})
          for (u32 values : {0u, 1u, 3u}) check_team(text, operation.expected, tile, absent, values, random);
      if (testing::Test::HasFailure()) return;
    }
}

// A block whose warps agree has one value for all lanes; the next instruction must see it as any other.
TEST(WarpOperations, ResultsThatAllWarpsShare) {
  const char* body = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<4>;
  ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 8; add.s64 %d0, %d0, %d1;
  mov.u32 %r1, %laneid; setp.lt.u32 %p0, %r1, 5;
  vote.sync.ballot.b32 %r2, %p0, -1; vote.sync.any.pred %p1, %p0, -1; vote.sync.all.pred %p2, %p0, -1;
  popc.b32 %r3, %r2; selp.u32 %r4, 10, 0, %p1; selp.u32 %r5, 100, 0, %p2; add.u32 %r3, %r3, %r4;
  add.u32 %r3, %r3, %r5; shfl.sync.bfly.b32 %r6, %r3, 3, 31, -1;
  st.global.v2.u32 [%d0], {%r2, %r6}; ret; })";
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + body));
  u64 out = gpu.buffer(std::vector<u32>(256));
  gpu.expect_run("k", {1}, {128}, {out});
  std::vector<u32> got = gpu.read<u32>(out, 256);
  for (u32 t = 0; t < 128; ++t) {
    EXPECT_EQ(got[2 * t], 31u);
    EXPECT_EQ(got[2 * t + 1], 15u);
  }
}

// Registers of another width than the instruction's: refused, never read or written past their storage.
TEST(WarpOperations, RegistersOfAnotherWidthAreRefused) {
  for (const char* line :
       {"vote.sync.ballot.b32 %h0, %p0, -1;", "vote.sync.ballot.b32 %d0, %p0, -1;", "activemask.b32 %h0;",
        "shfl.sync.idx.b32 %h0, %r0, 0, 31, -1;", "shfl.sync.idx.b32 %r0, %p0, 0, 31, -1;",
        "shfl.sync.idx.b32 %p0, %r0, 0, 31, -1;", "redux.sync.add.u32 %d0, %r0, -1;",
        "match.any.sync.b32 %h0, %r0, -1;", "atom.global.add.u32 %p0, [%d0], 1;",
        "atom.global.add.u32 %r0, [%d0], %p0;", "ld.global.u32 %p0, [%d0];", "st.global.u32 [%d0], %p0;"}) {
    SCOPED_TRACE(line);
    Gpu gpu;
    std::string text = ptx_header() +
                       ".visible .entry k() { .reg .b16 %h<2>; .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
                       ".reg .pred %p<2>;\n" +
                       line + "\nret; }\n";
    auto parsed = ptx::parse(text);
    if (!parsed) continue;
    ASSERT_TRUE(gpu.load(text));
    LaunchResult result = gpu.run("k", {1}, {64}, {});
    ASSERT_TRUE(result.fault.has_value());
    EXPECT_EQ(result.fault->kind, FaultKind::unsupported_instruction);
  }
}

// --- registers and their parts
std::string parts_program(bool some) {
  std::string guard = some ? "@%p0 " : "", body = ptx_header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 same) {
  .reg .b16 %h<20>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<2>;
  ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 8;
  add.s64 %d0, %d0, %d2; mul.wide.u32 %d2, %r0, 64; add.s64 %d1, %d1, %d2; ld.global.u64 %d3, [%d0];
  ld.param.u64 %d10, [same]; rem.u32 %r1, %r0, 3; setp.ne.u32 %p0, %r1, 0;
  mov.u32 %r2, -1; mov.u32 %r3, -1; mov.u64 %d4, -1; mov.u64 %d5, -1; mov.u64 %d6, -1; mov.u64 %d11, -1;
  mov.u16 %h0, -1; mov.u16 %h1, -1; mov.u16 %h2, -1; mov.u16 %h3, -1; mov.u32 %r4, -1;
)";
  for (const char* line :
       {"mov.b64 {%r2, %r3}, %d3;", "mov.b64 %d4, {%r3, %r2};", "mov.b64 {%h0, %h1, %h2, %h3}, %d3;",
        "mov.b64 %d5, {%h3, %h1, %h2, %h0};", "mov.b32 {%h1, _}, %r2;", "mov.b32 %r4, {%h3, %h1};",
        "mov.b64 {_, %r2}, %d3;", "mov.b64 %d6, {%r2, 7};", "mov.b64 {%r10, %r11}, %d10;",
        "mov.b64 %d11, {%r11, %r10};"})
    body += guard + line + "\n";
  return body + "st.global.v2.u64 [%d1], {%d4, %d5}; st.global.v2.u64 [%d1+16], {%d6, %d11};\n"
                "st.global.v2.u32 [%d1+32], {%r4, %r2}; ret; }\n";
}

TEST(Parts, OfRegisters) {
  for (bool some : {false, true}) {
    Gpu gpu;
    ASSERT_TRUE(gpu.load(parts_program(some)));
    std::mt19937_64 random(3);
    std::vector<u64> in(threads);
    for (u64& v : in) v = random();
    u64 same = random(), from = gpu.buffer(in), to = gpu.buffer(std::vector<u64>(8 * threads));
    gpu.expect_run("k", {1}, {threads}, {from, to, same});
    std::vector<u64> got = gpu.read<u64>(to, 8 * threads);
    for (u32 t = 0; t < threads; ++t) {
      u64 v = in[t];
      bool moved = !some || t % 3 != 0;
      auto part = [&](u32 i) { return v >> (16 * i) & 0xffff; };
      EXPECT_EQ(got[8 * t], moved ? std::rotl(v, 32) : ~u64{0});
      EXPECT_EQ(got[8 * t + 1], moved ? part(3) | part(1) << 16 | part(2) << 32 | part(0) << 48 : ~u64{0});
      EXPECT_EQ(got[8 * t + 2], moved ? v >> 32 | u64{7} << 32 : ~u64{0});
      EXPECT_EQ(got[8 * t + 3], moved ? std::rotl(same, 32) : ~u64{0});
      EXPECT_EQ(got[8 * t + 4], moved ? part(3) | part(0) << 16 | (v >> 32) << 32 : ~u64{0});
    }
  }
}

// Numbers that grow evenly with the thread keep that form in their words, where all threads have the upper one in common.
TEST(Parts, OfNumbersThatGrowWithTheThread) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 out, .param .u64 start, .param .u64 step) {
  .reg .b32 %r<8>; .reg .b64 %d<9>;
  ld.param.u64 %d0, [out]; ld.param.u64 %d1, [start]; ld.param.u64 %d2, [step];
  mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 32; add.s64 %d0, %d0, %d3;
  cvt.u64.u32 %d4, %r0; mul.lo.u64 %d5, %d4, %d2; add.s64 %d5, %d5, %d1;
  mov.b64 {%r1, %r2}, %d5; mov.b64 {_, %r5}, %d5; mov.b64 %d6, {%r1, %r2};
  add.u32 %r3, %r1, 3; mov.b64 %d7, {%r3, %r5}; mov.b64 %d8, {%r5, %r1};
  st.global.v2.u64 [%d0], {%d6, %d7}; st.global.v2.u64 [%d0+16], {%d8, %d5}; ret; }
)"));
  const u64 to = gpu.buffer(std::vector<u64>(4 * threads));
  for (u64 start : {u64{0}, u64{7}, u64{0xffff'ffe0}, u64{0x1'0000'0000}, u64{0x12'ffff'ff80}, u64{1} << 63,
                    ~u64{0} - 40})
    for (i64 step : {i64{0}, i64{1}, i64{4}, i64{-1}, i64{-4}, i64{1} << 32, i64{1} << 31, (i64{1} << 32) + 4,
                     -(i64{1} << 33)}) {
      SCOPED_TRACE(fmt::format("{:#x} {}", start, step));
      gpu.expect_run("k", {1}, {threads}, {to, start, static_cast<u64>(step)});
      const std::vector<u64> got = gpu.read<u64>(to, 4 * threads);
      for (u32 t = 0; t < threads; ++t) {
        const u64 v = start + static_cast<u64>(step) * t, low = v & 0xffff'ffff, high = v >> 32;
        EXPECT_EQ(got[4 * t], v);
        EXPECT_EQ(got[4 * t + 1], ((low + 3) & 0xffff'ffff) | high << 32);
        EXPECT_EQ(got[4 * t + 2], high | low << 32);
        EXPECT_EQ(got[4 * t + 3], v);
      }
    }
}

// --- the loops for every instruction set that this processor has
struct Target {
  const LaneExchange& exchange;
  const LaneParts& parts;
};
std::vector<Target> targets() {
  std::vector<Target> out{{baseline::lane_exchange(), baseline::lane_parts()}};
  if (__builtin_cpu_supports("avx2")) out.push_back({avx2::lane_exchange(), avx2::lane_parts()});
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    out.push_back({avx512::lane_exchange(), avx512::lane_parts()});
  return out;
}

TEST(WarpOperations, InstructionSetsAgree) {
  std::mt19937 random(4);
  alignas(64) Lanes in, by, bounds;
  for (u32 i = 0; i < in.size(); ++i)
    in[i] = random() % 2 ? static_cast<u32>(random()) : 5, by[i] = random() % 64,
    bounds[i] = random() & 0x1f1f;
  std::array<u32, warps> masks{full_mask, 0x80700f01, 0};
  std::vector<std::vector<u32>> seen;
  for (const Target& target : targets()) {
    std::vector<u32>& results = seen.emplace_back();
    auto keep = [&](const auto& array) {
      for (auto v : array)
        results.push_back(static_cast<u32>(v)), results.push_back(static_cast<u32>(u64{v} >> 32));
    };
    alignas(64) Lanes from, out;
    std::array<u32, warps> words;
    for (auto sources : target.exchange.sources) {
      sources(from.data(), words.data(), by.data(), bounds.data(), warps);
      target.exchange.permute(out.data(), in.data(), from.data(), warp_size, warps);
      keep(from), keep(words), keep(out);
    }
    out = in;
    target.exchange.permute(out.data(), out.data(), from.data(), 0, warps);
    keep(out);
    for (auto reduce : target.exchange.reduce) {
      reduce(words.data(), in.data(), masks.data(), warps);
      keep(words);
    }
    target.exchange.spread(out.data(), masks.data(), warps);
    target.exchange.put(out.data() + warp_size, masks[1], 9);
    keep(out);
    alignas(64) std::array<u64, warp_size> wide;
    for (u32 i = 0; i < warp_size; ++i) wide[i] = u64{in[i]} << 20;
    keep(std::array{target.exchange.equal(in.data(), 5), target.exchange.equal64(wide.data(), u64{5} << 20)});
    alignas(64) std::array<u16, warp_size> half[4];
    for (u32 p = 0; p < 4; ++p)
      target.parts.part_16_of_64(half[p].data(), wide.data(), 16 * p, warp_size), keep(half[p]);
    target.parts.part_16_of_32(half[0].data(), in.data(), 16, warp_size), keep(half[0]);
    target.parts.part_32_of_64(out.data(), wide.data(), 16, warp_size), keep(out);
    const u16* halves[4] = {half[1].data(), half[3].data(), half[0].data(), half[2].data()};
    const u32* words_of[2] = {in.data(), by.data()};
    target.parts.join_4x16(wide.data(), halves, warp_size), keep(wide);
    target.parts.join_2x32(wide.data(), words_of, warp_size), keep(wide);
    target.parts.join_2x16(out.data(), halves, warp_size), keep(out);
  }
  for (const std::vector<u32>& results : seen) EXPECT_EQ(results, seen[0]);
}

} // namespace
} // namespace warplens::sim
