// Observers: what they are shown, and that a launch with one does to memory and to the sink what the interface
// promises.
#include "sim/grid/observed_launch.h"
#include "sim/harness.h"

namespace warplens::sim {
namespace {

// p[tid] += f(tid) and an atomic; f is a function of its own, and half of the threads skip a piece.
std::string kernel() {
  return ptx_header() + R"(
.func (.param .b32 r) f(.param .b32 a) {
.reg .b32 %r<4>;
ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 100; st.param.b32 [r], %r2; ret;
}
.visible .entry k(.param .u64 p) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r3, [b]; }
setp.lt.u32 %p1, %r1, 16; @%p1 bra SKIP;
add.u32 %r3, %r3, 1000;
SKIP: add.u32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2;
red.global.add.u32 [%rd1], 1;
ret;
})";
}

struct CountingSink : access::Sink {
  u64 calls = 0;
  void lanes(const access::LaneBatch&) override { ++calls; }
  void affine(const access::AffineAccess&) override { ++calls; }
};

struct Log : StepObserver {
  std::vector<OpKind> kinds;
  std::vector<std::string> entered_functions;
  std::vector<u64> stored; // what thread 3 stores
  u32 lanes_of_call = 0, lanes_of_skipped = 0;
  std::size_t throw_after = ~std::size_t{0};

  void entered(const CallFrame& call, const Mask& lanes) override {
    entered_functions.push_back(call.code->function->name);
    if (call.caller == nullptr) return;
    EXPECT_EQ(call.caller_code->function->name, "k");
    EXPECT_EQ(call.site->callee, call.code->id);
    lanes_of_call = lanes.word[0];
  }
  void before(const Step& step) override {
    if (kinds.size() == throw_after) throw 42;
    const Op& op = step.op;
    kinds.push_back(op.kind());
    EXPECT_EQ(&step.code.ops[step.index()], &op);
    EXPECT_EQ(step.call().code, &step.code);
    if (op.kind() == OpKind::store) stored.push_back(step.lane_value(op.source(1), 3));
    if (op.form != nullptr && op.form->opcode == ir::Opcode::add && !step.full)
      lanes_of_skipped = step.active.word[0];
  }
};

struct Observe : testing::Test, Gpu {
  u64 data = 0;
  CountingSink sink;
  std::unique_ptr<ObservedLaunch> launch;
  std::vector<std::byte> parameters;

  void SetUp() override {
    ASSERT_TRUE(load(kernel()));
    data = buffer(std::vector<u32>(64, 7));
    parameters.resize(8);
    std::memcpy(parameters.data(), &data, 8);
    auto prepared =
        ObservedLaunch::prepare(device, *program, {*program->kernel("k"), {2}, {32}, {}, 0, parameters}, {});
    ASSERT_TRUE(prepared);
    launch = std::move(*prepared);
  }
};

// However it comes about: a launch that lost threads is no launch without a fault.
TEST_F(Observe, ThreadsThatDoNotComeToTheEndAreAFault) {
  struct Loses : StepObserver {
    void entered(const CallFrame&, const Mask&) override {}
    void before(const Step& step) override {
      if (step.instruction()->guard.valid() || step.call().caller != nullptr) return;
      if (step.op.kind() == OpKind::ret) const_cast<Mask&>(step.active).word[0] = 0xffff;
    }
  } loses;
  const ObservedLaunch::Run run = launch->run({1, 0, 0}, &sink, loses);
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->diagnostic.kind, "launch-lost-threads");
  EXPECT_EQ(run.fault->diagnostic.message,
            "WarpLens lost threads 16-31 of warp 0 of block (1, 0, 0) on the way");
}

TEST_F(Observe, EveryOpOfACtaIsShownWithWhatItSees) {
  Log log;
  ObservedLaunch::Run run = launch->run({0, 0, 0}, &sink, log);
  EXPECT_FALSE(run.fault);
  EXPECT_FALSE(run.waits);
  EXPECT_EQ(log.entered_functions, (std::vector<std::string>{"k", "f"}));
  EXPECT_EQ(log.lanes_of_call, 0xffffffffu);
  EXPECT_EQ(log.lanes_of_skipped, 0xffff0000u);
  EXPECT_EQ(log.stored, std::vector<u64>{7 + 103});
  EXPECT_EQ(std::count(log.kinds.begin(), log.kinds.end(), OpKind::atomic), 1);
  EXPECT_EQ(std::count(log.kinds.begin(), log.kinds.end(), OpKind::ret), 2);
}

TEST_F(Observe, TheSinkSeesWhatALaunchWouldReportAndMemoryStaysAsItWas) {
  Log log;
  ObservedLaunch::Run observed = launch->run({0, 0, 0}, &sink, log);
  EXPECT_EQ(read<u32>(data, 64), std::vector<u32>(64, 7));
  CountingSink all;
  LaunchOptions options;
  options.workers = 1;
  options.sinks = {&all};
  LaunchResult result = Gpu::run("k", {1}, {32}, {data}, options);
  EXPECT_EQ(sink.calls, all.calls);
  EXPECT_EQ(observed.warp_instructions, result.warp_instructions);
  EXPECT_EQ(observed.thread_instructions, result.thread_instructions);
  EXPECT_NE(read<u32>(data, 64), std::vector<u32>(64, 7)) << "nobody observes this one";
}

TEST_F(Observe, AnExceptionEndsTheRunAndTheNextOneBeginsAnew) {
  Log first;
  first.throw_after = 9;
  EXPECT_THROW(launch->run({1, 0, 0}, &sink, first), int);
  Log second;
  EXPECT_FALSE(launch->run({1, 0, 0}, nullptr, second).fault);
  EXPECT_EQ(second.entered_functions, (std::vector<std::string>{"k", "f"}));
  EXPECT_TRUE(std::equal(first.kinds.begin(), first.kinds.end(), second.kinds.begin()));
}

} // namespace
} // namespace warplens::sim
