// LaunchChecks::memory and race: what is found, what is let pass, and that results stay the same.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// %r0 is the thread's number; %d0 points to its element of `out`, %d2 to that of `in`, %r3 to its word of shared memory; %r4 to
// the same lane's in the other warp, %r6 to the next lane's, %r8 to that of a lane in the other half of the warp. %p1: the
// first warp; %p2: the first half of each.
std::string kernel(std::string_view body) {
  return ptx_header() +
         fmt::format(".visible .entry k(.param .u64 out, .param .u64 in) {{\n"
                     ".shared .align 4 .b8 s[512];\n"
                     ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>;\n"
                     "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [in]; mov.u32 %r0, %tid.x;\n"
                     "mul.wide.u32 %d1, %r0, 4; add.s64 %d0, %d0, %d1; add.s64 %d2, %d2, %d1;\n"
                     "mov.u32 %r1, 7; mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r3, %r2, %r3;\n"
                     "xor.b32 %r4, %r0, 32; shl.b32 %r4, %r4, 2; add.u32 %r4, %r2, %r4;\n"
                     "xor.b32 %r6, %r0, 1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r2, %r6;\n"
                     "xor.b32 %r8, %r0, 16; shl.b32 %r8, %r8, 2; add.u32 %r8, %r2, %r8;\n"
                     "setp.lt.u32 %p1, %r0, 32; and.b32 %r7, %r0, 16; setp.eq.u32 %p2, %r7, 0;\n{}\n"
                     "st.global.u32 [%d0], %r1; ret; }}\n",
                     body);
}

struct Buffers {
  u64 out = 0, in = 0;
};

// `prepare` may write to the buffers' shadow before the launch.
template <class Prepare>
Outcome run(Gpu& gpu, std::string_view body, LaunchChecks checks, Prepare&& prepare) {
  constexpr u32 threads = 64;
  if (checks.memory) gpu.device.memory->track();
  if (!gpu.load(kernel(body))) return {};
  Buffers at{gpu.buffer(std::vector<u32>(threads)), gpu.buffer(std::vector<u32>(threads))};
  prepare(*gpu.device.memory, at);
  LaunchOptions options;
  options.checks = checks;
  LaunchResult result = gpu.run("k", {2}, {threads}, {at.out, at.in}, options);
  if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
  return {result.warnings, gpu.read<u32>(at.out, threads)};
}
template <class Prepare> Outcome run(std::string_view body, LaunchChecks checks, Prepare&& prepare) {
  Gpu gpu;
  return run(gpu, body, checks, prepare);
}
Outcome run(std::string_view body, LaunchChecks checks) {
  return run(body, checks, [](Memory&, Buffers) {});
}

struct Case {
  const char *body, *kinds;
};

