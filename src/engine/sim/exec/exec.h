// One worker's view of the batch of CTAs it is running, and the state of a batch (grid/batch.cpp says which CTAs
// run in lockstep as one; most of what follows speaks of a CTA and means a batch).
//
// Divergence. A Group is a set of lanes of a CTA that share one SIMT stack. A CTA starts as one group, so
// that every instruction is dispatched once for all its warps; each stack entry has a mask per warp, and
// entries meet again at the immediate post-dominator. To each warp this looks exactly as if it ran alone with
// a stack of its own. A group splits where some of its lanes have to wait (barriers, warp-level
// synchronisation) or make no progress (a lane spins on what another lane of the warp will write), and groups
// that reach the same point of the same barrier become one again.
//
// Forms. When all lanes that live in a frame are active (`full`), or the others do not need the destination's
// old value, results may be kept in affine form; otherwise the destination is written out and merged under
// the mask. Frames are per call: recursion just makes more of them.
#pragma once
#include "access/access.h"
#include "sim/exec/closing.h"
#include "sim/exec/sample.h"
#include "sim/exec/watcher.h"
#include "sim/lower/code.h"
#include "sim/sim.h"
#include <deque>
#include <memory>
#include <set>
#include <xmmintrin.h>

namespace warplens::sim {

struct LaunchState;
struct Cluster;

struct Frame {
  const Code* code = nullptr;
  std::vector<Value> values;
  std::unique_ptr<std::byte[]> storage;
  std::byte* aligned = nullptr;
  std::vector<std::byte> parameters; // [threads][code->parameter_bytes]
  Mask live;                         // lanes that are in this frame: entered, neither returned nor exited
  u64 local_base = 0;                // of this frame in each thread's local memory
  u32 users = 0;                     // groups that hold it
};

inline void release_frame(Frame& frame) { --frame.users; }

// No lane of the first `warps` warps is in it.
inline bool empty(const Mask& mask, u32 warps) {
  u32 any = 0;
  for (u32 w = 0; w < warps; ++w) any |= mask.word[w];
  return any == 0;
}

inline bool overlap(const Mask& a, const Mask& b, u32 warps) {
  for (u32 w = 0; w < warps; ++w)
    if (a.word[w] & b.word[w]) return true;
  return false;
}

struct StackEntry {
  u32 pc = 0;
  u32 reconvergence = no_target; // popped when execution gets here
  Mask mask;
};

struct FrameLink {
  Frame* frame = nullptr;
  u32 floor = 0;     // stack size below which the caller's entries begin
  u32 return_pc = 0; // in the caller
  u32 call = 0;      // index of the caller's call site
};

struct Splits; // splits.h
enum class GroupState : u8 { runnable, at_barrier, at_cluster, at_warp_sync, done };

struct Group {
  std::vector<StackEntry> stack;
  std::vector<FrameLink> frames;
  GroupState state = GroupState::runnable;
  u32 barrier = 0;
  SlotId barrier_result = no_slot; // bar.red: where the result goes on release
  Mask awaited;                    // at_warp_sync: the lanes that are named and not here
  bool alone = false;              // a warp-level op goes on without the lanes that are elsewhere
  u64 rounds = 0;                  // backward branches since it was split off or passed a barrier
  u64 spins = 0;                   // of those, since it last wrote to memory
  u64 turn = 0;                    // rounds when others last got a turn
  u64 writes = 0;                  // Exec::writes when it was last looked at
  bool spinning = false;           // stopped because it waits for others
  std::unique_ptr<Splits> splits;  // of a warp whose parts take turns (splits.h)
  Group();
  ~Group();
  bool asked = false; // at an mbarrier whose phase was not complete; asks again (execute_mbarrier.cpp)
};

enum class BarrierReduction : u8 { none, popc, and_, or_ };

// Lanes that came to a barrier together: what --check sync judges it by (watch/sync_check.h).
struct BarrierArrival {
  const Code* code = nullptr;
  const Op* op = nullptr;
  Mask lanes;
  Mask gone; // lanes of the block that had ended then, or had nothing else left to do
  u32 expected = 0;
  BarrierReduction reduction = BarrierReduction::none;
  std::vector<std::string> others; // of the same warps: where they were
};
struct Barrier {
  Mask arrived;
  u32 expected = 0; // threads; 0: the whole CTA
  BarrierReduction reduction = BarrierReduction::none;
  u32 count = 0; // predicates that held
  bool all = true, any = false;
  bool open = false;                    // someone has arrived
  std::vector<BarrierArrival> arrivals; // LaunchChecks::sync
};

struct Cta {
  u64 index = 0; // of the batch's first CTA
  Dim3 id;
  std::deque<std::unique_ptr<Group>> groups;
  std::vector<std::unique_ptr<Frame>> frames; // all frames of this CTA, in use or free
  u64 frame_bytes = 0;                        // of their registers
  std::vector<std::byte> shared;              // of each CTA, LaunchState::shared_stride apart
  std::unique_ptr<std::byte[], void (*)(std::byte*)> local{nullptr, [](std::byte*) {}};
  Mask exited;
  std::array<Barrier, 16> barriers{};
  u32 open_barriers = 0;
  std::vector<std::unique_ptr<Group>> spare; // ended groups, for reuse
  std::shared_ptr<Cluster> cluster;          // null without clusters
  u32 cluster_rank = 0;
  access::Sink* sink = nullptr; // where its accesses go; null: they are not counted
  u32 part = no_part;           // of the sample (exec/sample.h)
  Mask
      at_cluster; // threads that have come to the barrier of the cluster and were not let go (execute_cluster.cpp)
  bool started = false;
};

// A program may round differently or flush subnormal numbers (-ffast-math) on the host, in the thread that
// launches and perhaps not in the others; the device's arithmetic is its own.
class FloatEnvGuard {
public:
  FloatEnvGuard() { _mm_setcsr(0x1f80); } // as a program begins: nearest even, nothing flushed or trapped
  ~FloatEnvGuard() { _mm_setcsr(before_); }
  FloatEnvGuard(const FloatEnvGuard&) = delete;

private:
  u32 before_ = _mm_getcsr();
};

// How often the clock is looked at, where a kernel can go on for ever: in warp instructions, some milliseconds. A call counts as
// several: it may do what takes long.
inline constexpr u64 instructions_per_look = 1 << 18, instructions_of_call = 1 << 10;

struct Exec {
  LaunchState& launch;
  const Shape& shape;
  access::Sink* sink = nullptr;
  OpLoop* loop = nullptr;                         // null: the loop of run_group itself
  std::vector<std::unique_ptr<Watcher>> watchers; // what --check asks for (watch/watchers.h)

