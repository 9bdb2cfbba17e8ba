// CTA folding: what it counts must be what full emulation counts, whatever the kernel, the grid and the
// architecture; what it cannot prove it must reject, and say why. Kernels here are PTX, so that each test
// holds one rule.
#include "fold/harness.h"

namespace warplens {
namespace {

using namespace fold_testing;

// A kernel of a pointer and a number: `body` finds ctaid.x in %r1, tid.x in %r2, ntid.x in %r3, the global
// index in %r4, the number in %r5, the pointer in %rd1; it has %r10…, %rd10…, %p1… to itself.
std::string kernel(const std::string& body) {
  return sim::ptx_header() + R"(
.visible .entry k(.param .u64 p, .param .u32 n) {
.reg .b32 %r<60>; .reg .b64 %rd<40>; .reg .pred %p<20>; .reg .b16 %h<10>; .reg .f32 %f<20>;
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;
mad.lo.s32 %r4, %r1, %r3, %r2;
ld.param.u32 %r5, [n]; ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;
)" + body +
         "\nret;\n}\n";
}

// Stores at pointer + 4 · %r10.
const char* const store_at_r10 = R"(
mul.wide.s32 %rd10, %r10, 4; add.s64 %rd11, %rd1, %rd10; st.global.u32 [%rd11], %r2;
)";

struct Fold : testing::Test {
  Gpu gpu;
  u64 buffer = 0;
  static constexpr u64 words = 1 << 20;
  void load(const std::string& body) {
    ASSERT_TRUE(gpu.load(kernel(body)));
    buffer = gpu.buffer(std::vector<u32>(words));
  }
  Counted expect(Size grid, Size block, u64 n = 0) {
    return expect_folds(gpu, {"k", grid, block, {buffer, n}});
  }
};

TEST_F(Fold, GuardedStoreOfOneDimension) {
  load("setp.ge.s32 %p1, %r4, %r5; @%p1 bra DONE; mov.u32 %r10, %r4;" + std::string(store_at_r10) + "DONE:");
  EXPECT_EQ(expect(100, 256, 100 * 256).classes, 1u);
  // Full CTAs, the one that holds the end, and those past it.
  EXPECT_EQ(expect(100, 256, 90 * 256 + 17).classes, 3u);
}

TEST_F(Fold, ResultsStoredAtOnceAreNotMadeInMemory) {
  load("mul.wide.s32 %rd10, %r4, 4; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r10, [%rd11];"
       "add.u32 %r11, %r10, 1; st.global.u32 [%rd11], %r11;");
  EXPECT_EQ(expect(100, 256).classes, 1u);
}

TEST_F(Fold, TheNumberOfClassesDoesNotGrowWithTheGrid) {
  load("setp.ge.s32 %p1, %r4, %r5; @%p1 bra DONE; and.b32 %r10, %r4, 1023;" + std::string(store_at_r10) +
       "DONE:");
  EXPECT_EQ(count_folded(gpu, Launch{"k", 1u << 8, 256, {buffer, 1 << 15}}).classes,
            count_folded(gpu, Launch{"k", 1u << 20, 256, {buffer, 1 << 15}}).classes);
}

TEST_F(Fold, AlignmentMakesClasses) {
  load("mov.u32 %r10, %r4;" + std::string(store_at_r10));
  EXPECT_EQ(expect(64, 48).classes, 4u); // 192 bytes a CTA: the place in 256 bytes comes back after 4
  EXPECT_EQ(expect(63, 48).classes, 4u);
  EXPECT_EQ(expect(200, 100).classes, 16u); // 400 bytes
}

TEST_F(Fold, QuotientAndRemainderOfTheBlockIndex) {
  // A tile of 5 columns: row = block / 5, column = block % 5.
  load("div.u32 %r11, %r1, 5; rem.u32 %r12, %r1, 5; mul.lo.u32 %r13, %r11, 4096; shl.b32 %r14, %r12, 8;"
       "add.u32 %r10, %r13, %r14; add.u32 %r10, %r10, %r2;" +
       std::string(store_at_r10));
  EXPECT_LE(expect(200, 64).classes, 4u);
  EXPECT_LE(expect(203, 64).classes, 8u);
}

TEST_F(Fold, QuotientByTheCompilersReciprocal) { // x / 3 as mul.hi by 0x55555556
  load("mul.hi.s32 %r11, %r1, 1431655766; mul.lo.s32 %r12, %r11, 3; sub.s32 %r13, %r1, %r12;"
       "shl.b32 %r14, %r11, 10; shl.b32 %r15, %r13, 6; or.b32 %r16, %r14, %r15; add.s32 %r10, %r16, %r2;" +
       std::string(store_at_r10));
  EXPECT_LE(expect(300, 64).classes, 8u);
}

TEST_F(Fold, ShiftsAndMasks) {
  load("shr.u32 %r11, %r4, 5; and.b32 %r12, %r4, 31; mad.lo.u32 %r10, %r12, 64, %r11; and.b32 %r10, %r10, "
       "0xffff;" +
       std::string(store_at_r10));
  expect(40, 128);
  expect(37, 96);
  expect(13, 40);
}

TEST_F(Fold, MinimumAndMaximumClampAtTheEdges) {
  load("sub.s32 %r11, %r4, 70; max.s32 %r12, %r11, 0; sub.s32 %r13, %r5, 1; min.s32 %r10, %r12, %r13;" +
       std::string(store_at_r10));
  expect(50, 64, 3000);
}

TEST_F(Fold, BranchOnOneBlock) {
  load("setp.eq.s32 %p1, %r1, 7; @!%p1 bra OTHER; mov.u32 %r10, %r2;" + std::string(store_at_r10) +
       "OTHER: mov.u32 %r10, %r4;" + std::string(store_at_r10));
  Counted counted = expect(30, 64);
  EXPECT_EQ(counted.classes, 3u); // before, the block itself, after
}

TEST_F(Fold, SelectionByAPredicate) {
  load("setp.lt.u32 %p1, %r2, 20; selp.b32 %r10, %r4, %r2, %p1;" + std::string(store_at_r10));
  expect(4, 64); // lanes of one warp move apart: every block is its own class
}

TEST_F(Fold, LoopsOverTheGridWithAStride) {
  load("mov.u32 %r6, %nctaid.x; mul.lo.u32 %r7, %r6, %r3; mov.u32 %r10, %r4;"
       "LOOP: setp.ge.u32 %p1, %r10, %r5; @%p1 bra DONE;" +
       std::string(store_at_r10) + "add.u32 %r10, %r10, %r7; bra LOOP; DONE:");
  expect(16, 64, 10000);
  expect(7, 96, 12345);
}

TEST_F(Fold, LengthOfALoopThatDependsOnTheBlock) {
  load("mov.u32 %r11, 0; LOOP: setp.gt.u32 %p1, %r11, %r1; @%p1 bra DONE; add.u32 %r10, %r11, %r2;" +
       std::string(store_at_r10) + "add.u32 %r11, %r11, 1; bra LOOP; DONE:");
  EXPECT_EQ(expect(9, 32).classes, 9u);
}

TEST_F(Fold, GuardsAndNarrowNumbers) {
  load(
      "cvt.u16.u32 %h1, %r1; mul.wide.u16 %r11, %h1, 64; setp.lt.u32 %p1, %r11, 700; cvt.s64.s32 %rd12, %r11;"
      "shl.b64 %rd13, %rd12, 2; add.s64 %rd14, %rd1, %rd13; @%p1 st.global.u32 [%rd14+8], %r1;"
      "@!%p1 st.global.u16 [%rd14+4], %h1;");
  expect(40, 64);
}

TEST_F(Fold, DataThatIsOnlyComputedAndStoredIsNotFollowed) {
  load("mov.u32 %r10, %r4; mul.wide.s32 %rd10, %r10, 4; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r20, "
       "[%rd11];"
       "mul.lo.u32 %r21, %r20, %r20; xor.b32 %r22, %r21, %r1; setp.gt.u32 %p2, %r22, 5; selp.b32 %r23, %r20, "
       "%r22, %p2;"
       "st.global.u32 [%rd11], %r23;");
  EXPECT_EQ(expect(64, 64).classes, 1u);
}

TEST_F(Fold, TwoDimensions) {
  load("mov.u32 %r11, %ctaid.y; mov.u32 %r12, %tid.y; mov.u32 %r13, %ntid.y; mad.lo.s32 %r14, %r11, %r13, "
       "%r12;"
       "setp.ge.s32 %p1, %r4, %r5; setp.ge.s32 %p2, %r14, 77; or.pred %p3, %p1, %p2; @%p3 bra DONE;"
       "mad.lo.s32 %r10, %r14, %r5, %r4;" +
       std::string(store_at_r10) + "DONE:");
  // Four places of a row of 64 bytes in 256; full rows, the row with the edge, and those past it.
  EXPECT_EQ(expect({20, 10, 1}, {16, 16, 1}, 16 * 20).classes, 9u);
  expect({20, 10, 1}, {16, 16, 1}, 16 * 20 - 5);
  expect({5, 5, 1}, {32, 8, 1}, 150);
}

TEST_F(Fold, ThreeDimensionsAndSharedMemory) {
  load(".shared .b32 tile[64]; mov.u32 %r11, %ctaid.y; mov.u32 %r12, %ctaid.z; mov.u32 %r13, %nctaid.x;"
       "mov.u32 %r14, %nctaid.y; mad.lo.u32 %r15, %r12, %r14, %r11; mad.lo.u32 %r16, %r15, %r13, %r1;"
       "mov.u32 %r17, tile; mad.lo.u32 %r18, %r2, 4, %r17; st.shared.u32 [%r18], %r16; bar.sync 0;"
       "xor.b32 %r19, %r2, 1; mad.lo.u32 %r20, %r19, 4, %r17; ld.shared.u32 %r21, [%r20];"
       "mad.lo.u32 %r10, %r16, 64, %r2; mul.wide.u32 %rd10, %r10, 4; add.s64 %rd11, %rd1, %rd10;"
       "red.global.add.u32 [%rd11], %r21;");
  EXPECT_EQ(expect({5, 4, 3}, 64).classes, 1u);
}

TEST_F(Fold, LinearIndexOverATwoDimensionalGridEndsInTheMiddleOfARow) {
  load("mov.u32 %r11, %ctaid.y; mov.u32 %r12, %nctaid.x; mad.lo.u32 %r13, %r11, %r12, %r1;"
       "mad.lo.u32 %r10, %r13, %r3, %r2; setp.ge.u32 %p1, %r10, %r5; @%p1 bra DONE;" +
       std::string(store_at_r10) + "DONE:");
  EXPECT_LE(expect({10, 20, 1}, 64, 64 * 133 + 5).classes, 8u);
}

TEST_F(Fold, NothingIsWritten) {
  load("mov.u32 %r10, %r4;" + std::string(store_at_r10) + "red.global.add.u32 [%rd11], 1;");
  Counted counted = count_folded(gpu, Launch{"k", 16, 64, {buffer, 0}});
  EXPECT_EQ(counted.rejected, "");
  EXPECT_EQ(gpu.read<u32>(buffer, words), std::vector<u32>(words));
  ASSERT_EQ(counted.memory.size(), 1u);
  EXPECT_EQ(counted.memory[0].range.begin, buffer);
  EXPECT_TRUE(counted.memory[0].written);
  EXPECT_TRUE(counted.memory[0].read); // an atomic reads, too
}

struct Refusal {
  const char* name;
  const char* body;
  const char* reason; // part of it
};
const Refusal refusals[] = {
    {"address",
     "mul.wide.s32 %rd10, %r4, 4; add.s64 %rd11, %rd1, %rd10; ld.global.u32 %r10, [%rd11];"
     "mul.wide.u32 %rd12, %r10, 4; add.s64 %rd13, %rd1, %rd12; st.global.u32 [%rd13], %r2;",
     "the address at PTX line"},
    {"branch",
     "ld.global.u32 %r10, [%rd1]; setp.eq.u32 %p1, %r10, 0; @%p1 bra A; st.global.u32 [%rd1], %r2; A:",
     "depends on data loaded at PTX line"},
    {"guard", "ld.global.u32 %r10, [%rd1]; setp.eq.u32 %p1, %r10, 0; @%p1 st.global.u32 [%rd1], %r2;",
     "whether an instruction is performed"},
    {"guarded halves",
     "ld.global.u32 %r10, [%rd1]; setp.eq.u32 %p1, %r10, 0; mov.u64 %rd12, 0; mov.b64 {%r11, %r12}, %rd12;"
     "mov.u64 %rd13, 8; @%p1 mov.b64 {%r11, %r12}, %rd13; cvt.u64.u32 %rd10, %r11; add.s64 %rd11, %rd1, "
     "%rd10;"
     "st.global.u32 [%rd11], %r2;",
     "the address at PTX line"},
    {"atomic",
     "atom.global.add.u32 %r10, [%rd1], 1; mul.wide.u32 %rd12, %r10, 4; add.s64 %rd13, %rd1, %rd12;"
     "st.global.u32 [%rd13], %r2;",
     "the result of the atomic"},
    {"clock",
     "mov.u32 %r10, %clock; setp.eq.u32 %p1, %r10, 0; @%p1 bra A; st.global.u32 [%rd1], %r2; A:", "a clock"},
    {"processor",
     "mov.u32 %r10, %smid; mul.wide.u32 %rd12, %r10, 4; add.s64 %rd13, %rd1, %rd12;"
     "st.global.u32 [%rd13], %r2;",
     "multiprocessor's number"},
    {"product",
     "mul.lo.u32 %r10, %r1, %r1; mul.wide.u32 %rd12, %r10, 4; add.s64 %rd13, %rd1, %rd12;"
     "st.global.u32 [%rd13], %r2;",
     "a computation that is not followed"},
    {"shared",
     ".shared .b32 s[32]; mov.u32 %r11, s; st.shared.u32 [%r11], %r1; bar.sync 0; ld.shared.u32 %r12, [%r11];"
     "setp.eq.u32 %p1, %r12, 3; @%p1 bra A; st.global.u32 [%rd1], %r2; A:",
     "depends on data loaded"},
    {"outside", "mul.wide.u32 %rd12, %r1, 67108864; add.s64 %rd13, %rd1, %rd12; st.global.u32 [%rd13], %r2;",
     "outside every allocation"},
    {"trap", "setp.eq.u32 %p1, %r1, 3; @%p1 trap;", "trap"},
};

TEST_F(Fold, RefusesWithTheReason) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.name);
    Gpu fresh;
    ASSERT_TRUE(fresh.load(kernel(refusal.body)));
    u64 memory = fresh.buffer(std::vector<u32>(1 << 14));
    Counted counted = count_folded(fresh, Launch{"k", 64, 32, {memory, 0}}, 32);
    EXPECT_NE(counted.rejected, "");
    EXPECT_NE(counted.rejected.find(refusal.reason), std::string::npos) << counted.rejected;
  }
}

