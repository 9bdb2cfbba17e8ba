// Hand-written PTX at the edges: guards on every family, widths, named barriers that cannot complete, modules
// that ask for more than any device has. Whatever is wrong comes back as a Fault or a diagnostic, never as a
// crash.
#include "sim/harness.h"
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace warplens::sim {
namespace {

LaunchOptions limited(u32 workers = 0) {
  LaunchOptions options;
  options.workers = workers;
  options.time_limit = patience;
  return options;
}

// A kernel k(out) whose body may use %rd0 (out + 4·tid), %r0 (tid), %p0 (tid odd) and registers 1 to 15 of
// each kind; what %r1 holds at its end is stored.
std::string kernel(const std::string& body, const std::string& before = {},
                   const std::string& target = "sm_80") {
  return ".version 8.8\n.target " + target + "\n.address_size 64\n" + before + R"(
.visible .entry k(.param .u64 k_out) {
  .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<16>;
  ld.param.u64 %rd0, [k_out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd0, %rd0, %rd1;
  and.b32 %r1, %r0, 1;
  setp.ne.u32 %p0, %r1, 0;
  mov.u32 %r1, 5;
)" + body +
         R"(
  st.global.u32 [%rd0], %r1;
  ret;
}
)";
}

class Robust : public testing::Test {
protected:
  // What 64 threads store; the fault's kind of diagnostic, or that of a failed load.
  std::vector<u32> run(const std::string& ptx, Dim3 block = {64}) {
    Gpu gpu;
    fault = {};
    auto parsed = ptx::parse(ptx);
    if (!parsed) {
      fault = "parse: " + diag::render(parsed.error(), ptx);
      return {};
    }
    auto loaded = Program::load(std::move(parsed->module), gpu.device);
    if (!loaded) {
      fault = "load: " + loaded.error().message;
      return {};
    }
    gpu.program = std::move(*loaded);
    u64 out = gpu.buffer(std::vector<u32>(1024));
    LaunchResult result = gpu.run("k", {1}, block, {out}, limited());
    if (result.fault) fault = result.fault->diagnostic.kind + ": " + result.fault->diagnostic.message;
    return gpu.read<u32>(out, block.count());
  }
  std::string fault;
};

TEST_F(Robust, GuardsOnEveryFamily) {
  struct Case {
    const char* body;
    u32 even, odd;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"@%p0 mov.u32 %r1, 9;", 5, 9},
           {"@!%p0 mov.u32 %r1, %laneid; and.b32 %r1, %r1, 1;", 0, 1},
           {"@%p0 add.u32 %r1, %r1, 3;", 5, 8},
           {"@%p0 mov.u32 %r1, %ctaid.x;", 5, 0},
           {"@%p0 activemask.b32 %r1;", 5, 0xaaaaaaaa},
           {"@%p0 vote.sync.ballot.b32 %r1, %p0, 0xaaaaaaaa;", 5, 0xaaaaaaaa},
           {"@%p0 redux.sync.add.u32 %r1, %r1, 0xaaaaaaaa;", 5, 80},
           {"@%p0 match.any.sync.b32 %r1, %r1, 0xaaaaaaaa;", 5, 0xaaaaaaaa},
           {"mov.b64 %rd2, {%r1, %r1}; @%p0 mov.b64 {%r1, _}, %rd0; @%p0 and.b32 %r1, %r1, 3;", 5, 0},
           {"mov.b16 %h1, 7; @%p0 cvt.u32.u16 %r1, %h1;", 5, 7},
           {"st.global.u32 [%rd0], 3; @%p0 ld.global.u32 %r1, [%rd0];", 5, 3},
           {"st.global.u32 [%rd0], 3; @%p0 st.global.u32 [%rd0], 4; ld.global.u32 %r1, [%rd0];", 3, 4},
           {"st.global.u32 [%rd0], 3; @%p0 atom.global.add.u32 %r1, [%rd0], 8;", 5, 3},
           {"st.global.u32 [%rd0], 3; @%p0 red.global.add.u32 [%rd0], 8; ld.global.u32 %r1, [%rd0];", 3, 11},
           {"@%p0 bra L; mov.u32 %r1, 6; L:", 6, 5},
           {"@%p0 bar.red.popc.u32 %r1, 0, 64, %p0; @!%p0 bar.arrive 0, 64;", 5, 32},
           {"st.global.u32 [%rd0], 2; @%p0 ret;", 5, 2},
           {"st.global.u32 [%rd0], 2; @%p0 exit;", 5, 2}}) {
    std::vector<u32> got = run(kernel(c.body));
    ASSERT_EQ(fault, "") << c.body;
    for (u32 t = 0; t < 64; ++t) ASSERT_EQ(got[t], t % 2 ? c.odd : c.even) << c.body << " thread " << t;
  }
}

