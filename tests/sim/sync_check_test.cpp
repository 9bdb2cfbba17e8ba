// LaunchChecks::sync: what is found, what is let pass, and that nothing changes without it.
#include "sim/harness.h"
#include <fmt/format.h>

namespace warplens::sim {
namespace {

// %r0 is the thread's number; what the body leaves in %r1 is stored.
std::string kernel(std::string_view body) {
  return ptx_header() +
         fmt::format(
             ".visible .entry k(.param .u64 out) {{\n.reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"
             "add.s64 %d0, %d0, %d1; mov.u32 %r1, 7; mov.u32 %r4, %laneid;\n{}\n"
             "st.global.u32 [%d0], %r1; ret; }}\n",
             body);
}

Outcome run(std::string_view body, bool check = true, u32 threads = 64) {
  Gpu gpu;
  if (!gpu.load(kernel(body))) return {};
  u64 out = gpu.buffer(std::vector<u32>(threads * 2));
  LaunchOptions options;
  options.checks.sync = check;
  LaunchResult result = gpu.run("k", {2}, {threads}, {out}, options);
  if (result.fault) ADD_FAILURE() << diag::render(result.fault->diagnostic);
  return {result.warnings, gpu.read<u32>(out, threads * 2)};
}

struct Case {
  const char *body, *kinds;
};

TEST(SyncCheck, Findings) {
  for (const Case& c : std::initializer_list<Case>{
           {"bar.sync 0;", ""},
           {"bar.sync 1, 64; bar.sync 1, 64;", ""},
           // part of a warp
           {"setp.lt.u32 %p1, %r0, 40; @%p1 bar.sync 0;", "sync-divergent-warp"},
           {"setp.lt.u32 %p1, %r0, 40; @!%p1 bra SKIP; bar.sync 0; SKIP: add.u32 %r1, %r1, 1;",
            "sync-divergent-warp"},
           {"setp.lt.u32 %p1, %r4, 16; @%p1 bra LOW; bar.sync 0; bra MEET; LOW: bar.sync 0; MEET: mov.u32 "
            "%r1, 8;",
            "sync-divergent-warp"},
           // threads may come one by one to a barrier that is not aligned
           {"setp.lt.u32 %p1, %r4, 16; @%p1 bra LOW; barrier.sync 0; bra MEET; LOW: barrier.sync 0; MEET: "
            "mov.u32 %r1, 8;",
            ""},
           // whole warps at different barriers; with counts that is what names are for
           {"setp.lt.u32 %p1, %r0, 32; @%p1 bra LOW; bar.sync 0; bra MEET; LOW: bar.sync 0; MEET: mov.u32 "
            "%r1, 8;",
            "sync-divergent-block"},
           {"setp.lt.u32 %p1, %r0, 32; @%p1 bra LOW; bar.sync 1, 64; bra MEET; LOW: bar.arrive 1, 64; MEET: "
            "mov.u32 %r1, 8;",
            ""},
           {"setp.lt.u32 %p1, %r0, 32; @%p1 bra LOW; bar.sync 1, 64; bra MEET; LOW: bar.sync 1; MEET: "
            "mov.u32 %r1, 8;",
            "sync-thread-counts"},
           {"setp.lt.u32 %p1, %r0, 32; @%p1 bra LOW; bar.sync 1, 64; bra MEET; LOW: bar.red.popc.u32 %r2, 1, "
            "64, %p1; "
            "MEET: mov.u32 %r1, 8;",
            "sync-mixed-barrier"},
           // threads that have ended
           {"setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 0;", ""},
           {"setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 0;", "sync-ended-threads"},
           // masks
           {"bar.warp.sync 0xffffffff;", ""},
           {"bar.warp.sync 0x7fffffff;", "sync-not-named"},
           {"setp.lt.u32 %p1, %r4, 16; @!%p1 bra SKIP; bar.warp.sync 0x0000ffff; SKIP: mov.u32 %r1, 8;", ""},
           {"setp.lt.u32 %p1, %r4, 16; @!%p1 bra HIGH; bar.warp.sync 0xffffffff; HIGH: barrier.sync 0;",
            "sync-missing-lanes"}}) {
    Outcome checked = run(c.body), plain = run(c.body, false);
    EXPECT_EQ(checked.kinds(), c.kinds) << c.body << '\n' << checked.text();
    EXPECT_EQ(plain.kinds(), "") << c.body;
    EXPECT_EQ(checked.memory, plain.memory) << c.body;
  }
}

TEST(SyncCheck, SaysWhoAndWhere) {
  std::string text =
      run("setp.lt.u32 %p1, %r0, 40; @!%p1 bra SKIP; bar.sync 0; SKIP: add.u32 %r1, %r1, 1;").text();
  EXPECT_NE(text.find("8 of the 32 threads of warp 1"), text.npos) << text;
  EXPECT_NE(text.find("threads 0-7 of warp 1 of block"), text.npos) << text;
  EXPECT_NE(text.find("threads 8-31 of warp 1 of block"), text.npos) << text;
  EXPECT_NE(text.find("ended without coming"), text.npos) << text;
}

// A loop that some warps leave earlier: their next barrier meets the others' in the loop.
TEST(SyncCheck, RoundsThatDiffer) {
  Outcome out =
      run("shr.u32 %r2, %r0, 5; add.u32 %r2, %r2, 1; mov.u32 %r3, 0; LOOP: bar.sync 0; add.u32 %r3, %r3, 1;\n"
          "setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOP; bar.sync 0;");
  EXPECT_EQ(out.kinds(), "sync-divergent-block") << out.text();
}

} // namespace
} // namespace warplens::sim
