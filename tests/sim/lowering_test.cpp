// Lowering: only what is launched, and in time that follows the length of the code, whatever its shape. A
// shape that took quadratic time would not end within the time limit of a test.
#include "ptx/parse.h"
#include "sim/lower/counted_loops.h"
#include "sim/program/program.h"
#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

namespace warplens::sim {
namespace {

constexpr const char* head = ".version 8.3\n.target sm_80\n.address_size 64\n";

struct Loaded {
  Device device;
  std::unique_ptr<Program> program;
};

std::unique_ptr<Loaded> load(const std::string& text) {
  auto out = std::make_unique<Loaded>();
  Result<ptx::Parsed> parsed = ptx::parse(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  out->device.memory = std::move(*Memory::create(u64{1} << 30));
  out->program = std::move(*Program::load(std::move(parsed->module), out->device));
  return out;
}

std::string kernel(const std::string& body) {
  return fmt::format("{}.visible .entry k(.param .u64 p) {{\n.reg .pred %p<200000>;\n.reg .b32 %r<800000>;\n"
                     ".reg .b64 %d;\nld.param.u64 %d, [p];\nmov.u32 %r0, %tid.x;\n{}ret;\n}}\n",
                     head, body);
}

std::string repeat(u32 n, const std::function<std::string(u32)>& part) {
  std::string out;
  for (u32 i = 0; i < n; ++i) out += part(i);
  return out;
}

TEST(Lowering, OnlyWhatIsLaunchedAndWhatItCalls) {
  auto loaded = load(std::string(head) +
                     ".func called() { ret; }\n.func idle() { ret; }\n"
                     ".visible .entry a() { call called; ret; }\n.visible .entry b() { call idle; ret; }\n");
  Program::Impl& impl = loaded->program->impl();
  auto lowered = [&] {
    std::string names;
    for (std::size_t f = 0; f < impl.code.size(); ++f)
      if (impl.code[f]) names += impl.module.functions[f].name + " ";
    return names;
  };
  EXPECT_EQ(lowered(), "");
  LaunchSpec spec;
  spec.kernel = *loaded->program->kernel("a");
  EXPECT_FALSE(launch(loaded->device, *loaded->program, spec, {}).fault);
  EXPECT_EQ(lowered(), "called a ");
}

struct Shape {
  const char* name;
  std::string text;
};

std::vector<Shape> shapes() {
  constexpr u32 n = 20000;
  std::vector<Shape> out;
  out.push_back({"straight line", kernel(repeat(n, [](u32 i) {
                   return fmt::format("add.s32 %r{}, %r{}, {};\nst.global.u32 [%d], %r{};\n", i + 1, i, i,
                                      i + 1);
                 }))});
  out.push_back({"branches", kernel(repeat(n, [](u32 i) {
                   return fmt::format(
                       "setp.lt.s32 %p{0}, %r0, {0};\n@%p{0} bra L{0};\nadd.s32 %r1, %r1, %r0;\nL{0}:\n", i);
                 }))});
  out.push_back({"loops", kernel(repeat(n, [](u32 i) {
                   return fmt::format(
                       "mov.u32 %r{1}, 0;\nL{0}: add.s32 %r{1}, %r{1}, 1;\nsetp.lt.s32 %p{0}, %r{1}, 2;\n"
                       "@%p{0} bra L{0};\nst.global.u32 [%d], %r{1};\n",
                       i, i + 2);
                 }))});
  out.push_back(
      {"nested loops",
       kernel(repeat(n,
                     [](u32 i) {
                       return fmt::format("mov.u32 %r{1}, 0;\nL{0}:\nadd.s32 %r{1}, %r{1}, 1;\n", i, i + 1);
                     }) +
              repeat(n, [](u32 i) {
                return fmt::format("setp.lt.s32 %p{0}, %r{1}, 1;\n@%p{0} bra L{0};\n", n - 1 - i, n - i);
              }))});
  out.push_back(
      {"everything alive",
       kernel(
           repeat(n, [](u32 i) { return fmt::format("ld.global.u32 %r{}, [%d];\n", i + 2); }) +
           repeat(n,
                  [](u32 i) {
                    return fmt::format(
                        "setp.lt.s32 %p{0}, %r0, {0};\n@%p{0} bra L{0};\nadd.s32 %r1, %r1, %r{1};\nL{0}:\n",
                        i, i * 7919 % n + 2);
                  }) +
           repeat(n, [](u32 i) { return fmt::format("st.global.u32 [%d], %r{};\n", i + 2); }))});
  out.push_back(
      {"a switch",
       kernel("T: .branchtargets " + repeat(n, [](u32 i) { return fmt::format("{}L{}", i ? ", " : "", i); }) +
              ";\nbrx.idx %r0, T;\n" +
              repeat(n, [](u32 i) { return fmt::format("L{0}:\nadd.s32 %r1, %r0, {0};\nbra E;\n", i); }) +
              "E:\n")});
  out.push_back({"ways out", kernel(repeat(n, [](u32 i) {
                   return fmt::format("setp.lt.s32 %p{0}, %r0, {0};\n@%p{0} ret;\nadd.s32 %r1, %r1, 1;\n", i);
                 }))});
  out.push_back({"blocks from last to first",
                 kernel("bra L0;\n" +
                        repeat(n,
                               [](u32 i) {
                                 return fmt::format("L{}:\nadd.s32 %r1, %r1, 1;\nbra {};\n", n - 1 - i,
                                                    i == 0 ? "E" : fmt::format("L{}", n - i));
                               }) +
                        "E:\n")});
  // Each function calls the next: nothing may follow such a chain on the host's stack.
  out.push_back(
      {"a chain of calls",
       head + repeat(n, [](u32 i) { return fmt::format(".func f{}();\n", i); }) + repeat(n, [](u32 i) {
         return i + 1 < n ? fmt::format(".func f{}() {{ call f{}; ret; }}\n", i, i + 1)
                          : fmt::format(".func f{}() {{ ret; }}\n", i);
       }) + ".visible .entry k(.param .u64 p) { L: call f0; bra L; }\n"});
  out.push_back(
      {"call sites", head +
                         std::string(".func (.param .b32 o) f(.param .b32 i) { ret; }\n.visible .entry "
                                     "k(.param .u64 p) {\n.reg .b32 %r0;\nmov.u32 %r0, 1;\n") +
                         repeat(n,
                                [](u32) {
                                  return "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r0;\ncall "
                                         "(b), f, (a);\nld.param.b32 %r0, [b];\n}\n";
                                }) +
                         "ret;\n}\n"});
  out.push_back(
      {"parameters", head + std::string(".visible .entry k(") +
                         repeat(n, [](u32 i) { return fmt::format("{}.param .u8 p{}", i ? ", " : "", i); }) +
                         ") {\n.reg .b16 %h;\n" +
                         repeat(n, [](u32 i) { return fmt::format("ld.param.u8 %h, [p{}];\n", i); }) +
                         "ret;\n}\n"});
  return out;
}

TEST(Lowering, TimeFollowsTheLengthWhateverTheShape) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    auto loaded = load(shape.text);
    std::clock_t begin = std::clock(); // of this process: a loaded machine takes longer
    KernelInfo info = loaded->program->info(*loaded->program->kernel("k"));
    double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_EQ(info.name, "k");
    EXPECT_LT(seconds, 20) << "a tenth of a second is usual";
  }
}

// Which blocks of the kernel are loops that lanes leave together.
u32 counted_loops(const std::string& body) {
  Result<ptx::Parsed> parsed =
      ptx::parse(std::string(head) +
                 ".visible .entry k(.param .u32 n) {\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
                 "mov.u32 %r0, %tid.x;\nld.param.u32 %r1, [n];\n" +
                 body + "ret;\n}\n");
  EXPECT_TRUE(parsed) << parsed.error().message;
  const ir::Function& function = parsed->module.functions[0];
  const ir::Cfg cfg = ir::analyse(function);
  u32 count = 0;
  for (u32 b = 0; b < function.blocks.size(); ++b)
    count += is_counted_loop(parsed->module, function, cfg, ir::BlockId(b));
  return count;
}

TEST(Lowering, LoopsThatLanesLeaveTogether) {
  auto loop = [](std::string_view start, std::string_view step, std::string_view end) {
    return fmt::format("{}\nL: {}\nsetp.ne.s32 %p0, %r2, {};\n@%p0 bra L;\n", start, step, end);
  };
  const char *zero = "mov.u32 %r2, 0;", *one = "add.s32 %r2, %r2, 1;";
  EXPECT_EQ(counted_loops(loop(zero, one, "9")), 1u);
  EXPECT_EQ(counted_loops(loop("@%p1 bra L;\nmov.u32 %r2, 0;", one, "9")), 0u); // also from elsewhere
  EXPECT_EQ(counted_loops(loop("mov.u32 %r2, %r0;", one, "9")), 0u);
  EXPECT_EQ(counted_loops(loop("@%p1 mov.u32 %r2, 0;", one, "9")), 0u);
  EXPECT_EQ(counted_loops(loop("mov.u32 %r2, 0;\nadd.s32 %r2, %r2, %r0;", one, "9")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, one, "%r1")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, "add.s32 %r2, %r2, %r0;", "9")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, "add.s32 %r2, %r2, 1;\nbar.warp.sync 15;", "9")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, "@%p1 add.s32 %r2, %r2, 1;", "9")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, "add.s32 %r2, %r2, 1;\nadd.s32 %r2, %r2, 1;", "9")), 0u);
  EXPECT_EQ(counted_loops(loop(zero, "add.s32 %r2, %r2, 1;\n@%p1 bra M;", "9") + "M:\n"), 0u); // two blocks
}

} // namespace
} // namespace warplens::sim
