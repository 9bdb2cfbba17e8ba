// One memory access (src/sim/ops/access.h): the form that each kind of address takes, that asking counts nothing,
// and that no write through a register reaches memory that the register is an alias of.
#include "sim/exec/simt.h"
#include "sim/grid/prepare.h"
#include "sim/harness.h"
#include "sim/ops/access.h"
#include "sim/program/program.h"
#include <algorithm>
#include <numeric>
#include <type_traits>

namespace warplens::sim {
namespace {

using ir::StateSpace;

struct Counter final : access::Sink {
  u32 seen = 0;
  void lanes(const access::LaneBatch&) override { ++seen; }
  void affine(const access::AffineAccess&) override { ++seen; }
};

struct Seen {
  StateSpace space;
  AddressForm form;
  bool whole;
  bool operator==(const Seen&) const = default;
};

struct Case {
  const char* name;
  const char* body; // its last access is the one that is looked at
  Purpose purpose;
  std::vector<Seen> expected;
};

// Threads have %r1 = tid.x, 4 bytes of their own at %rd3, from %rd1 on, and at %r7 in shared memory, and an address of
// no form at %rd4.
std::string kernel(const std::string& body) {
  return ptx_header() + R"(
.visible .entry k(.param .u64 a)
{
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .pred %p<3>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r5, s;
  shl.b32 %r6, %r1, 2;
  add.u32 %r7, %r5, %r6;
  ld.global.u32 %r2, [%rd3];
  and.b32 %r2, %r2, 252;
  cvt.u64.u32 %rd5, %r2;
  add.u64 %rd4, %rd1, %rd5;
  and.b32 %r4, %r1, 15;
)" + body +
         "\n  ret;\n}\n";
}

const Case cases[] = {
    {"all threads, each its own",
     "ld.global.u32 %r3, [%rd3];",
     Purpose::load,
     {{StateSpace::global, AddressForm::affine, true}}},
    {"a branch",
     "setp.ge.u32 %p1, %r1, 40; @%p1 bra L; ld.global.u32 %r3, [%rd3]; L:",
     Purpose::load,
     {{StateSpace::global, AddressForm::affine, false}}},
    {"a guard",
     "setp.lt.u32 %p1, %r1, 40; @%p1 st.global.u32 [%rd3], %r1;",
     Purpose::store,
     {{StateSpace::global, AddressForm::affine, false}}},
    {"the neighbour below; the first thread would point at -4",
     "setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ld.shared.u32 %r3, [%r7+-4]; L:",
     Purpose::load,
     {{StateSpace::shared, AddressForm::affine, false}}},
    {"one address",
     "ld.global.u32 %r3, [%rd1];",
     Purpose::load,
     {{StateSpace::global, AddressForm::affine, true}}},
    {"one address, stored",
     "st.global.u32 [%rd1], %r1;",
     Purpose::store,
     {{StateSpace::global, AddressForm::lanes, true}}},
    {"loaded indices",
     "ld.global.u32 %r3, [%rd4];",
     Purpose::load,
     {{StateSpace::global, AddressForm::lanes, true}}},
    {"few lanes",
     "setp.ne.u32 %p1, %r4, 0; @%p1 bra L; ld.global.u32 %r3, [%rd4]; L:",
     Purpose::load,
     {{StateSpace::global, AddressForm::listed, false}}},
    {"few lanes, 8 bytes stored: an order of its own",
     "setp.ne.u32 %p1, %r4, 0; shl.b64 %rd5, %rd5, 1; add.u64 %rd4, %rd1, %rd5; @%p1 bra L;"
     "st.global.u64 [%rd4], %rd1; L:",
     Purpose::store,
     {{StateSpace::global, AddressForm::lanes, false}}},
    {"an atomic",
     "red.global.add.u32 [%rd3], 1;",
     Purpose::atomic,
     {{StateSpace::global, AddressForm::lanes, true}}},
    {"for folding, all threads",
     "st.global.u32 [%rd3], %r1;",
     Purpose::follow,
     {{StateSpace::global, AddressForm::affine, true}}},
    {"for folding, some: the extent must be theirs",
     "setp.lt.u32 %p1, %r1, 40; @%p1 st.global.u32 [%rd3], %r1;",
     Purpose::follow,
     {{StateSpace::global, AddressForm::lanes, false}}},
    {"generic, two spaces",
     "cvt.u64.u32 %rd6, %r7; cvta.shared.u64 %rd7, %rd6; setp.lt.u32 %p1, %r4, 3;"
     "selp.b64 %rd8, %rd3, %rd7, %p1; ld.u32 %r3, [%rd8];",
     Purpose::load,
     {{StateSpace::shared, AddressForm::lanes, false}, {StateSpace::global, AddressForm::lanes, false}}},
    {"generic, one space",
     "ld.u32 %r3, [%rd3];",
     Purpose::load,
     {{StateSpace::global, AddressForm::lanes, true}}},
};

class OneAccess : public testing::Test, public Gpu {
protected:
  // Runs a block of 64 threads up to the last access, which f(exec, op) takes.
  template <class F> void at_last_access(const std::string& body, access::Sink& sink, F&& f) {
    ASSERT_TRUE(load(kernel(body)));
    memory = buffer(std::vector<u32>(4096, 77));
    std::vector<std::byte> parameters(8);
    std::memcpy(parameters.data(), &memory, 8);
    LaunchOptions options;
    options.workers = options.batch = 1;
    options.sinks = {&sink};
    LaunchSpec spec{*program->kernel("k"), {1}, {64}, {}, 0, parameters, false};
    LaunchState launch(device, program->impl(), spec, options);
    ASSERT_FALSE(prepare(launch));
    Exec x(launch, *launch.shape);
    x.sink = &sink;
    Cta cta;
    start_cta(x, cta);
    x.group = cta.groups.front().get();
    x.load_top();
    const std::vector<Op>& ops = x.code->ops;
    auto last = std::find_if(ops.rbegin(), ops.rend(), [](const Op& op) { return op.site.valid(); });
    ASSERT_NE(last, ops.rend());
    while (&ops[x.pc] != &*last) {
      const Op& op = ops[x.pc++];
      op.execute(x);
    }
    ++x.pc;
    ASSERT_TRUE(x.enter(*last));
    f(x, *last);
  }
  u64 memory = 0;
};

TEST_F(OneAccess, HasTheFormOfItsAddresses) {
  for (const Case& c : cases) {
    Counter sink;
    at_last_access(c.body, sink, [&](Exec& x, const Op& op) {
      std::vector<Seen> seen;
      resolve(x, op, c.purpose, [&](const AccessView& a) { seen.push_back({a.space, a.form, a.whole}); });
      EXPECT_EQ(seen.size(), c.expected.size()) << c.name;
      EXPECT_TRUE(seen == c.expected) << c.name;
    });
  }
}

TEST_F(OneAccess, IsCountedWhenItIsReportedAndAtNoOtherTime) {
  for (const Case& c : cases) {
    Counter sink;
    at_last_access(c.body, sink, [&](Exec& x, const Op& op) {
      u32 before = sink.seen;
      for (u32 times = 0; times < 3; ++times)
        resolve(x, op, c.purpose, [&](const AccessView& a) { check(x, op, a); });
      EXPECT_EQ(sink.seen, before) << c.name;
      resolve(x, op, c.purpose, [&](const AccessView& a) { report(x, op, a); });
      EXPECT_EQ(sink.seen, before + c.expected.size()) << c.name;
    });
  }
}

// A CTA that stands for others: from here on, checked and counted, and nothing else.
TEST_F(OneAccess, StoresThatAreNotPerformedLeaveMemoryAlone) {
  for (const char* body :
       {"st.global.u32 [%rd3], %r1;", "st.global.u32 [%rd4], %r1;", "red.global.add.u32 [%rd3], 1;"}) {
    Counter sink;
    at_last_access(body, sink, [&](Exec& x, const Op& op) {
      x.performs_stores = false;
      u32 before = sink.seen;
      op.execute(x);
      EXPECT_EQ(sink.seen, before + 1) << body;
    });
    EXPECT_EQ(read<u32>(memory, 4096), std::vector<u32>(4096, 77)) << body;
  }
}

static_assert(std::is_same_v<decltype(std::declval<Value&>().read<u32>(0)), const u32*>,
              "readers do not write");

// clang computes `s[~i]` of an unsigned i with 64 bits: HeCBench's merge reads there, and GPUs take the lower 32.
TEST(Addresses, OfSharedMemoryGoRoundAt32Bits) {
  Gpu gpu;
  ASSERT_TRUE(gpu.load(ptx_header() + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 s[128];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  mov.u64 %rd3, s;
  add.s64 %rd4, %rd3, %rd2;
  st.shared.u32 [%rd4], %r1;
  bar.sync 0;
  add.s64 %rd5, %rd4, 0x400000000;
  ld.shared.u32 %r2, [%rd5];
  add.s64 %rd6, %rd1, %rd2;
  st.global.u32 [%rd6], %r2;
  and.b32 %r3, %r1, 3;
  setp.ne.u32 %p1, %r3, 1;
  @%p1 bra END;
  ld.shared.u32 %r4, [%rd5+-4];
  st.global.u32 [%rd6], %r4;
END:
  ret;
})"));
  u64 out = gpu.buffer(std::vector<int>(32));
  gpu.expect_run("k", {1}, {32}, {out});
  std::vector<int> got = gpu.read<int>(out, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], i % 4 == 1 ? i - 1 : i);
}

TEST(Registers, AreNotWrittenThroughAnAlias) {
  alignas(64) std::array<u32, warp_size> own{}, memory;
  std::iota(memory.begin(), memory.end(), 0u);
  const std::array<u32, warp_size> before = memory;
  Value v = Value::in_scratch(own.data(), 32, warp_size);
  v.alias(memory.data());
  EXPECT_TRUE(v.aliased());
  EXPECT_EQ(v.read<u32>(0), memory.data());
  v.writable<u32>(0)[3] = 77;
  EXPECT_FALSE(v.aliased());
  EXPECT_EQ(memory, before);
  EXPECT_EQ(v.read<u32>(0)[3], 77u);
  EXPECT_EQ(v.read<u32>(0)[4], 4u);
}

TEST(Registers, LanesOfAnAffineValueDoNotReachAnAliasEither) {
  Shape shape({warp_size, 1, 1});
  alignas(64) std::array<u32, warp_size> own{}, memory{};
  Value v = Value::in_scratch(own.data(), 32, warp_size);
  v.alias(memory.data());
  v.set_axis(5, 0);
  need_lanes(v, shape);
  EXPECT_EQ(memory, (std::array<u32, warp_size>{}));
  EXPECT_EQ(v.read<u32>(0)[2], 7u);
}

} // namespace
} // namespace warplens::sim