TEST_F(Robust, WidthsOfLoads) {
  std::string data =
      ".global .align 32 .b8 data[32] = {0x81, 0x92, 0xa3, 0xb4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};\n";
  struct Case {
    const char* body;
    u32 value;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"ld.global.u8 %r1, [data];", 0x81},
           {"ld.global.s8 %r1, [data];", 0xffffff81},
           {"ld.global.s8 %rd2, [data]; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r1, %rd2;", 0xffffffff},
           {"ld.global.s16 %r1, [data+2];", 0xffffb4a3},
           {"ld.global.s8 %h1, [data]; cvt.u32.u16 %r1, %h1;", 0xff81},
           {"ld.global.s32 %rd2, [data]; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r1, %rd2;", 0xffffffff},
           {"ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [data]; shl.b32 %r4, %r4, 8; or.b32 %r1, %r1, %r4;",
            0xb481},
           {"ld.global.v2.u64 {_, %rd2}, [data]; cvt.u32.u64 %r1, %rd2;", 0x08070605},
           {"ld.global.v8.b32 {_, _, _, %r1, _, _, _, _}, [data];", 0x0c0b0a09},
           {"mov.b64 %rd2, 0x1234567890; st.global.u8 [data+20], %rd2; ld.global.u32 %r1, [data+20];",
            0x90}}) {
    std::vector<u32> got = run(kernel(c.body, data, "sm_100"));
    ASSERT_EQ(fault, "") << c.body;
    for (u32 t = 0; t < 64; ++t) ASSERT_EQ(got[t], c.value) << c.body;
  }
}

TEST_F(Robust, ParametersThroughRegisters) {
  std::vector<u32> got = run(kernel("mov.u64 %rd2, k_out; ld.param.u32 %r1, [%rd2+4]; ld.param.u32 %r2, "
                                    "[k_out+4]; sub.u32 %r1, %r1, %r2;"));
  EXPECT_EQ(fault, "");
  EXPECT_EQ(got[3], 0u);
  run(kernel("mov.u64 %rd2, 6; ld.param.u32 %r1, [%rd2];"));
  EXPECT_NE(fault.find("misaligned"), std::string::npos) << fault;
  run(kernel("mov.u64 %rd2, 4096; ld.param.u32 %r1, [%rd2];"));
  EXPECT_NE(fault.find("parameter memory"), std::string::npos) << fault;
}

TEST_F(Robust, TablesOfBranches) {
  std::string table = "T: .branchtargets A, B; and.b32 %r2, %r0, 3; brx.idx %r2, T; bra C; A: mov.u32 %r1, "
                      "10; bra C; B: mov.u32 %r1, 11; C:";
  std::vector<u32> got = run(kernel(table));
  EXPECT_EQ(fault, "");
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], t % 4 == 0 ? 10 : t % 4 == 1 ? 11 : 5);
}

// A state machine whose only way back is the table.
TEST_F(Robust, LoopsThroughTables) {
  std::vector<u32> got = run(kernel("T: .branchtargets A, B; A: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, "
                                    "%r0; selp.u32 %r2, 1, 0, %p1; brx.idx %r2, T; B:"));
  EXPECT_EQ(fault, "");
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], std::max(6u, t + 1));
  LaunchOptions options;
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel("T: .branchtargets A, B; A: xor.b32 %r1, %r1, 1; and.b32 %r2, %r0, 1; xor.b32 "
                              "%r2, %r2, %r1; and.b32 %r2, %r2, 1; B: brx.idx %r2, T;")));
  options.time_limit = std::chrono::milliseconds(200);
  LaunchResult result = gpu.run("k", {1}, {64}, {gpu.buffer(std::vector<u32>(64))}, options);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::timeout);
}