TEST_F(Fold, NumbersThatWrapRoundTheirRegister) {
  // 16 bits: 400 · block passes 65536 in block 164.
  load("mul.lo.u32 %r11, %r1, 400; cvt.u16.u32 %h1, %r11; mul.wide.u16 %r10, %h1, 2; add.u32 %r10, %r10, "
       "%r2;" +
       std::string(store_at_r10));
  expect(400, 64);
  // 32 bits, unsigned: block - 5 is huge in the first five blocks.
  load("sub.u32 %r11, %r1, 5; setp.lt.u32 %p1, %r11, 20; @!%p1 bra DONE; mov.u32 %r10, %r4;" +
       std::string(store_at_r10) + "DONE:");
  EXPECT_EQ(expect(64, 64).classes, 3u);
  // Shifted as an unsigned number, and as a signed one.
  load("sub.u32 %r11, %r1, 5; shr.u32 %r12, %r11, 20; shr.s32 %r13, %r11, 1; add.u32 %r10, %r12, %r13;"
       "add.u32 %r10, %r10, 16; add.u32 %r10, %r10, %r2;" +
       std::string(store_at_r10));
  expect(40, 64);
  // Widened: negative offsets from the middle of the buffer.
  load("sub.s32 %r11, 12, %r1; mul.wide.s32 %rd10, %r11, 1028; add.s64 %rd11, %rd1, %rd10;"
       "st.global.u32 [%rd11+65536], %r2; cvt.u64.u32 %rd12, %r11; and.b64 %rd13, %rd12, 0xfff00;"
       "add.s64 %rd14, %rd1, %rd13; st.global.u32 [%rd14], %r2;");
  expect(40, 64);
}

