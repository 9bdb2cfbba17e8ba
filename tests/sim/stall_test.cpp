// Launches in which nothing but waiting is left, which end by themselves, and those that only look like it.
#include "sim/grid/stall.h"
#include "sim/harness.h"
#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace warplens::sim {
namespace {

using std::chrono::milliseconds;

// A kernel k(flag, out) that may use %rd1 (flag), %rd2 (out), %r0 (tid.x), %r1 (ctaid.x) and registers from 3 on.
std::string kernel(const std::string& body) {
  return ptx_header() + R"(
.visible .entry k(.param .u64 flag, .param .u64 out) {
  .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .shared .align 4 .b32 ready;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
)" + body +
         "\n  ret;\n}\n";
}

const char* const lock =
    "{0}: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra {0};\n";
const char* const wait_for_flag =
    "W: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra W;\n";

class Stall : public testing::Test, public Gpu {
protected:
  LaunchResult run_kernel(const std::string& body, Dim3 grid, Dim3 block, u32 workers = 0,
                          milliseconds limit = std::chrono::minutes(5)) {
    if (!load(kernel(body))) return {};
    if (flag == 0) flag = buffer(std::vector<u32>(64));
    out = buffer(std::vector<u32>(1024));
    LaunchOptions options;
    options.workers = workers;
    options.time_limit = limit;
    return run("k", grid, block, {flag, out}, options);
  }
  static bool has_note(const LaunchResult& result, const std::string& text) {
    const std::vector<std::string>& notes = result.fault->diagnostic.notes;
    return std::any_of(notes.begin(), notes.end(), [&](auto& n) { return n.find(text) != n.npos; });
  }
  static void expect_note(const LaunchResult& result, const std::string& text) {
    EXPECT_TRUE(has_note(result, text)) << text << "\n" << diag::render(result.fault->diagnostic);
  }
  u64 flag = 0, out = 0;
};

#define ASSERT_DEADLOCK(result)                                                                              \
  ASSERT_TRUE((result).fault.has_value());                                                                   \
  ASSERT_EQ((result).fault->kind, FaultKind::deadlock) << diag::render((result).fault->diagnostic)

TEST_F(Stall, ALockTakenTwice) {
  LaunchResult result =
      run_kernel(fmt::format(fmt::runtime(lock), "A") + fmt::format(fmt::runtime(lock), "B"), {1}, {1});
  ASSERT_DEADLOCK(result);
  EXPECT_NE(result.fault->diagnostic.span.line, 0u);
  expect_note(result, "warp 0 of block (0, 0, 0): spinning");
  expect_note(result, "hold 1");
}

// Some of each warp have the lock, the rest of it waits: they are split first.
TEST_F(Stall, LanesOfAWarp) {
  LaunchResult result =
      run_kernel(fmt::format(fmt::runtime(lock), "A") + fmt::format(fmt::runtime(lock), "B"), {3}, {64}, 2);
  ASSERT_DEADLOCK(result);
  expect_note(result, "0 of 3 blocks have ended");
}

TEST_F(Stall, BlocksThatWaitForBlocksThatEnded) {
  std::string body = "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 0; @%p2 ret;\n"
                     "setp.ge.u32 %p3, %r0, 32; @%p3 bra B;\n" +
                     std::string(wait_for_flag) + "B: bar.sync 0;";
  for (u32 workers : {1u, 2u, 5u}) {
    LaunchResult result = run_kernel(body, {6}, {128}, workers);
    ASSERT_DEADLOCK(result);
    EXPECT_EQ(result.fault->cta.x, 1u);
    expect_note(result, "warps 1-3 of block (1, 0, 0), and threads of 2 more blocks: waiting at the barrier");
    expect_note(result, "warp 0 of block (1, 0, 0), and threads of 2 more blocks: spinning");
    expect_note(result, "3 of 6 blocks have ended");
  }
}

// More blocks than a GPU holds, each waiting for one that cannot begin.
TEST_F(Stall, BlocksThatCannotBegin) {
  device.shape.multiprocessors = 2;
  std::string body = "setp.eq.u32 %p2, %r1, 99; @!%p2 bra W; st.volatile.global.u32 [%rd1], 1;\n" +
                     std::string(wait_for_flag);
  LaunchResult result = run_kernel(body, {100}, {1024}, 2);
  ASSERT_DEADLOCK(result);
  expect_note(result, "0 of 100 blocks have ended; 96 have not begun");
}

TEST_F(Stall, SleepersAndSharedMemory) {
  std::string body = "setp.lt.u32 %p2, %r0, 32; @%p2 bra D;\n"
                     "W: nanosleep.u32 100; ld.volatile.shared.u32 %r3, [ready]; setp.eq.u32 %p1, %r3, 0; "
                     "@%p1 bra W;\nD: st.global.u32 [%rd2], 1;";
  // What is read is looked at in one more turn of the loop, which a sleeper may not come to the end of (watch/stuck.cpp).
  LaunchResult result;
  for (u32 tries = 0; tries < 3; ++tries) {
    result = run_kernel(body, {2}, {64});
    ASSERT_DEADLOCK(result);
    expect_note(result, "warp 1 of block (0, 0, 0), and threads of 1 more block: spinning");
    if (has_note(result, "offset 0x0 of shared memory hold 0")) break;
  }
  expect_note(result, "offset 0x0 of shared memory hold 0");
}

// A wait that is given up after many tries changes nothing but a register.
TEST_F(Stall, TriesThatAreCounted) {
  LaunchResult result = run_kernel("mov.u32 %r4, 0;\n"
                                   "W: add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r3, [%rd1];\n"
                                   "setp.eq.u32 %p1, %r3, 0; setp.lt.and.u32 %p1, %r4, 8000000, %p1;\n"
                                   "@%p1 bra W; st.global.u32 [%rd2], %r4;",
                                   {2}, {32});
  ASSERT_FALSE(result.fault.has_value()) << diag::render(result.fault->diagnostic);
  EXPECT_EQ(read<u32>(out, 1)[0], 8000000u);
}

TEST_F(Stall, WaitsThatEndByTheClock) {
  for (const char* clock : {"%globaltimer", "%clock64"}) {
    LaunchResult result = run_kernel(
        fmt::format("mov.u64 %rd3, {0}; add.u64 %rd3, %rd3, 2500000000;\n"
                    "W: mov.u64 %rd4, {0}; setp.lt.u64 %p2, %rd4, %rd3; mov.u64 %rd4, 0;\n"
                    "ld.volatile.global.u32 %r3, [%rd1]; setp.eq.and.u32 %p1, %r3, 0, %p2; @%p1 bra W;",
                    clock),
        {2}, {32});
    ASSERT_FALSE(result.fault.has_value()) << diag::render(result.fault->diagnostic);
  }
}

// What a wait's count lies in is no register.
TEST_F(Stall, TriesThatAreCountedInLocalMemory) {
  LaunchResult result =
      run_kernel(".local .align 4 .b32 tries; st.local.u32 [tries], 0;\n"
                 "W: ld.local.u32 %r4, [tries]; add.u32 %r4, %r4, 1; st.local.u32 [tries], %r4;\n"
                 "setp.lt.u32 %p2, %r4, 4000000; mov.u32 %r4, 0;\n"
                 "ld.volatile.global.u32 %r3, [%rd1]; setp.eq.and.u32 %p1, %r3, 0, %p2; @%p1 bra W;",
                 {1}, {32});
  ASSERT_FALSE(result.fault.has_value()) << diag::render(result.fault->diagnostic);
}

TEST_F(Stall, TheHostMayWriteManagedMemory) {
  flag = *device.memory->allocate(4, AllocationKind::managed);
  std::thread host([&] {
    std::this_thread::sleep_for(stall_time * 2);
    __atomic_store_n(reinterpret_cast<u32*>(flag), 1, __ATOMIC_SEQ_CST);
  });
  LaunchResult result = run_kernel(wait_for_flag, {4}, {32}, 2);
  host.join();
  EXPECT_FALSE(result.fault.has_value()) << diag::render(result.fault->diagnostic);
}

TEST_F(Stall, TheTimeLimitNamesThePlace) {
  LaunchResult result = run_kernel(wait_for_flag, {4}, {64}, 2, milliseconds(200));
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::timeout);
  EXPECT_NE(result.fault->diagnostic.span.line, 0u);
  expect_note(result, "spinning on what is read");
}

} // namespace
} // namespace warplens::sim
