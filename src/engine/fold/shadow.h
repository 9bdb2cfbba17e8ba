// Running a representative: the engine executes one CTA with its ordinary handlers, and before each op the
// shadow works out how the results would move (delta.h) and what must hold for that (conditions.h).
//
// An example. `k` is launched with 100 blocks of 256 threads, n = 23057, p = an allocation of 4n bytes:
//
//                                       in block 0, thread t  per block  block b does the same while
//   mov.u32        %r1, %ctaid.x;       0                     +1
//   mov.u32        %r2, %tid.x;         t                     same
//   mad.lo.s32     %r3, %r1, 256, %r2;  t                     +256
//   setp.ge.s32    %p1, %r3, %r4;       false: t < n = %r4    same       256·b + 255 < n
//   @%p1 bra       DONE;                nobody goes                      (%p1 is the same)
//   mul.wide.s32   %rd2, %r3, 4;        4t                    +1024      256·b + 255 < 2^31
//   add.s64        %rd3, %rd1, %rd2;    p + 4t                +1024
//   ld.global.f32  %f1, [%rd3];         counted               unknown    4·(256·b + 255) + 4 ≤ 4n, and
//                                                                        1024·b is a multiple of 256
//   st.global.f32  [%rd3], %f1;         counted, not written             (the same)
//   DONE: ret;
//
// All of that holds for b ≤ 89: blocks 0 to 89 are one class. Block 90, which holds the end of the array, runs
// next, as a class of its own; in block 91 every thread leaves, and it stands for those up to 99.
//
// With `mul.wide.s32 %rd2, %r5, 4` instead, %r5 having been loaded, the address of the load is unknown: where
// it points in another block nobody knows, so the launch is rejected: "the address at PTX line 9 depends on data
// loaded at PTX line 7". That the value %f1 is unknown does no harm.
//
// Files: shadow.cpp shows each op to its rule; results.cpp has what ops give, and rules.cpp the arithmetic;
// addresses.cpp the conditions of memory accesses; calls.cpp frames, arguments and results of functions;
// reasons.cpp the words.
#pragma once
#include "fold/arguments.h"
#include "fold/footprint.h"
#include "fold/reasons.h"
#include "fold/rules.h"
#include <memory>

namespace warplens::fold {

class Shadow final : sim::StepObserver {
public:
  Shadow(sim::ObservedLaunch&, const FoldOptions&, Footprint&);

  struct Representative {
    Similarity like; // the members of the set that do the same
    u64 warp_instructions = 0, thread_instructions = 0;
  };
  // Runs the first CTA of `set`. Throws Rejected or NeedsSplit.
  Representative run(const CtaSet& set, access::Sink*);

private:
  // The op at hand.
  struct Current {
    const Step& step;
    const Op& op;
    std::vector<Track>& registers; // of its frame
    const ir::Instruction* instruction;
    bool follow;      // whether its results can matter
    Mask lanes{};     // that perform it, as far as the guard is known
    bool all = false; // those are all that live in the frame
    Delta guard{};
  };

  // shadow.cpp
  void entered(const sim::CallFrame&, const Mask& lanes) override;
  void before(const Step&) override;
  void return_to(const Step&);
  bool changes_nothing(const Op&, bool follow) const;
  bool find_lanes(Current&);
  void follow(const Current&);

  // results.cpp
  template <class F> void each_combination(const Current&, Followed&, u32 source, F&& rule);
  void compute(const Current&, u32 destination, void (*rule)(Followed&));
  void compute_all(const Current&);
  void unpack(const Current&);
  void special(const Current&);
  void is_space(const Current&);
  void barrier(const Current&);
  void shuffle(const Current&);
  void gather(const Current&);
  void write(const Current&, u32 destination, const Parts&);
  void write(const Current&, u32 destination, const Delta&);
  void write_all(const Current&, const Delta&);
  Delta combined(const Current&, u32 source) const; // one delta for all lanes, or unknown
  void need_invariant(const Current&, u32 source, std::string_view what) const;

  // addresses.cpp
  void load(const Current&);
  void address(const Current&, bool writes, bool counted);
  void place(const Current&, const sim::StepAccess&, const Delta&, bool writes, bool counted);
  void touch(const Current&, ir::StateSpace, sim::Memory::Range, bool writes);
  void place_in(const Delta&, u64 low, u64 high, u64 bytes, sim::Memory::Range, bool counted);
  void keep_together(const Current&, const Parts&);

  // calls.cpp
  u64 argument_place(const Current&) const;
  void load_argument(const Current&);
  void store_argument(const Current&);
  void call(const Current&);
  void leave(const Current&);
  void pass_arguments(const sim::CallFrame&, const Mask& lanes);

  sim::ObservedLaunch& launch_;
  const FoldOptions& options_;
  Footprint& footprint_;
  u64 steps_ = 0;                                               // ops executed so far, by all representatives
  std::unordered_map<const Code*, std::vector<bool>> relevant_; // by op: whether its results can matter

  // Of the representative.
  std::unique_ptr<Conditions> conditions_;
  std::unordered_map<const Frame*, std::vector<Track>> tracks_;
  Arguments arguments_;
  Parts result_; // of the op at hand
  std::unordered_set<const Op*> unsplittable_;

  // Of the frame that the last op was in.
  const Frame* frame_ = nullptr;
  std::vector<Track>* registers_ = nullptr;
  const std::vector<bool>* relevant_here_ = nullptr;
};

} // namespace warplens::fold
