// LaunchChecks::memory and race: what is found, what is let pass, and that results stay the same.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// %r0 is the thread's number; %d0 points to its element of `out`, %d2 to that of `in`.
std::string kernel(std::string_view body) {
  return ptx_header() +
         fmt::format(".visible .entry k(.param .u64 out, .param .u64 in) {{\n"
                     ".shared .align 4 .b8 s[512];\n"
                     ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>;\n"
                     "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [in]; mov.u32 %r0, %tid.x;\n"
                     "mul.wide.u32 %d1, %r0, 4; add.s64 %d0, %d0, %d1; add.s64 %d2, %d2, %d1;\n"
                     "mov.u32 %r1, 7; mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r3, %r2, %r3;\n"
                     "xor.b32 %r4, %r0, 32; shl.b32 %r4, %r4, 2; add.u32 %r4, %r2, %r4;\n"
                     "setp.lt.u32 %p1, %r0, 32;\n{}\n"
                     "st.global.u32 [%d0], %r1; ret; }}\n",
                     body);
}

struct Buffers {
  u64 out = 0, in = 0;
};

// `prepare` may write to the buffers' shadow before the launch.
template <class Prepare> Outcome run(std::string_view body, LaunchChecks checks, Prepare&& prepare) {
  constexpr u32 threads = 64;
  Gpu gpu;
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
          // lanes of one warp are not compared
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