// What nvcc makes of 64-bit divisions: the 32-bit one where both numbers have 32 bits.
TEST_F(Fold, DivisionsThatLookForShortNumbers) {
  load("cvt.u64.u32 %rd10, %r4; cvt.u64.u32 %rd11, %r5; or.b64 %rd12, %rd10, %rd11;"
       "and.b64 %rd13, %rd12, -4294967296; setp.eq.s64 %p1, %rd13, 0; @%p1 bra SHORT;"
       "div.u64 %rd14, %rd10, %rd11; bra JOIN;"
       "SHORT: cvt.u32.u64 %r11, %rd10; cvt.u32.u64 %r12, %rd11; div.u32 %r13, %r11, %r12; cvt.u64.u32 "
       "%rd14, %r13;"
       "JOIN: cvt.u32.u64 %r14, %rd14; shl.b32 %r14, %r14, 6; add.u32 %r10, %r14, %r2;" +
       std::string(store_at_r10));
  EXPECT_LE(expect(64, 64, 1024).classes, 2u);
  expect(100, 64, 1000);
}

// Tiles in groups of rows, as matrix multiplications number their blocks for the cache's sake.
TEST_F(Fold, GroupedTiles) {
  load("div.u32 %r11, %r1, 256; mul.lo.u32 %r12, %r11, 8; sub.u32 %r13, 60, %r12; min.u32 %r14, %r13, 8;"
       "rem.u32 %r15, %r1, 256; rem.u32 %r16, %r15, %r14; div.u32 %r17, %r15, %r14; add.u32 %r18, %r12, %r16;"
       "mad.lo.u32 %r10, %r18, 4096, %r2; mad.lo.u32 %r10, %r17, 64, %r10;" +
       std::string(store_at_r10));
  EXPECT_LE(expect(32 * 60, 64).classes, 2u);
}