TEST(AccessCheck, RacesAreWhatNoBarrierOrders) {
  for (
      const Case& c : std::initializer_list<Case>{
          // each thread its own word, and a neighbour's behind a barrier
          {"st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r1, [%r4];", ""},
          {"st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r4];", "race-shared"},
          // the second write comes too early for who still reads
          {"st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r1, [%r4]; st.shared.u32 [%r3], %r1;",
           "race-shared"},
          {"st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r1, [%r4]; bar.sync 0; st.shared.u32 "
           "[%r3], %r1;",
           ""},
          // both warps write one word; what is the same in every order is let pass, but not under who reads it
          {"st.shared.u32 [%r2], %r0;", "race-shared"},
          {"st.shared.u32 [%r2], %r1;", ""},
          {"@%p1 st.shared.v2.u16 [%r2], {1, 2}; @!%p1 st.shared.u32 [%r2], 0x20001;", ""},
          {"@%p1 st.shared.u32 [%r2], %r1; @!%p1 st.shared.u8 [%r2+1], 1;", "race-shared"},
          {"@%p1 st.shared.u32 [%r2], %r1; bar.sync 0; @%p1 ld.shared.u32 %r1, [%r2]; @!%p1 st.shared.u32 "
           "[%r2], %r1;",
           "race-shared"},
          // who stored what it reads, as the others did, reads the same in every order; who did not, does not
          {"st.shared.u32 [%r2], %r1; ld.shared.u32 %r5, [%r2];", ""},
          {"@%p1 st.shared.u32 [%r2], %r1; ld.shared.u32 %r5, [%r2];", "race-shared"},
          {"@%p1 st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r1, [%r2];", ""},
          // updates do not race with each other, but with what is no update
          {"atom.shared.add.u32 %r5, [%r2], 1;", ""},
          {"atom.shared.add.u32 %r5, [%r2], 1; ld.shared.u32 %r1, [%r2];", "race-shared"},
          {"atom.shared.add.u32 %r5, [%r2], 1; bar.sync 0; ld.shared.u32 %r5, [%r2];", ""},
          // who only arrives does not know what the others did
          {"@!%p1 bra HIGH; st.shared.u32 [%r3], %r0; bar.arrive 1, 64; bra MEET; HIGH: bar.sync 1, 64; "
           "ld.shared.u32 %r1, [%r4]; MEET: mov.u32 %r5, 0;",
           ""},
          {"@!%p1 bra HIGH; bar.arrive 1, 64; ld.shared.u32 %r1, [%r4]; bra MEET; HIGH: st.shared.u32 "
           "[%r3], %r0; "
           "bar.sync 1, 64; MEET: mov.u32 %r5, 0;",
           "race-shared"},
          // what is written after the arrival
          {"@!%p1 bra HIGH; bar.arrive 1, 64; st.shared.u32 [%r3], %r0; bra MEET; HIGH: bar.sync 1, 64; "
           "ld.shared.u32 %r1, [%r4]; MEET: mov.u32 %r5, 0;",
           "race-shared"},
          // a barrier for whom it may concern: reductions order as well
          {"st.shared.u32 [%r3], %r0; bar.red.popc.u32 %r5, 0, %p1; ld.shared.u32 %r1, [%r4];", ""},
      }) {
    Outcome checked = run(c.body, {.race = true});
    EXPECT_EQ(checked.kinds(), c.kinds) << c.body;
    EXPECT_EQ(run(c.body, {}).kinds(), "") << c.body;
  }
}

