// Accesses of few lanes per warp behind a branch, which go through a list of lanes: every space and width,
// what stays where lanes write one address, and faults. Whatever size batches have.
#include "sim/harness.h"

namespace warplens::sim {
namespace {

// Lanes 3, 9, 20 and 30 of each warp: a local array, bytes in shared memory, pairs from global memory. The
// grid's threads have `out` of four words each.
const std::string kernel = ptx_header() + R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 same) {
  .local .align 16 .b8 depot[16];
  .shared .align 16 .b8 bytes[96];
  .reg .pred %p; .reg .b32 %r<16>; .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u64 %rd3, [same];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 96, %r1;
  and.b32 %r4, %r1, 31;
  shr.u32 %r5, 0x40100208, %r4;
  and.b32 %r5, %r5, 1;
  setp.eq.u32 %p, %r5, 0;
  @%p bra DONE;
  mul.wide.u32 %rd4, %r3, 16;
  add.u64 %rd5, %rd1, %rd4;
  mov.u64 %rd6, depot;
  and.b32 %r6, %r1, 3;
  mul.wide.u32 %rd7, %r6, 4;
  add.u64 %rd8, %rd6, %rd7;
  mul.lo.u32 %r7, %r3, 7;
  st.local.u32 [%rd8], %r7;
  mov.u32 %r8, bytes;
  xor.b32 %r9, %r1, 1;
  add.u32 %r8, %r8, %r9;
  add.u32 %r10, %r3, 120;
  st.shared.u8 [%r8], %r10;
  ld.local.u32 %r11, [%rd8];
  ld.shared.s8 %r12, [%r8];
  mul.lo.u32 %r13, %r3, %r3;
  and.b32 %r13, %r13, 31;
  mul.wide.u32 %rd9, %r13, 8;
  add.u64 %rd10, %rd2, %rd9;
  ld.global.v2.u32 {%r14, %r15}, [%rd10];
  st.global.u32 [%rd5], %r11;
  st.global.u32 [%rd5+4], %r12;
  st.global.v2.u32 [%rd5+8], {%r14, %r15};
  mul.wide.u32 %rd11, %r2, 16;
  add.u64 %rd12, %rd3, %rd11;
  cvt.u64.u32 %rd13, %r1;
  st.global.u32 [%rd12], %r1;
  st.global.u64 [%rd12+8], %rd13;
DONE:
  ret;
})";

constexpr u32 ctas = 40, threads = 96;

TEST(SparseAccess, EverySpaceAndWidth) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel));
  std::vector<u32> pairs(64);
  for (u32 i = 0; i < 64; ++i) pairs[i] = 1000 + i * i;
  u64 in = gpu.buffer(pairs);
  for (u32 batch : {1, 2, 7, 21}) {
    u64 out = gpu.buffer(std::vector<u32>(ctas * threads * 4)), same = gpu.buffer(std::vector<u32>(ctas * 4));
    LaunchOptions options;
    options.batch = batch;
    gpu.expect_run("k", {ctas}, {threads}, {out, in, same}, options);
    std::vector<u32> got = gpu.read<u32>(out, ctas * threads * 4);
    for (u32 t = 0; t < ctas * threads; ++t) {
      bool takes_part = 0x40100208u >> t % 32 & 1;
      u32 pair = t * t % 32 * 2;
      std::vector<u32> expected{t * 7, static_cast<u32>(static_cast<i8>(t + 120)), pairs[pair],
                                pairs[pair + 1]};
      if (!takes_part) expected.assign(4, 0);
      ASSERT_EQ(std::vector<u32>(got.begin() + t * 4, got.begin() + t * 4 + 4), expected)
          << batch << ", " << t;
    }
    // As in SameAddress (reconvergence_test.cpp): the last warp's lowest lane; of 8 bytes, its upper half's.
    std::vector<u32> stayed = gpu.read<u32>(same, ctas * 4);
    for (u32 c = 0; c < ctas; ++c)
      ASSERT_EQ(std::vector<u32>(stayed.begin() + c * 4, stayed.begin() + c * 4 + 4),
                (std::vector<u32>{67, 0, 84, 0}))
          << batch << ", " << c;
  }
}

TEST(SparseAccess, FaultsNameTheThread) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel));
  u64 in = gpu.buffer(std::vector<u32>(64)), same = gpu.buffer(std::vector<u32>(ctas * 4));
  LaunchResult misaligned = gpu.run("k", {1}, {threads}, {in + 2, in, same});
  ASSERT_TRUE(misaligned.fault);
  EXPECT_EQ(misaligned.fault->kind, FaultKind::misaligned_address);
  EXPECT_EQ(misaligned.fault->thread.x, 3u);
  LaunchResult outside = gpu.run("k", {1}, {threads}, {16, in, same});
  ASSERT_TRUE(outside.fault);
  EXPECT_EQ(outside.fault->kind, FaultKind::illegal_address);
  EXPECT_EQ(outside.fault->thread.x, 3u);
}

} // namespace
} // namespace warplens::sim