TEST_F(Fold, RemaindersThatFall) {
  load(
      "sub.u32 %r11, 4003, %r1; shr.u32 %r12, %r11, 3; and.b32 %r13, %r11, 7; mad.lo.u32 %r10, %r12, 9, %r13;"
      "add.u32 %r10, %r10, %r2;" +
      std::string(store_at_r10));
  expect(100, 64);
  load("mul.lo.u32 %r11, %r1, 255; shr.u32 %r10, %r11, 8; add.u32 %r10, %r10, %r2;" +
       std::string(store_at_r10));
  expect(600, 64);
}

// What lies past either end of an allocation is warned of in a full run: no CTA may get there unseen.
TEST_F(Fold, NoBlockLeavesItsAllocation) {
  for (const char* index : {"sub.s32 %r11, 10, %r1;", "add.s32 %r11, %r1, 4090;"}) {
    Gpu fresh;
    ASSERT_TRUE(fresh.load(
        kernel(index + std::string("shl.b32 %r11, %r11, 6; add.s32 %r10, %r11, %r2;") + store_at_r10)));
    u64 memory = fresh.buffer(std::vector<u32>(4096 * 64));
    EXPECT_NE(count_folded(fresh, Launch{"k", 40, 64, {memory, 0}}).rejected.find("outside every allocation"),
              std::string::npos);
    EXPECT_EQ(count_folded(fresh, Launch{"k", 6, 64, {memory, 0}}).rejected, "");
  }
}