TEST_F(Robust, BarriersThatCannotComplete) {
  struct Case {
    const char *body, *says;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 0;", ""}, // the others end
                                   {"@%p0 bar.sync 0; @!%p0 bar.sync 1;", "kernel-deadlock"},
                                   {"mov.u32 %r2, 16; bar.sync %r2;", "kernel-bad-barrier"},
                                   {"bar.sync 0, 33;", "kernel-bad-barrier"},
                                   {"bar.sync 1, 96;", "kernel-deadlock"}, // of 64
                                   {"setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 1;", ""},
                                   {"setp.lt.u32 %p1, %r0, 40; @%p1 ret; bar.sync 1, 32;", ""},
                                   {"setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 1, 64;", "kernel-deadlock"},
                                   {"setp.lt.u32 %p1, %r0, 32; @%p1 ret; bar.sync 1, 96;", "kernel-deadlock"},
                                   {"trap;", "kernel-trap"}}) {
    run(kernel(c.body));
    EXPECT_EQ(fault.substr(0, fault.find(':')), c.says) << c.body << "\n" << fault;
  }
  run(kernel("bar.sync 1, 64;"), {48}); // whole warps
  EXPECT_EQ(fault, "");
}

// A register says which: warps 0 and 2 meet at one, 1 and 3 at another.
TEST_F(Robust, ThreadsMeetAtTheBarrierThatTheyName) {
  const std::vector<u32> got =
      run(kernel("shr.u32 %r2, %r0, 5; and.b32 %r2, %r2, 1; add.u32 %r2, %r2, 1; mov.u32 %r3, 64; "
                 "and.b32 %r4, %r0, 31; setp.gt.u32 %p1, %r4, %r2; "
                 "bar.red.popc.u32 %r1, %r2, %r3, %p1;"),
          {128});
  EXPECT_EQ(fault, "");
  for (u32 t = 0; t < 128; ++t) EXPECT_EQ(got[t], t / 32 % 2 == 0 ? 60u : 58u) << t;
}

// An access of each kind and width whose end is the end of the address space, or which begins at its begin; by all
// threads at one address, by addresses in a row, by few lanes, by lanes anywhere.
TEST_F(Robust, BothEndsOfTheAddressSpace) {
  struct Operation {
    const char* text;
    u32 bytes;
  };
  constexpr Operation operations[] = {
      {"ld.global.u8 %r1, [%rd2];", 1},
      {"ld.global.u16 %r1, [%rd2];", 2},
      {"ld.global.u32 %r1, [%rd2];", 4},
      {"ld.global.u64 %rd3, [%rd2];", 8},
      {"ld.global.v2.u32 {%r1, %r2}, [%rd2];", 8},
      {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];", 16},
      {"ld.global.v8.b32 {_, _, _, %r1, _, _, _, _}, [%rd2];", 32},
      {"ld.const.u32 %r1, [%rd2];", 4},
      {"ld.u32 %r1, [%rd2];", 4},
      {"ld.local.u32 %r1, [%rd2];", 4},
      {"ld.shared.u32 %r1, [%rd2];", 4},
      {"ld.param.u32 %r1, [%rd2];", 4},
      {"ld.volatile.global.u8 %r1, [%rd2];", 1},
      {"st.global.u8 [%rd2], %r1;", 1},
      {"st.global.u32 [%rd2], %r1;", 4},
      {"st.global.v4.u32 [%rd2], {%r1, %r1, %r1, %r1};", 16},
      {"st.u64 [%rd2], %rd0;", 8},
      {"st.local.u16 [%rd2], %r1;", 2},
      {"st.shared.v2.u32 [%rd2], {%r1, %r1};", 8},
      {"atom.global.add.u32 %r1, [%rd2], 1;", 4},
      {"atom.global.cas.b64 %rd3, [%rd2], 0, 1;", 8},
      {"atom.shared.exch.b32 %r1, [%rd2], 1;", 4},
      {"red.add.u32 [%rd2], 1;", 4},
  };
  // {0}: the operation, {1}: bytes, {2}: the address
  constexpr const char* forms[] = {
      "mov.u64 %rd2, {2}; {0}",
      "mov.u32 %r5, 63; sub.u32 %r5, %r5, %r0; mul.wide.u32 %rd2, %r5, {1}; sub.u64 %rd2, {2}, %rd2; {0}",
      "mul.wide.u32 %rd2, %r0, {1}; add.u64 %rd2, %rd2, {2}; {0}",
      "setp.gt.u32 %p1, %r0, 40; mov.u64 %rd2, {2}; @%p1 {0}",
      "and.b32 %r5, %r0, 15; setp.ne.u32 %p1, %r5, 3; @%p1 bra L; mov.u64 %rd2, {2}; {0} L:",
      "mul.lo.u32 %r5, %r0, %r0; and.b32 %r5, %r5, 7; mul.wide.u32 %rd2, %r5, {1}; sub.u64 %rd2, {2}, %rd2; "
      "{0}",
  };
  // In windows 0 is a good address where there is memory, and in that of the parameters there always is.
  for (const Operation& o : operations)
    for (const char* form : forms)
      for (u64 address : {u64{0} - o.bytes, u64{0}, (u64{1} << 63) - o.bytes, u64{1} << 63}) {
        if (address == 0 && std::string_view(o.text).starts_with("ld.param")) continue;
        std::string body = fmt::format(fmt::runtime(form), o.text, o.bytes, address);
        run(kernel(body, {}, "sm_100"));
        EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-illegal-address") << body << "\n" << fault;
      }
}

