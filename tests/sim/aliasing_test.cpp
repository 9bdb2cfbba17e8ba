// Registers that lie in memory (src/sim/lower/aliasing.cpp): only where nothing can come between, and never with
// another result.
#include "sim/exec/exec.h"
#include "sim/harness.h"
#include "sim/program/program.h"
#include <algorithm>
#include <functional>
#include <numeric>

namespace warplens::sim {
namespace {

// One kernel over out, in: every thread has its own 4 bytes of each in %rd1 and %rd2; `body` sees f32 %f<9>.
std::string kernel(const std::string& body) {
  return ptx_header() + R"(
.visible .entry k(.param .u64 o, .param .u64 i)
{
  .reg .f32 %f<9>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p<3>;
  ld.param.u64 %rd3, [o];
  ld.param.u64 %rd4, [i];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd5, %r4, 4;
  add.u64 %rd1, %rd3, %rd5;
  add.u64 %rd2, %rd4, %rd5;
)" + body +
         "\n  ret;\n}\n";
}

class Borrows : public testing::Test, public Gpu {
protected:
  static constexpr u32 threads = 128, ctas = 5, count = threads * ctas;
  // How many loads and how many results are marked.
  using Marks = std::pair<std::ptrdiff_t, std::ptrdiff_t>;
  Marks marks(const std::string& body) {
    EXPECT_TRUE(load(kernel(body)));
    const std::vector<Op>& all = program->impl().code_of(*program->kernel("k")).ops;
    auto may_alias = std::count_if(all.begin(), all.end(), [](const Op& op) { return op.may_alias; });
    auto loads = std::count_if(all.begin(), all.end(),
                               [](const Op& op) { return op.may_alias && op.kind() == OpKind::load; });
    return {loads, may_alias - loads};
  }
  std::ptrdiff_t marked(const std::string& body) { return marks(body).first; }
  static std::vector<float> numbers(float first) {
    std::vector<float> out(count + 1);
    std::iota(out.begin(), out.end(), first);
    return out;
  }
  // Runs the kernel marked() loaded: out[i] must be `expected` of i, and `in` what it was where `keeps`.
  template <class F> void expect(F&& expected, bool keeps = true, u32 block = threads) {
    u64 out = buffer(numbers(-1000)), in = buffer(numbers(0));
    expect_run("k", {count / block}, {block}, {out, in});
    std::vector<float> got = read<float>(out, count);
    for (u32 i = 0; i < count; ++i) ASSERT_EQ(got[i], expected(i)) << i;
    if (keeps) {
      EXPECT_EQ(read<float>(in, count + 1), numbers(0));
    }
  }
};

TEST_F(Borrows, ALoadWithOneReaderNearby) {
  EXPECT_EQ(
      marked(
          "ld.global.f32 %f1, [%rd2];\n ld.global.f32 %f2, [%rd1];\n fma.rn.f32 %f3, %f1, 0f40000000, %f2;\n"
          "st.global.f32 [%rd1], %f3;"),
      2);
  expect([](u32 i) { return 2.0f * i + (i - 1000.0f); });
}

TEST_F(Borrows, NothingWritesIntoWhatARegisterPointsAt) {
  EXPECT_EQ(marked("ld.global.f32 %f1, [%rd2];\n add.f32 %f2, %f1, 0f3f800000;\n mul.f32 %f3, %f2, %f2;\n"
                   "add.f32 %f4, %f3, %f2;\n ld.global.f32 %f5, [%rd1];\n sub.f32 %f6, %f5, %f4;\n"
                   "add.f32 %f7, %f6, %f4;\n sub.f32 %f8, %f7, %f5;\n st.global.f32 [%rd1], %f4;"),
            1)
      << "%f5 has two readers";
  expect([](u32 i) { return (i + 1.0f) * (i + 1.0f) + (i + 1.0f); });
}

// The next thread's cell is overwritten before the reader comes.
TEST_F(Borrows, NotAcrossAStore) {
  EXPECT_EQ(
      marked("ld.global.f32 %f1, [%rd2];\n st.global.f32 [%rd2+4], 0f42280000;\n add.f32 %f2, %f1, %f1;\n"
             "st.global.f32 [%rd1], %f2;"),
      0);
  // 32 threads are one warp, whose loads all come before its stores; the other warps' order is open.
  u64 out = buffer(numbers(0)), in = buffer(numbers(0));
  expect_run("k", {1}, {32}, {out, in});
  std::vector<float> got = read<float>(out, 32);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(got[i], 2.0f * i);
}

TEST_F(Borrows, NotAcrossWhatOrdersMemory) {
  for (const char* between :
       {"bar.sync 0;", "membar.gl;", "atom.global.add.u32 %r5, [%rd1], 0;", "red.global.add.u32 [%rd1], 0;",
        "ld.acquire.gpu.global.u32 %r5, [%rd1];", "bar.warp.sync 0xffffffff;"})
    EXPECT_EQ(marked("ld.global.f32 %f1, [%rd2];\n" + std::string(between) +
                     "\n add.f32 %f2, %f1, %f1;\n st.global.f32 [%rd1], %f2;"),
              0)
        << between;
  for (const char* load : {"ld.volatile.global.f32 %f1, [%rd2];", "ld.relaxed.gpu.global.f32 %f1, [%rd2];",
                           "@%p1 ld.global.f32 %f1, [%rd2];"})
    EXPECT_EQ(marked(std::string(load) + "\n add.f32 %f2, %f1, 0f3f800000;\n st.global.f32 [%rd1], %f2;"), 0)
        << load;
}

TEST_F(Borrows, NotForTwoReadersNorIntoAnotherBlock) {
  EXPECT_EQ(marked("ld.global.f32 %f1, [%rd2];\n add.f32 %f2, %f1, %f1;\n st.global.f32 [%rd1], %f2;"), 0);
  EXPECT_EQ(marked("ld.global.u64 %rd6, [%rd4];\n mov.b64 {%r5, %r6}, %rd6;\n add.u32 %r7, %r5, %r6;\n"
                   "st.global.u32 [%rd1], %r7;"),
            0)
      << "the halves are read one after the other";
  EXPECT_EQ(marked("ld.global.f32 %f1, [%rd2];\n setp.ne.u32 %p1, %r4, 7;\n @%p1 bra L;\n"
                   "add.f32 %f2, %f1, 0f3f800000;\n st.global.f32 [%rd1], %f2;\nL:"),
            0);
}

// A result is made where the next op stores it. Here that is where its operand lies, lane by lane.
TEST_F(Borrows, AResultInPlace) {
  EXPECT_EQ(marks("ld.global.f32 %f1, [%rd2];\n add.f32 %f2, %f1, 0f3f800000;\n st.global.f32 [%rd2], %f2;"),
            Marks(1, 1));
  u64 out = buffer(numbers(0)), in = buffer(numbers(0));
  expect_run("k", {ctas}, {threads}, {out, in});
  std::vector<float> expected = numbers(1);
  expected.back() = static_cast<float>(count); // beyond the last thread
  EXPECT_EQ(read<float>(in, count + 1), expected);
}

// Or its operand lies across it, one lane on or back; the threads of a warp all load before any stores.
TEST_F(Borrows, AResultAcrossItsOperands) {
  struct Case {
    const char* body;
    std::function<float(float)>
        stored; // by the thread that loaded this first; none: swapped with a neighbour
    u32 place;  // where, from the thread's own
  };
  const Case cases[] = {
      {"ld.global.f32 %f1, [%rd2];\n add.f32 %f2, %f1, 0f40000000;\n st.global.f32 [%rd2+4], %f2;",
       [](float x) { return x + 2; }, 1},
      {"ld.global.f32 %f1, [%rd2+4];\n add.f32 %f2, %f1, 0f40000000;\n st.global.f32 [%rd2], %f2;",
       [](float x) { return x + 2; }, 0},
      {"ld.global.f32 %f1, [%rd2];\n ld.global.f32 %f2, [%rd2+4];\n add.f32 %f3, %f1, %f2;\n"
       "st.global.f32 [%rd2+4], %f3;",
       [](float x) { return x + x + 1; }, 1},
      {"ld.global.f32 %f1, [%rd2];\n st.global.f32 [%rd2+4], %f1;", [](float x) { return x; }, 1},
      {"ld.global.f32 %f1, [%rd2+4];\n st.global.f32 [%rd2], %f1;", [](float x) { return x; }, 0},
      {"xor.b32 %r5, %r4, 1;\n mad.wide.u32 %rd6, %r5, 4, %rd4;\n"
       "ld.global.f32 %f2, [%rd2];\n st.global.f32 [%rd6], %f2;",
       {},
       0}};
  for (const Case& c : cases) {
    ASSERT_TRUE(load(kernel(c.body)));
    std::vector<float> expected = numbers(0);
    u64 out = buffer(expected), in = buffer(expected);
    expect_run("k", {1}, {32}, {out, in});
    for (u32 i = 0; i < 32; ++i) {
      if (!c.stored)
        expected[i ^ 1] = static_cast<float>(i);
      else
        expected[i + c.place] = c.stored(static_cast<float>(c.place == 0 ? i + 1 : i));
    }
    EXPECT_EQ(read<float>(in, count + 1), expected) << c.body;
  }
}

TEST_F(Borrows, AResultThatMayNotBeStored) {
  ASSERT_TRUE(load(
      kernel("ld.global.f32 %f1, [%rd2];\n add.f32 %f2, %f1, 0f3f800000;\n st.global.f32 [%rd1], %f2;")));
  std::vector<float> before(16, -1);
  u64 out = buffer(before), in = buffer(numbers(0));
  LaunchOptions strict;
  strict.strict_memory = true;
  LaunchResult result = run("k", {1}, {32}, {out, in}, strict);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->thread.x, 16u);
  EXPECT_EQ(read<float>(out, 16), before);
}

// A load through what another load left in memory: both could use one slot.
TEST_F(Borrows, AnAddressThatLiesInMemory) {
  EXPECT_EQ(marked("mad.wide.u32 %rd1, %r4, 8, %rd3;\n mad.wide.u32 %rd2, %r4, 8, %rd4;\n"
                   "ld.global.u64 %rd6, [%rd2];\n ld.global.u64 %rd7, [%rd6];\n add.u64 %rd8, %rd7, 1;\n"
                   "st.global.u64 [%rd1], %rd8;"),
            2);
  std::vector<u64> numbers(count), pointers(count);
  std::iota(numbers.begin(), numbers.end(), 100);
  u64 at = buffer(numbers);
  for (u32 i = 0; i < count; ++i) pointers[i] = at + u64{i} * 7 % count * 8;
  u64 out = buffer(std::vector<u64>(count)), in = buffer(pointers);
  expect_run("k", {ctas}, {threads}, {out, in});
  std::vector<u64> got = read<u64>(out, count);
  for (u32 i = 0; i < count; ++i) ASSERT_EQ(got[i], 101 + i * 7 % count) << i;
  EXPECT_EQ(read<u64>(in, count), pointers);
}

// Lanes that are missing lie in the same allocation and are not read; blocks of odd widths copy.
TEST_F(Borrows, UnderAMask) {
  EXPECT_EQ(marked("setp.ge.u32 %p1, %r4, 600;\n @%p1 bra L;\n ld.global.f32 %f1, [%rd2];\n"
                   "add.f32 %f2, %f1, 0f3f800000;\n st.global.f32 [%rd1], %f2;\nL:"),
            1);
  for (u32 block : {threads, 40u, 32u})
    expect([](u32 i) { return i < 600 ? i + 1.0f : i - 1000.0f; }, true, block);
}

} // namespace
} // namespace warplens::sim