const char* const function_of_index = R"(
.func (.param .b32 result) index_of(.param .b32 row, .param .b32 column, .param .b32 width) {
.reg .b32 %r<5>; .reg .pred %p<2>;
ld.param.u32 %r1, [row]; ld.param.u32 %r2, [column]; ld.param.u32 %r3, [width];
mad.lo.s32 %r4, %r3, %r1, %r2; setp.lt.s32 %p1, %r4, 4000; @%p1 bra INSIDE;
st.param.b32 [result], 64; ret;
INSIDE: st.param.b32 [result], %r4; ret;
}
)";

// Indices go through a call that is made twice, by lanes that return at different places.
TEST_F(Fold, ArgumentsAndResultsOfCalls) {
  std::string text = kernel("{ .param .b32 a; .param .b32 b; .param .b32 c; .param .b32 back;"
                            "st.param.b32 [a], %r1; st.param.b32 [b], %r2; st.param.b32 [c], %r5;"
                            "call (back), index_of, (a, b, c); ld.param.b32 %r10, [back]; }" +
                            std::string(store_at_r10) +
                            "{ .param .b32 a; .param .b32 b; .param .b32 c; .param .b32 back;"
                            "st.param.b32 [a], %r2; st.param.b32 [b], %r10; st.param.b32 [c], 64;"
                            "call (back), index_of, (a, b, c); ld.param.b32 %r10, [back]; }" +
                            store_at_r10);
  ASSERT_TRUE(gpu.load(text.insert(text.find(".visible .entry"), function_of_index)));
  buffer = gpu.buffer(std::vector<u32>(words));
  expect(40, 64, 64);
  expect(40, 64, 100);
}