TEST_F(Robust, TextsAtTheEndOfTheAddressSpace) {
  run(kernel("{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd2, -1; st.param.b64 [a], %rd2; "
             "st.param.b64 [b], %rd2; call (r), vprintf, (a, b); }",
             ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"));
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-illegal-address") << fault;
}

// 128 TiB of addresses are what a process has: a reset device gives its own back.
TEST(MemoryRange, EndsWithItsDevice) {
  for (int i = 0; i < 2000; ++i) {
    Result<std::unique_ptr<Memory>> memory = Memory::create(u64{80} << 30);
    ASSERT_TRUE(memory.has_value()) << i << ": " << diag::render(memory.error());
    ASSERT_TRUE((*memory)->allocate(1000).has_value());
  }
}

TEST(MemoryRange, CoversByDistance) {
  using Range = Memory::Range;
  constexpr u64 top = ~u64{0};
  Range none, some{4096, 8192}, last{top - 99, top};
  EXPECT_FALSE(none.covers(0, 1));
  EXPECT_FALSE(none.covers(top, 1));
  EXPECT_FALSE(none.covers(top - 3, 4));
  EXPECT_TRUE(some.covers(4096, 4096));
  EXPECT_FALSE(some.covers(4096, 4097));
  EXPECT_FALSE(some.covers(4095, 1));
  EXPECT_FALSE(some.covers(8192, 1));
  EXPECT_FALSE(some.covers(5000, top - 4000)); // the end wraps into it
  EXPECT_TRUE(some.covers(4096, 8188, 4));
  EXPECT_FALSE(some.covers(4096, 8188, 5));
  EXPECT_FALSE(some.covers(0, top, 1));
  EXPECT_TRUE(last.covers(top - 99, 99));
  EXPECT_FALSE(last.covers(top - 99, 100));
}

// fib(n) calls itself twice; down(n) without end.
const char* const recursive = R"(
.func (.param .b32 result) fib (.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<6>;
  ld.param.b32 %r1, [n];
  mov.u32 %r4, %r1;
  setp.lt.s32 %p, %r1, 2;
  @%p bra DONE;
  { .param .b32 a; .param .b32 r; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (r), fib, (a); ld.param.b32 %r3, [r]; }
  { .param .b32 a; .param .b32 r; sub.u32 %r2, %r1, 2; st.param.b32 [a], %r2; call (r), fib, (a); ld.param.b32 %r4, [r]; }
  add.u32 %r4, %r4, %r3;
DONE:
  st.param.b32 [result], %r4;
  ret;
}
.func (.param .b32 result) down (.param .b32 n) {
  .reg .b32 %r<3>; .reg .b64 %m<200>;
  ld.param.b32 %r1, [n];
  { .param .b32 a; .param .b32 r; add.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (r), down, (a); ld.param.b32 %r2, [r]; }
  add.u32 %r2, %r2, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";
std::string calls(const char* function, u32 n) {
  return kernel(
      fmt::format("{{ .param .b32 a; .param .b32 r; mov.u32 %r2, {}; st.param.b32 [a], %r2; call (r), {}, "
                  "(a); ld.param.b32 %r1, [r]; }}",
                  n, function),
      recursive);
}

TEST_F(Robust, RecursionEndsInTime) {
  EXPECT_EQ(run(calls("fib", 12))[5], 144u);
  Gpu gpu;
  ASSERT_TRUE(gpu.load(calls("fib", 60)));
  u64 out = gpu.buffer(std::vector<u32>(64));
  LaunchOptions options;
  options.time_limit = std::chrono::milliseconds(200);
  LaunchResult result = gpu.run("k", {2}, {64}, {out}, options);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::timeout);
  std::atomic<bool> cancel = true;
  options = {};
  options.cancel = &cancel;
  result = gpu.run("k", {2}, {64}, {out}, options);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::cancelled);
}

TEST_F(Robust, RecursionWithoutEnd) {
  run(calls("down", 0), {1024});
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-stack-overflow") << fault;
}

// Nothing in it looks at the time, and no progress is asked for.
TEST_F(Robust, GridsOfEveryBlockThereCanBe) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel("")));
  LaunchOptions options;
  options.time_limit = std::chrono::milliseconds(200);
  LaunchResult result =
      gpu.run("k", {0x7fffffff, 65535, 65535}, {1024}, {gpu.buffer(std::vector<u32>(1024))}, options);
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FaultKind::timeout);
}