// Of each warp by itself.
const Case one_warp[] = {
    {"st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r3];", ""},
    {"st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r6];", "race-warp"},
    {"st.shared.u32 [%r3], %r0; bar.warp.sync -1; ld.shared.u32 %r1, [%r6];", ""},
    {"st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r1, [%r6];", ""},
    {"st.shared.u32 [%r3], %r0; bar.red.popc.u32 %r5, 0, %p1; ld.shared.u32 %r1, [%r6];", ""},
    // what brings lanes together, or orders a thread's own accesses, is no barrier
    {"st.shared.u32 [%r3], %r0; shfl.sync.idx.b32 %r5, %r0, 0, 31, -1; ld.shared.u32 %r1, [%r6];",
     "race-warp"},
    {"st.shared.u32 [%r3], %r0; vote.sync.ballot.b32 %r5, %p2, -1; ld.shared.u32 %r1, [%r6];", "race-warp"},
    {"st.shared.u32 [%r3], %r0; redux.sync.add.u32 %r5, %r0, -1; ld.shared.u32 %r1, [%r6];", "race-warp"},
    {"st.shared.u32 [%r3], %r0; membar.cta; ld.shared.u32 %r1, [%r6];", "race-warp"},
    {"@%p2 st.shared.u32 [%r3], %r0; @!%p2 ld.shared.u32 %r1, [%r8];", "race-warp"},
    {"@%p2 bra FIRST; ld.shared.u32 %r1, [%r8]; bra MEET; FIRST: st.shared.u32 [%r3], %r0; MEET: mov.u32 "
     "%r5, 0;",
     "race-warp"},
    {"@%p2 bra FIRST; mov.u32 %r5, 1; bra MEET; FIRST: st.shared.u32 [%r3], %r0; MEET: @!%p2 ld.shared.u32 "
     "%r1, [%r8];",
     "race-warp"},
    // the second write comes too early for who still reads
    {"st.shared.u32 [%r3], %r0; bar.warp.sync -1; ld.shared.u32 %r1, [%r6]; st.shared.u32 [%r3], %r1;",
     "race-warp"},
    {"st.shared.u32 [%r3], %r0; bar.warp.sync -1; ld.shared.u32 %r1, [%r6]; bar.warp.sync -1; st.shared.u32 "
     "[%r3], %r1;",
     ""},
    // the lanes that are named, each half by itself; a mask that leaves one out
    {"st.shared.u32 [%r3], %r0; @%p2 bar.warp.sync 0xffff; @!%p2 bar.warp.sync 0xffff0000; ld.shared.u32 "
     "%r1, [%r6];",
     ""},
    {"st.shared.u32 [%r3], %r0; @%p2 bar.warp.sync 0xffff; @!%p2 bar.warp.sync 0xffff0000; ld.shared.u32 "
     "%r1, [%r8];",
     "race-warp"},
    {"st.shared.u32 [%r3], %r0; setp.ne.u32 %p3, %r0, 0; @%p3 bar.warp.sync 0xfffffffe; @!%p1 bar.warp.sync "
     "-1; @%p3 ld.shared.u32 %r1, [%r8];",
     "race-warp"}, // lane 16 of warp 0 reads what lane 0 stored
    // lanes at two barriers of one warp meet all the same
    {"@%p2 bra FIRST; bar.warp.sync -1; ld.shared.u32 %r1, [%r8]; bra MEET; FIRST: st.shared.u32 [%r3], %r0; "
     "bar.warp.sync -1; MEET: mov.u32 %r5, 0;",
     ""},
    // what one knows, those know that it meets later: 15 meets the first half, then all others
    {"st.shared.u32 [%r3], %r0; and.b32 %r5, %r0, 31; @%p2 bar.warp.sync 0xffff; setp.ge.u32 %p3, %r5, 15; "
     "@%p3 bar.warp.sync 0xffff8000; @!%p2 ld.shared.u32 %r1, [%r8];",
     ""},
    // lanes that have ended do not come
    {"st.shared.u32 [%r3], %r0; @!%p2 exit; bar.warp.sync 0xffff; ld.shared.u32 %r1, [%r6];", ""},
    {"st.shared.u32 [%r3], %r0; @!%p2 exit; bar.warp.sync 0xffff; ld.shared.u32 %r1, [%r8];", "race-warp"},
    // one word of all
    {"@%p1 st.shared.u32 [%r2], %r0;", "race-warp"},
    {"@%p1 st.shared.u32 [%r2], %r1; @%p1 ld.shared.u32 %r5, [%r2];", ""},
    {"setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [%r2], %r1; setp.eq.u32 %p3, %r0, 1; @%p3 st.shared.u32 "
     "[%r2], %r1;",
     ""},
    {"setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [%r2], %r1; setp.eq.u32 %p3, %r0, 1; @%p3 ld.shared.u32 "
     "%r5, [%r2];",
     "race-warp"},
    // bytes that lie apart, and one that is in both
    {"add.u32 %r5, %r2, %r0; st.shared.u8 [%r5], %r0; ld.shared.u8 %r1, [%r5];", ""},
    {"add.u32 %r5, %r2, %r0; @%p1 st.shared.u8 [%r5], %r0; setp.eq.u32 %p3, %r0, 2; @%p3 ld.shared.u32 %r1, "
     "[%r2];",
     "race-warp"},
    // updates
    {"atom.shared.add.u32 %r5, [%r2], 1;", ""},
    {"@%p1 atom.shared.add.u32 %r5, [%r2], 1; setp.eq.u32 %p3, %r0, 31; @%p3 ld.shared.u32 %r1, [%r2];",
     "race-warp"},
    {"@%p1 atom.shared.add.u32 %r5, [%r2], 1; bar.warp.sync -1; @%p1 ld.shared.u32 %r1, [%r2];", ""},
    // a loop: the reads of a round and the writes of the next
    {"st.shared.u32 [%r3], %r0; mov.u32 %r5, 0; LOOP: bar.warp.sync -1; ld.shared.u32 %r1, [%r6]; "
     "st.shared.u32 [%r3], %r1; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 4; @%p3 bra LOOP;",
     "race-warp"},
    {"st.shared.u32 [%r3], %r0; mov.u32 %r5, 0; LOOP: bar.warp.sync -1; ld.shared.u32 %r1, [%r6]; "
     "bar.warp.sync -1; st.shared.u32 [%r3], %r1; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 4; @%p3 bra "
     "LOOP;",
     ""},
};