  Cta* cta = nullptr;
  Group* group = nullptr;
  Frame* frame = nullptr;
  const Code* code = nullptr;
  Value* values = nullptr;
  u32 pc = 0;
  bool stop = false; // leave the dispatch loop: the group blocked, yielded or ended

  Mask active;
  bool full = false;                // active is all of frame->live
  bool whole = false;               // full, and every thread of the block lives in the frame
  u32 first_warp = 0, end_warp = 0; // warps with an active lane lie in [first, end)
  u32 active_warps = 0;
  u64 warp_instructions = 0, thread_instructions = 0;
  u32 active_lanes = 0;
  u64 next_look = instructions_per_look; // at the clock, by warp_instructions
  // What may make the next round of a loop differ from the last, beside registers: stores of any kind, atomics that
  // changed something, clocks that were read, calls of library functions.
  u64 effects = 0;
  u64 writes = 0; // stores, and atomics that changed something, to memory that others see
  // Whether stores and atomics are performed; if not, they are checked and reported like any other: this CTA only
  // stands for others (fold/).
  bool performs_stores = true;

  // The lanes that perform the current op: active ones whose guard holds. &active when it holds for all.
  const Mask* mask = nullptr;
  bool unguarded = false;
  Mask guarded;

  std::vector<u16> few; // what compacted_lanes() found, while `listed`
  u32 compacted_count = 0;
  bool listed = false;

  std::vector<std::unique_ptr<std::byte[]>> scratch_storage;
  void* scratch[4] = {};  // each a register of 64-bit lanes; also address arrays
  u64* address = nullptr; // [lanes]

  // Allocation ranges that recent accesses fell in, per site: most stay in one array.
  struct RangeCache {
    Memory::Range range;
    u64 epoch = 0;
  };
  std::vector<RangeCache> ranges;
  std::set<std::pair<u32, std::string>> warned; // site, kind: has been reported
  std::vector<u64>
      copied_to; // [lanes] where an asynchronous copy writes, and who performs it (ops/report.cpp)
  Mask copying;
  std::vector<u64> matrix; // [register][lane]: the operands of a multiplication (lower/lower_matrix.cpp)
  std::vector<u64> texels; // [warp][texel][lane]: what a filtered fetch reads beside the first texel

  Exec(LaunchState&, const Shape&);
  ~Exec();

  // The CTA that a thread of the batch belongs to.
  u32 cta_of(u32 thread) const { return shape.ctas == 1 ? 0 : thread / shape.cta_threads; }
  Dim3 cta_id(u32 thread) const { return {cta->id.x + cta_of(thread), cta->id.y, cta->id.z}; }
  u64 shared_bytes() const; // of one CTA