// Constants are known while nobody is going to write them.
TEST_F(Fold, ConstantsMayDecideUnlessTheyAreWritten) {
  const std::string reads = "ld.const.u32 %r20, [limit]; setp.lt.u32 %p1, %r1, %r20; @!%p1 bra DONE;"
                            "mov.u32 %r10, %r4;" +
                            std::string(store_at_r10) + "DONE:";
  const std::string writes = "mov.u64 %rd20, limit; cvta.const.u64 %rd20, %rd20; st.global.u32 [%rd20], 5;";
  auto module = [&](const std::string& body) {
    std::string text = kernel(body);
    return text.insert(text.find(".visible .entry"), ".visible .const .align 4 .u32 limit = 9;\n");
  };
  ASSERT_TRUE(gpu.load(module(reads)));
  buffer = gpu.buffer(std::vector<u32>(words));
  EXPECT_EQ(expect(40, 64).classes, 2u);
  fold::FoldOptions options;
  options.pending = [&](sim::Memory::Range range) {
    return range.covers(gpu.program->symbol("limit")->address, 4);
  };
  std::vector<std::byte> parameters = pack(gpu.program->info(*gpu.program->kernel("k")), {buffer, 0});
  auto pending =
      fold::fold_launch(gpu.device, *gpu.program,
                        {*gpu.program->kernel("k"), Size(40), Size(64), {}, 0, parameters}, {}, options);
  ASSERT_FALSE(pending);
  EXPECT_NE(pending.error().find("a constant has still to be written"), std::string::npos) << pending.error();

  ASSERT_TRUE(gpu.load(module(reads + writes)));
  EXPECT_EQ(count_folded(gpu, Launch{"k", 40, 64, {buffer, 0}}).rejected,
            "it writes to constant memory that it reads");
}

TEST_F(Fold, GivesUpEarlyWhenEveryBlockDiffers) {
  load("mov.u32 %r11, 0; LOOP: setp.gt.u32 %p1, %r11, %r1; @%p1 bra DONE; add.u32 %r11, %r11, 1; bra LOOP; "
       "DONE:"
       "mov.u32 %r10, %r2;" +
       std::string(store_at_r10));
  u32 tries = 0;
  fold::FoldOptions options;
  options.begin = [&]() -> access::Sink* { return ++tries, nullptr; };
  std::vector<std::byte> parameters = pack(gpu.program->info(*gpu.program->kernel("k")), {buffer, 0});
  auto folded =
      fold::fold_launch(gpu.device, *gpu.program,
                        {*gpu.program->kernel("k"), Size(100000), Size(64), {}, 0, parameters}, {}, options);
  ASSERT_FALSE(folded);
  EXPECT_LE(tries, 20u);
}

} // namespace
} // namespace warplens