TEST_F(Robust, CallsOfWhatIsNoFunction) {
  std::string prototype = "P: .callprototype _ (); ";
  run(kernel(prototype + "mov.u64 %rd2, 1234; call %rd2, (), P;"));
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-bad-function-pointer") << fault;
  run(kernel(prototype + "mov.u64 %rd2, other; call %rd2, (), P;",
             ".visible .entry other(.param .u64 a, .param .u64 b) { ret; }\n"));
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-calls-kernel") << fault;
  run(kernel("call missing, ();", ".extern .func missing ();\n"));
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-unresolved-function") << fault;
}

TEST_F(Robust, WhatIsNotImplementedSaysSo) {
  run(kernel("multimem.red.add.global.u32 [%rd0], 1;", {}, "sm_90"));
  EXPECT_EQ(fault.substr(0, fault.find(':')), "kernel-unsupported-instruction") << fault;
}

TEST_F(Robust, ResultsThatNobodyWants) {
  for (const char* body :
       {"shfl.sync.idx.b32 _|%p1, %r0, 0, 31, -1;", "atom.global.add.u32 _, [%rd0], 1;",
        "elect.sync _|%p1, -1;", "ld.global.v2.u16 {_, %h1}, [%rd0];", "vote.sync.ballot.b32 _, %p0, -1;",
        "activemask.b32 _;", "redux.sync.add.u32 _, %r0, -1;", "match.any.sync.b32 _, %r0, -1;",
        "mov.u32 _, %tid.x;", "cvta.shared.u64 _, %rd0;", "isspacep.shared _, %rd0;",
        "bar.red.popc.u32 _, 0, %p0;", "setp.eq.u32 _|%p1, %r0, 0;", "add.u32 _, %r0, 1;"}) {
    run(kernel(body, {}, "sm_90")); // refused by the parser, or run: both are well
    EXPECT_TRUE(fault.empty() || fault.starts_with("parse")) << body << "\n" << fault;
  }
}

