// Watching CTAs run, op by op: the interface that fold/ is built on.
//
// An ObservedLaunch runs CTAs of a launch one at a time, on the calling thread, with the handlers that execute
// them in any launch. Before each op it shows the observer a Step: the op, and the registers, masks and frames
// that it will see. Stores and atomics are checked and reported to the sink like any other, but not performed:
// global, shared and local memory stay as they were, and an atomic returns what its register held. Arguments and
// results of calls are passed.
//
// What an observer may rely on:
//   * Ops come in the order in which the groups of lanes of the CTA execute them. An op that waits, or that
//     lanes come to one after the other, is shown each time.
//   * Op, Code and Frame stay where they are: their addresses name them. Code lives as long as the program, a
//     frame until a later call uses it again, and then entered() says so.
//   * It may throw. run() ends then, passes the exception on, and can be called again.
//   * Where nobody observes, none of this costs anything: an Exec without observer has a loop of its own.
//
// Beside this header and sim.h, an observer may use what describes ops and values: lower/code.h and ops.h (Op,
// Code, CallSite, FoldRule), value/value.h (Value, Mask, Shape, ranges of values), and find_math_function of
// kernels/kernels.h. All come with this header.
#pragma once
#include "sim/exec/watcher.h"
#include "sim/sim.h"

namespace warplens::sim {

struct Frame; // a name, to tell frames apart; not to be looked into

// The frame that lanes are in, and the call that brought them there.
struct CallFrame {
  const Frame* frame = nullptr;
  const Code* code = nullptr;
  const Frame* caller = nullptr; // none in the kernel itself: then the others are none, too
  const Code* caller_code = nullptr;
  const CallSite* site = nullptr;
};

// What an op accesses in one space (never generic): `bytes` from each of some addresses, relative to the space.
struct StepAccess {
  ir::StateSpace space{};
  u32 bytes = 0;
  u64 lowest = 0, highest = 0;  // address
  const Mask* lanes = nullptr;  // null: all addresses lie between the two in one affine form
  const u64* address = nullptr; // of those lanes

  // Calls f(address) for the addresses that the lanes span; of an affine form the first and the last.
  template <class F> void each_address(F&& f) const {
    if (lanes == nullptr) {
      f(lowest);
      f(highest);
      return;
    }
    for (u32 w = 0; w < lanes->word.size(); ++w)
      for_each_lane(lanes->word[w], [&](u32 lane) { f(address[w * warp_size + lane]); });
  }
};

class Step {
public:
  Step(Exec&, const Op&);

  const Op& op;
  const Code& code;
  const Shape& shape;
  const Frame& frame;
  const Mask& active;        // the lanes that come to the op; its guard may keep some from performing it
  const bool full;           // these are all lanes that live in the frame
  const Value* const values; // [slots of `code`]

  u32 index() const { return static_cast<u32>(&op - code.ops.data()); }
  const ir::Instruction* instruction() const; // none in a function without instructions
  CallFrame call() const;
  u64 lane_value(SlotId, u32 thread) const; // zero-extended
  const u32* predicate_lanes(SlotId) const; // of a predicate: one word per warp
  // Calls f(access) with what the op accesses for those of the active lanes, space by space.
  void each_access(const Mask& lanes, const std::function<void(const StepAccess&)>& f) const;
  const Memory& memory() const;
  u64 bytes_of(ir::StateSpace) const; // the size of shared memory, local memory (of a thread), parameters

private:
  Exec& exec_;
};

class StepObserver : public OpLoop {
public:
  // The kernel's frame, or a call's, is new; `lanes` are in it, arguments have been passed.
  virtual void entered(const CallFrame&, const Mask& lanes) = 0;
  virtual void before(const Step&) = 0;
  void run(Exec&) final;
};
CallFrame call_frame(const Exec&); // where it is

} // namespace warplens::sim
