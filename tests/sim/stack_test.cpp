// alloca, stacksave and stackrestore (PTX ISA, "Stack Manipulation Instructions").
#include "sim/harness.h"

namespace warplens::sim {
namespace {

const char* open_kernel = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<12>; .reg .b64 %d<16>; .reg .pred %p<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4; add.u64 %d1, %d1, %d3;
)";

std::vector<u32> results(Gpu& gpu, const std::string& body, const std::string& before = {}) {
  EXPECT_TRUE(gpu.load(ptx_header() + before + open_kernel + body + " st.global.u32 [%d1], %r9; ret; }\n"));
  u64 out = gpu.buffer(std::vector<u32>(32));
  gpu.expect_run("k", {1}, {32}, {out});
  return gpu.read<u32>(out, 32);
}

// Each thread gets as many words as it asks for, writes them and reads them back from the end.
TEST(Stack, EachThreadGetsWhatItAsksFor) {
  Gpu gpu;
  std::vector<u32> got = results(gpu, R"(
    add.u32 %r1, %r0, 1; mul.wide.u32 %d4, %r1, 4;
    alloca.u64 %d5, %d4, 16; alloca.u64 %d6, %d4;
    mov.u32 %r2, 0; mov.u32 %r9, 0; mov.u64 %d7, %d5; mov.u64 %d8, %d6;
    write: mul.lo.u32 %r3, %r2, %r0; st.local.u32 [%d7], %r3; st.local.u32 [%d8], %r2;
    add.u64 %d7, %d7, 4; add.u64 %d8, %d8, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra write;
    read: sub.u64 %d7, %d7, 4; ld.local.u32 %r4, [%d7]; add.u32 %r9, %r9, %r4; ld.local.u32 %r5, [%d6];
    add.u32 %r9, %r9, %r5; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra read;)");
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t * (t * (t + 1) / 2)) << t;
}

TEST(Stack, AddressesAreAlignedAndGivenBack) {
  Gpu gpu;
  std::vector<u32> got = results(gpu, R"(
    stacksave.u64 %d4; alloca.u64 %d5, 4, 64; alloca.u64 %d6, 100, 64; or.b64 %d7, %d5, %d6; stackrestore.u64 %d4;
    alloca.u64 %d8, 4, 64; setp.eq.u64 %p1, %d5, %d8; selp.u32 %r9, 1, 0, %p1;
    cvt.u32.u64 %r1, %d7; and.b32 %r1, %r1, 63; add.u32 %r9, %r9, %r1;
    setp.ne.u64 %p2, %d5, %d6; @%p2 add.u32 %r9, %r9, 2;)");
  EXPECT_EQ(got, std::vector<u32>(32, 3));
}

// A function that is called keeps clear of what its caller has, whatever each thread has.
TEST(Stack, CallsComeBehindWhatTheCallerHas) {
  Gpu gpu;
  const char* callee = R"(
.func (.param .b32 result) f(.param .b32 a) {
  .local .align 4 .b8 depot[64]; .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u32 %r1, [a]; mov.u64 %d1, depot; st.local.u32 [%d1], 77; st.local.u32 [%d1+60], 78; alloca.u64 %d2, 32;
  st.local.u32 [%d2+28], 79; ld.local.u32 %r2, [%d1]; add.u32 %r2, %r2, %r1; st.param.b32 [result], %r2; ret;
}
)";
  std::vector<u32> got = results(gpu, R"(
    shl.b32 %r1, %r0, 3; add.u32 %r1, %r1, 8; cvt.u64.u32 %d4, %r1; alloca.u64 %d5, %d4, 8;
    add.u64 %d6, %d5, %d4; st.local.u32 [%d5], %r0; st.local.u32 [%d6+-4], %r1;
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %r0; call (r), f, (a); ld.param.b32 %r2, [r]; }
    ld.local.u32 %r3, [%d5]; ld.local.u32 %r4, [%d6+-4]; add.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4;)",
                                 callee);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], 77 + t + t + (8 * t + 8)) << t;
}

TEST(Stack, MoreThanAThreadHasIsAFault) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + open_kernel +
                       "mov.u64 %d4, 0x7fffffffffff; alloca.u64 %d5, %d4; st.local.u32 [%d5], 1; ret; }\n"));
  u64 out = gpu.buffer(std::vector<u32>(32));
  LaunchResult result = gpu.run("k", {1}, {32}, {out});
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::stack_overflow);
  EXPECT_NE(result.fault->diagnostic.message.find("alloca of 140737488355327 bytes"), std::string::npos)
      << result.fault->diagnostic.message;
}

} // namespace
} // namespace warplens::sim