TEST(AccessCheck, RacesOfOneWarpAreWhatNoWarpBarrierOrders) {
  for (const Case& c : one_warp) EXPECT_EQ(run(c.body, {.race = true}).kinds(), c.kinds) << c.body;
}

TEST(AccessCheck, InLockstepOnlyOneInstructionIsARace) {
  for (const Case& c : one_warp) {
    Gpu gpu;
    gpu.device.shape.lockstep_warps = true;
    const bool one_instruction = std::string_view(c.body) == "@%p1 st.shared.u32 [%r2], %r0;";
    EXPECT_EQ(run(gpu, c.body, {.race = true}, [](Memory&, Buffers) {}).kinds(),
              one_instruction ? "race-warp" : "")
        << c.body;
  }
}

TEST(AccessCheck, ALineHasOneKindOfRace) {
  const char* warps = "st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r6]; ld.shared.u32 %r1, [%r4];";
  EXPECT_EQ(run(warps, {.race = true}).kinds(), "race-shared");
  const char* lines = "st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r6];\nld.shared.u32 %r1, [%r4];";
  EXPECT_EQ(run(lines, {.race = true}).kinds(), "race-warp race-shared");
}

TEST(AccessCheck, ARaceOfOneWarpNamesItsLanes) {
  std::string text = run("st.shared.u32 [%r3], %r0;\nld.shared.u32 %r1, [%r6];", {.race = true}).text();
  EXPECT_NE(text.find("lane 0 of warp 0 reads shared memory that lane 1 writes, and no __syncwarp() is "
                      "between them: offset 0x4"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("lane 1: at "), std::string::npos) << text;
  text = run("@%p1 st.shared.u32 [%r2], %r0;", {.race = true}).text();
  EXPECT_NE(text.find("lanes 0 and 1 of warp 0 write different values"), std::string::npos) << text;
}

TEST(AccessCheck, ARaceNamesBothPlaces) {
  Outcome checked = run("st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r4];", {.race = true});
  ASSERT_EQ(checked.found.size(), 1u);
  std::string text = diag::render(checked.found[0]);
  EXPECT_NE(text.find("reads shared memory that warp"), std::string::npos) << text;
  EXPECT_NE(text.find("writes, and no barrier is between them"), std::string::npos) << text;
}

TEST(AccessCheck, ReadsOfWhatNobodyWrote) {
  auto mark_in = [](Memory& memory, Buffers at) { memory.written()->mark(at.in, 256); };
  auto mark_half = [](Memory& memory, Buffers at) { memory.written()->mark(at.in, 128); };
  EXPECT_EQ(run("ld.global.u32 %r1, [%d2];", {.memory = true}).kinds(), "memory-uninitialized");
  EXPECT_EQ(run("ld.global.u32 %r1, [%d2];", {.memory = true}, mark_in).kinds(), "");
  EXPECT_EQ(run("ld.global.u32 %r1, [%d2];", {.memory = true}, mark_half).kinds(), "memory-uninitialized");
  EXPECT_EQ(run("@%p1 ld.global.u32 %r1, [%d2];", {.memory = true}, mark_half).kinds(), "");
  EXPECT_EQ(run("st.global.u32 [%d2], %r1; ld.global.u32 %r1, [%d2];", {.memory = true}).kinds(), "");
  EXPECT_EQ(run("red.global.add.u32 [%d2], 1;", {.memory = true}).kinds(), "memory-uninitialized");
  EXPECT_EQ(run("ld.shared.u32 %r1, [%r3];", {.memory = true}).kinds(), "memory-uninitialized");
  EXPECT_EQ(run("st.shared.u32 [%r3], %r0; ld.shared.u32 %r1, [%r3];", {.memory = true}).kinds(), "");
  // Of a CTA before it nothing is left.
  EXPECT_EQ(run("mov.u32 %r5, %ctaid.x; setp.eq.u32 %p2, %r5, 0; @%p2 st.shared.u32 [%r3], %r0; "
                "ld.shared.u32 %r1, [%r3];",
                {.memory = true})
                .kinds(),
            "memory-uninitialized");
  EXPECT_EQ(run("ld.shared.u32 %r1, [%r3];", {}).kinds(), "");
}

// What it finds reaches nobody: it stores.
TEST(AccessCheck, AnExchangeWhoseResultIsUnusedIsAStore) {
  for (const Case& c : std::initializer_list<Case>{
           {"atom.global.exch.b32 %r5, [%d2], 7;", ""},
           {"atom.global.exch.b64 %d5, [%d6], %d0;", ""},
           {"atom.shared.exch.b32 %r5, [%r2], 7;", ""},
           {"atom.shared.exch.b32 %r5, [%r2], 7; ld.shared.u32 %r1, [%r2];", ""},
           {"atom.global.exch.b32 %r5, [%d2], 7; ld.global.u32 %r1, [%d2];", ""},
           {"@%p1 atom.global.exch.b32 %r5, [%d2], 7; ld.global.u32 %r1, [%d2];", "memory-uninitialized"},
           {"atom.global.exch.b32 %r1, [%d2], 7;", "memory-uninitialized"},
           {"atom.shared.exch.b32 %r1, [%r2], 7;", "memory-uninitialized"},
           // what is written depends on what is there
           {"atom.global.cas.b32 %r5, [%d2], 0, 7;", "memory-uninitialized"},
           {"atom.global.and.b32 %r5, [%d2], 0;", "memory-uninitialized"},
           {"atom.global.add.u32 %r5, [%d2], 7;", "memory-uninitialized"},
       })
    EXPECT_EQ(run(std::string("ld.param.u64 %d6, [in];\n") + c.body, {.memory = true}).kinds(), c.kinds)
        << c.body;
}

TEST(AccessCheck, ResultsAreTheSame) {
  const char* body = "st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r1, [%r4];";
  EXPECT_EQ(run(body, {.memory = true, .race = true}).memory, run(body, {}).memory);
}

TEST(WrittenBytes, FollowsMarksClearsAndCopies) {
  WrittenBytes written(1000, 5'000'000);
  EXPECT_EQ(written.first_unwritten(1000, 8), 1000u);
  written.mark(1003, 200);
  EXPECT_EQ(written.first_unwritten(1003, 200), std::nullopt);
  EXPECT_EQ(written.first_unwritten(1003, 201), 1203u);
  EXPECT_EQ(written.first_unwritten(1002, 2), 1002u);
  written.clear(1100, 1);
  EXPECT_EQ(written.first_unwritten(1003, 200), 1100u);
  written.copy(2'000'000, 1003, 200); // into another page, with the hole
  EXPECT_EQ(written.first_unwritten(2'000'000, 97), std::nullopt);
  EXPECT_EQ(written.first_unwritten(2'000'000, 98), 2'000'097u);
  EXPECT_EQ(written.first_unwritten(2'000'098, 102), std::nullopt);
  written.mark(1'048'000, 2000); // over the end of a page
  EXPECT_EQ(written.first_unwritten(1'048'000, 2000), std::nullopt);
  EXPECT_EQ(written.first_unwritten(10, 100), std::nullopt); // nothing is known of it
  written.copy(3'000'000, 10, 16);
  EXPECT_EQ(written.first_unwritten(3'000'000, 16), std::nullopt);
}

TEST(MemoryTracked, FreedAddressesAreRememberedAndNotUsedAgain) {
  auto memory = *Memory::create(u64{1} << 30);
  memory->track();
  u64 first = *memory->allocate(4096);
  memory->set_made(first, "main.cu:3");
  EXPECT_TRUE(memory->release(first));
  u64 second = *memory->allocate(4096);
  EXPECT_NE(first, second);
  ASSERT_TRUE(memory->freed(first + 4095).has_value());
  EXPECT_EQ(memory->freed(first + 4095)->made, "main.cu:3");
  EXPECT_FALSE(memory->freed(first + 4096).has_value());
  EXPECT_FALSE(memory->freed(second).has_value());
  // Where there are no other addresses, those are used after all.
  for (int i = 0; i < 20; ++i) {
    Result<u64> large = memory->allocate(u64{200} << 20);
    ASSERT_TRUE(large.has_value()) << i;
    EXPECT_TRUE(memory->release(*large));
  }
}

} // namespace
} // namespace warplens::sim
