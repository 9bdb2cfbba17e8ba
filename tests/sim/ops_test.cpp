// The table of ops: what instructions become, and what follows from it.
#include "sim/harness.h"
#include "sim/program/program.h"
#include <algorithm>

namespace warplens::sim {
namespace {

class Ops : public testing::Test, public Gpu {
protected:
  const Code& lowered(const std::string& body) {
    EXPECT_TRUE(
        load(ptx_header() + ".extern .func e();\n.func f() { ret; }\n" +
             ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;\n" +
             body + "\nret;\n}\n"));
    return program->impl().code_of(*program->kernel("k"));
  }
  std::vector<OpKind> kinds(const std::string& body) {
    std::vector<OpKind> out;
    for (const Op& op : lowered(body).ops) out.push_back(op.kind());
    return out;
  }
  bool in_lockstep(const std::string& body) {
    lowered(body);
    return program->impl().runs_in_lockstep(*program->kernel("k"));
  }
};

TEST_F(Ops, InstructionsBecomeTheKindsThatTheTableNames) {
  using enum OpKind;
  EXPECT_EQ(kinds("mov.u32 %r1, %tid.x; mov.u32 %r2, 5; add.u32 %r3, %r1, %r2; cvt.u64.u32 %rd1, %r1;"),
            (std::vector{special, move, compute, compute, ret, ret}));
  EXPECT_EQ(kinds("ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;"
                  "red.global.add.u32 [%rd1], %r1;"),
            (std::vector{load_param, load, store, atomic, ret, ret}));
  EXPECT_EQ(
      kinds("bar.sync 0; membar.gl; bar.warp.sync -1; activemask.b32 %r1; nanosleep.u32 %r1; trap; exit;"),
      (std::vector{barrier, fence, warp_barrier, active_mask, nanosleep, trap, exit, ret, ret}));
  EXPECT_EQ(kinds("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1; vote.sync.ballot.b32 %r1, %p1, -1;"
                  "match.any.sync.b32 %r1, %r2, -1; redux.sync.add.s32 %r1, %r2, -1; pmevent 1;"),
            (std::vector{shuffle, vote, match, reduce, nothing, ret, ret}));
  EXPECT_EQ(kinds("yield;"), (std::vector{unsupported, ret, ret})); // of machine code alone
}

TEST_F(Ops, PayloadsAreThoseOfTheirKind) {
  for (const Op& op :
       lowered("brkpt; mov.u32 %r1, %ctaid.y; bar.sync 1, 64; vote.sync.any.pred %p1, !%p2, -1;").ops) {
    EXPECT_EQ(op.traits().kind, op.kind());
    if (op.kind() == OpKind::special) {
      EXPECT_EQ(op.special(), ir::Special::ctaid_y);
    }
    if (op.kind() == OpKind::barrier) {
      EXPECT_TRUE(op.predicate().after_count);
    }
    if (op.kind() == OpKind::vote) {
      EXPECT_TRUE(op.predicate().negated);
    }
#ifndef NDEBUG
    if (op.kind() == OpKind::special) {
      EXPECT_DEATH(op.call_index(), "has");
    }
#endif
  }
}

TEST_F(Ops, RunInLockstepOnlyWhereThatIsStated) {
  EXPECT_TRUE(in_lockstep("mov.u32 %r1, %tid.x; bar.sync 0; call f;"));
  EXPECT_FALSE(in_lockstep("nanosleep.u32 5;"));
  EXPECT_FALSE(in_lockstep("bar.sync 1, 64;")) << "some of the threads";
  EXPECT_FALSE(in_lockstep("bar.arrive 1, 64;"));
  EXPECT_FALSE(in_lockstep("call e;")) << "who knows what it does";
  EXPECT_TRUE(in_lockstep("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;"));
  EXPECT_FALSE(in_lockstep("ld.param.u64 %rd1, [p]; L: ld.volatile.global.u32 %r1, [%rd1];"
                           "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"))
      << "a loop that may wait";
  EXPECT_EQ(OpTraits{}.lockstep, Lockstep::never);
  EXPECT_EQ(OpTraits{}.memory, MemoryUse::orders);
  EXPECT_EQ(OpTraits{}.fold, FoldRule::unsupported);
}

} // namespace
} // namespace warplens::sim