TEST_F(Robust, ModulesThatAskForTooMuch) {
  run(kernel("mov.u32 %r2, big; ld.shared.u8 %r1, [%r2];", ".shared .align 4 .b8 big[4000000000];\n"));
  EXPECT_NE(fault.find("shared memory"), std::string::npos) << fault;
  run(kernel("mov.u32 %r2, big; ld.shared.u8 %r1, [%r2];", ".shared .align 4 .b8 big[4294967296];\n"));
  EXPECT_NE(fault.find("shared memory"), std::string::npos) << fault;
  run(kernel(".local .align 4 .b8 big[1073741824]; mov.u64 %rd2, big; ld.local.u8 %r1, [%rd2];"), {1024});
  EXPECT_NE(fault.find("local memory"), std::string::npos) << fault;
  run(kernel("ld.global.u8 %r1, [big];", ".global .align 4 .b8 big[1099511627776];\n"));
  EXPECT_NE(fault, "");
  run(kernel("{ .param .b8 big[2000000000]; call f, (big); }",
             ".func f(.param .b8 big[2000000000]) { ret; }\n"),
      {1024});
  EXPECT_NE(fault.find("parameters"), std::string::npos) << fault;
}

// All alive at once: the sum at the end reads every one.
std::string many_registers(u32 n) {
  std::string body = fmt::format(".reg .b32 %m<{}>;\n", n);
  for (u32 i = 0; i < n; ++i) body += fmt::format("add.u32 %m{}, %r0, {};\n", i, i);
  body += "mov.u32 %r1, 0;\n";
  for (u32 i = 0; i < n; ++i) body += fmt::format("add.u32 %r1, %r1, %m{};\n", i);
  return kernel(body);
}

TEST_F(Robust, ManyRegisters) {
  std::vector<u32> got = run(many_registers(5000), {64});
  EXPECT_EQ(fault, "");
  for (u32 t = 0; t < 64; ++t) ASSERT_EQ(got[t], 5000 * t + 5000 * 4999 / 2);
  run(many_registers(300000), {1024});
  EXPECT_NE(fault.find("registers"), std::string::npos) << fault;
}

TEST_F(Robust, TheFirstFaultIsTheLaunchs) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(kernel("mov.u32 %r2, %ctaid.x; setp.gt.u32 %p1, %r2, 11; mov.u32 %r3, 0; L: add.u32 "
                              "%r3, %r3, 1; setp.lt.u32 %p2, %r3, 20000; @%p2 bra L; @%p1 trap;")));
  u64 out = gpu.buffer(std::vector<u32>(64));
  for (u32 ctas : {100u, 4000u}) // one at a time; and many, of which workers take several at once
    for (int i = 0; i < 10; ++i) {
      LaunchOptions options = limited(4);
      options.batch = 1;
      LaunchResult result = gpu.run("k", {ctas}, {64}, {out}, options);
      ASSERT_TRUE(result.fault.has_value());
      EXPECT_EQ(result.fault->cta.x, 12u);
    }
}

// A variable of many GiB is as cheap as an allocation of that size: what nobody writes stays untouched.
TEST(LargeVariables, AreZeroWithoutBeingWritten) {
  auto resident = [] {
    u64 all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * static_cast<u64>(sysconf(_SC_PAGESIZE));
  };
  const u64 size = (u64{8} << 30) + 100;
  Gpu gpu;
  const u64 before = resident();
  ASSERT_TRUE(gpu.load(fmt::format(".version 8.3\n.target sm_80\n.address_size 64\n.global .b8 v[{}];\n"
                                   ".visible .entry k() {{ ret; }}\n",
                                   size)));
  EXPECT_LT(resident(), before + (u64{64} << 20));
  auto symbol = gpu.program->symbol("v");
  ASSERT_TRUE(symbol);
  for (u64 at : {u64{0}, size / 2, size - 1})
    EXPECT_EQ(*reinterpret_cast<const u8*>(symbol->address + at), 0);
}

// A device that lies where another one did has nothing of it.
TEST(Device, StartsAnew) {
  std::optional<Device> device(std::in_place);
  device->runtime.set_conditional(5, 1);
  device->runtime.prepare({});
  device->runtime.fail({2, 3}, 69);
  device->runtime.allow_children(false);
  device.emplace();
  EXPECT_EQ(device->runtime.conditional(5), 0u);
  EXPECT_EQ(device->runtime.last_error({2, 3}, false), 0u);
  EXPECT_TRUE(device->runtime.take_children().empty());
  EXPECT_TRUE(device->runtime.may_launch());
}

} // namespace
} // namespace warplens::sim