  // Decides who performs `op`; false when no lane does.
  bool enter(const Op& op) {
    warp_instructions += active_warps;
    thread_instructions += active_lanes;
    mask = &active;
    unguarded = full;
    return op.guard == no_slot || enter_guarded(op);
  }
  bool enter_guarded(const Op& op);
  // The same where somebody else knows who performs it: those of the active lanes.
  void perform(const Mask& lanes) {
    guarded = lanes;
    mask = &guarded;
    unguarded = full && lanes == active;
  }
  // Whether the op may write its destinations whole: no other lane needs what they held.
  bool kills(const Op& op) const { return unguarded || (op.kills && frame->users == 1); }
  void set_active(const Mask&);
  // The lanes that perform the current op where they are few in their warps: warp by warp, the last lane of
  // each first. Empty where they are many, or chosen by a guard.
  std::span<const u16> compacted_lanes();
  void load_top(); // after the stack changed: continue at its top entry
  Value& value(SlotId slot) { return values[slot]; }

  // Merges lanes computed in `from` (register layout, all lanes) into a destination under the current mask.
  void merge(Value& destination, const void* from);
  // A source as lanes.
  const void* lanes_of(SlotId slot) {
    Value& v = values[slot];
    need_lanes(v, shape);
    return v.read(0);
  }
  u64 lane_value(SlotId slot, u32 thread);                  // one lane, zero-extended
  void set_lane(Value& destination, u32 thread, u64 value); // destination must have lanes

  const ir::Instruction& instruction(const Op& op) const {
    return code->function->instructions[op.instruction];
  }
};

// What no GPU has more of (CUDA Programming Guide, Technical Specifications per Compute Capability).
inline constexpr u64 most_local_bytes = 512 << 10; // per thread

// What one launch shares among its workers.
struct LaunchState {
  Device& device;
  Program::Impl& program;
  const LaunchSpec& spec;
  const LaunchOptions& options;
  std::unique_ptr<Shape> shape;      // of a batch
  std::unique_ptr<Shape> last_shape; // of the last one in each row of the grid, when it is shorter
  u64 batches = 0,
      row_batches = 0; // in the grid; in a row of it. Where there are clusters, these are the batches
  Dim3 cluster{1, 1, 1};
  bool has_clusters() const { return cluster.count() > 1; }
  bool ranks_in_addresses = false; // of machine code in clusters: exec/cluster.h
  const Code* entry = nullptr;
  std::vector<std::byte> parameters; // the kernel's, as ld.param sees them
  std::vector<u32> shared_offset;    // [module variables]
  u32 shared_bytes = 0;
  // A CTA's, in whole units of allocation: what is behind its own is there, and nobody's.
  u64 shared_granted = 0;
  u64 shared_stride = 0;  // from one CTA's shared memory to the next one's in a batch
  u64 local_bytes = 0;    // per thread: entry depot and room for calls
  u64 grid_workspace = 0; // cooperative launches: what %envreg1:2 point to
  SampleRun sample;
  std::atomic<u64> next_batch = 0;
  // Of the order in which batches run: where it ends for now.
  u64 end_of_batches() const { return sample.running ? sample.shares.size() - 1 : batches; }
  std::atomic<u64> finished = 0;
  // CTAs from this one on stop. After a fault that is the CTA that faulted: those before it may still come to
  // a fault of their own, and the first one is the launch's, however many workers there are.
  std::atomic<u64> stop_from = ~u64{0};
  // Called where a worker looks at the clock.
  void tell_progress() const {
    if (options.progress) options.progress(finished.load(std::memory_order_relaxed), spec.grid.count());
  }
  Closing closing{options};
  bool stopping() const { return stop_from.load(std::memory_order_relaxed) != ~u64{0}; }
  std::mutex mutex; // guards what follows, and device output
  std::optional<Fault> fault;
  u64 fault_order = ~u64{0}; // the CTA it came from; last when it is not the kernel's doing
  std::vector<diag::Diagnostic> warnings;
  // Branches of loops where lanes of one warp were seen to wait for each other, by a hash of the instruction.
  std::array<std::atomic<bool>, 1024> splitting{};
  std::atomic<bool>& splits(u32 instruction) { return splitting[instruction % splitting.size()]; }

  LaunchState(Device& d, Program::Impl& p, const LaunchSpec& s, const LaunchOptions& o)
      : device(d), program(p), spec(s), options(o) {}
};

} // namespace warplens::sim
