// Which ops are looked at, and what is kept of each byte that they touch. See access_checks.h.
#include "sim/watch/access_checks.h"
#include "ir/unused.h"
#include "sim/exec/barriers.h"
#include "sim/exec/fault.h"
#include "sim/program/program.h"
#include <algorithm>
#include <fmt/format.h>

namespace warplens::sim {

using ir::StateSpace;

namespace {

bool accesses_memory(OpKind kind) {
  switch (kind) {
  case OpKind::load:
  case OpKind::store:
  case OpKind::atomic:
  case OpKind::atomic_wide:
  case OpKind::load_sized:
  case OpKind::load_matrix: return true;
  default: return false;
  }
}

bool is_atomic(OpKind kind) { return kind == OpKind::atomic || kind == OpKind::atomic_wide; }

RaceAccess race_access(OpKind kind) {
  return kind == OpKind::store ? RaceAccess::write : is_atomic(kind) ? RaceAccess::atomic : RaceAccess::read;
}

bool is_beyond(OpKind kind) {
  switch (kind) {
  case OpKind::mbarrier:
  case OpKind::mbarrier_wait:
  case OpKind::bulk_copy:
  case OpKind::cluster_barrier:
  case OpKind::cluster_map:
  case OpKind::store_matrix: return true;
  default: return false;
  }
}

std::string_view verb(RaceAccess access) {
  switch (access) {
  case RaceAccess::read: return "reads";
  case RaceAccess::write: return "writes";
  case RaceAccess::atomic: break;
  }
  return "updates";
}

} // namespace

bool AccessChecks::judges_shared() {
  if (!judges_shared_) {
    judges_shared_ = true;
    for (ir::FunctionId function : x_.launch.program.reachable(x_.launch.spec.kernel).functions)
      for (const Op& op : x_.launch.program.code_of(function).ops)
        if (is_beyond(op.kind())) judges_shared_ = false;
  }
  return *judges_shared_;
}

void AccessChecks::begin(Cta& cta) {
  Shadow& fresh = shadows_[&cta];
  u64 bytes = x_.shared_bytes();
  fresh.written.assign(bytes, false);
  fresh.races.begin(x_.launch.options.checks.race ? bytes : 0, x_.shape.warps, x_.shape.all);
}

// What such an exchange finds reaches nobody: it is a store.
bool AccessChecks::is_unused_exchange(const Op& op) {
  if (!is_atomic(op.kind()) || op.form->atomic_op() != ir::AtomicOp::exch) return false;
  auto [known, fresh] = unused_.try_emplace(x_.code);
  if (fresh) known->second = ir::unused_results(*x_.code->module, *x_.code->function);
  return known->second.contains(op.site);
}

void AccessChecks::before(const Step& step) {
  const Op& op = step.op;
  if (is_beyond(op.kind()))
    warn(x_, op, "check-shared-skipped",
         "shared memory of this kernel is not checked: mbarriers, bulk copies, clusters and stmatrix are not "
         "followed",
         first_thread(x_.active), {}, {}, diag::Severity::note);
  if (!accesses_memory(op.kind())) return;
  if (x_.launch.device.shape.lockstep_warps)
    for (u32 w = x_.first_warp; w < x_.end_warp; ++w) shadow().races.meet(w, x_.shape.all.word[w]);
  x_.mask = &x_.active;
  x_.unguarded = x_.full;
  if (op.guard != no_slot && !x_.enter_guarded(op)) return;
  resolve(x_, op, Purpose::atomic, [&](const AccessView& a) { look(op, a); });
}

void AccessChecks::look(const Op& op, const AccessView& a) {
  bool shared = a.space == StateSpace::shared;
  if (!shared && a.space != StateSpace::global) return;
  if (shared && !judges_shared()) return;
  // The first lanes of ldmatrix name the rows; of a sized copy each lane reads as much as it says.
  u32 named = op.kind() == OpKind::load_matrix ? op.destinations * 8u : warp_size;
  const u32* size =
      op.kind() == OpKind::load_sized ? static_cast<const u32*>(x_.lanes_of(op.source(1))) : nullptr;
  for (u32 w = x_.first_warp; w < x_.end_warp; ++w)
    for_each_lane(a.mask->word[w] & low_lanes(named), [&](u32 lane) {
      u32 thread = w * warp_size + lane, bytes = size == nullptr ? a.bytes : std::min(size[thread], a.bytes);
      if (shared)
        look_at_shared(op, thread, a.address[thread], bytes);
      else
        look_at_global(op, thread, a.address[thread], bytes);
    });
}

// Where the address is outside all memory the op's handler is about to say so.
void AccessChecks::look_at_global(const Op& op, u32 thread, u64 address, u32 bytes) {
  const Memory& memory = *x_.launch.device.memory;
  WrittenBytes* written = memory.written();
  if (!x_.launch.options.checks.memory || written == nullptr || bytes == 0 || !memory.mapped(address, bytes))
    return;
  if (op.kind() == OpKind::store || is_unused_exchange(op)) return written->mark(address, bytes);
  if (std::optional<u64> at = written->first_unwritten(address, bytes);
      at && memory.range(*at).covers(*at, 1)) {
    // An index that leaves its array may land in another one.
    const std::optional<PointerParameter> pointer = pointer_of(x_, op);
    if (pointer && pointer->target && pointer->target->address != memory.range(*at).begin)
      warn(x_, op, "kernel-out-of-bounds",
           fmt::format(
               "load of {} bytes at {:#x} is outside its allocation, inside another one that nobody wrote",
               bytes, address),
           thread, {describe_pointer(x_, op, address), describe_address(x_, address)},
           "check the index against the size that was allocated", diag::Severity::error);
    else
      warn(x_, op, "memory-uninitialized",
           fmt::format("global memory is read that nobody wrote: {} bytes at {:#x}", bytes, address), thread,
           {describe_address(x_, *at)}, "write it first: cudaMemset, cudaMemcpy, or a kernel");
  }
  if (is_atomic(op.kind())) written->mark(address, bytes);
}

// What the thread stores, element by element as in memory.
std::array<std::byte, 32> AccessChecks::stored_by(const Op& op, u32 thread) {
  std::array<std::byte, 32> out{};
  if (op.kind() != OpKind::store) return out;
  for (u32 e = 0; e < op.elements; ++e) {
    const SlotId source = op.source(1 + e);
    const auto* lanes = static_cast<const std::byte*>(x_.lanes_of(source));
    const auto* from = lanes + u64{thread} * x_.value(source).bits / 8;
    std::copy_n(from, op.element_bytes, out.data() + e * op.element_bytes);
  }
  return out;
}

void AccessChecks::look_at_shared(const Op& op, u32 thread, u64 offset, u32 bytes) {
  Shadow& known = shadow();
  if (!Memory::Range{0, known.written.size()}.covers(offset, bytes) || bytes == 0) return;
  if (x_.launch.options.checks.memory && op.kind() != OpKind::store && !is_unused_exchange(op))
    for (u64 at = offset; at < offset + bytes; ++at)
      if (!known.written[at]) {
        warn(x_, op, "memory-uninitialized",
             fmt::format("shared memory is read that no thread of the block wrote: {} bytes at offset {:#x}",
                         bytes, offset_in_shared(x_, offset)),
             thread, {}, "write it first, and let a barrier follow");
        break;
      }
  if (op.kind() == OpKind::store || is_atomic(op.kind()))
    for (u64 at = offset; at < offset + bytes; ++at) known.written[at] = true;
  if (!x_.launch.options.checks.race) return;
  if (auto earlier = known.races.access(thread, offset, bytes, race_access(op.kind()), *x_.code, op,
                                        stored_by(op, thread).data()))
    report_race(op, thread, offset, *earlier);
}

void AccessChecks::report_race(const Op& op, u32 thread, u64 offset, const Races::Earlier& earlier) {
  const u32 warp = thread / warp_size, other = earlier.thread / warp_size;
  const bool one_warp = warp == other;
  if (!told_.emplace(&op, one_warp).second) return;
  const auto name = [&](u32 t) {
    return one_warp ? fmt::format("lane {}", t % warp_size) : fmt::format("warp {}", t / warp_size);
  };
  const std::string_view does = verb(race_access(op.kind())), did = verb(earlier.access);
  const std::string note =
      fmt::format("{}: {}", name(earlier.thread), text_of_place(*earlier.code, *earlier.op));
  if (!one_warp)
    return warn(x_, op, "race-shared",
                fmt::format("{} {} shared memory that {} {}, and no barrier is between them: offset {:#x}",
                            name(thread), does, name(earlier.thread), did, offset_in_shared(x_, offset)),
                thread, {note},
                "let a __syncthreads() that all threads of the block come to stand between the two");
  if (earlier.op == &op && op.kind() == OpKind::store)
    return warn(
        x_, op, "race-warp",
        fmt::format("lanes {} and {} of warp {} write different values to one address of shared memory: "
                    "offset {:#x}",
                    earlier.thread % warp_size, thread % warp_size, warp, offset_in_shared(x_, offset)),
        thread, {note}, "let one lane write, or give each lane its own element");
  warn(x_, op, "race-warp",
       fmt::format("{} of warp {} {} shared memory that {} {}, and no __syncwarp() is between them: offset "
                   "{:#x}",
                   name(thread), warp, does, name(earlier.thread), did, offset_in_shared(x_, offset)),
       thread, {note},
       "let a __syncwarp() that names both lanes stand between the two; shuffles and votes do not order "
       "memory");
}

void AccessChecks::arrive(const Op&, u32 id, Barrier&, u32) { shadow().races.arrive(id, *x_.mask); }
void AccessChecks::go_on(u32 id, const Mask& lanes) { shadow().races.go_on(id, lanes); }
void AccessChecks::close(u32 id) { shadow().races.close(id); }

// Lanes that name the same members, and those that wait at another such barrier for them.
void AccessChecks::meet(u32 warp, u32 lanes, u32 named) {
  for (const auto& group : x_.cta->groups) {
    if (group->state != GroupState::at_warp_sync) continue;
    const StackEntry& top = group->stack.back();
    if (is_warp_barrier(group->frames.back().frame->code->ops[top.pc])) lanes |= top.mask.word[warp] & named;
  }
  shadow().races.meet(warp, lanes);
}

// What stands at one line has one cause, and a barrier of the block orders the lanes, too.
void drop_covered_races(std::vector<diag::Diagnostic>& warnings) {
  std::erase_if(warnings, [&](const diag::Diagnostic& w) {
    return w.kind == "race-warp" &&
           std::any_of(warnings.begin(), warnings.end(), [&](const diag::Diagnostic& other) {
             return other.kind == "race-shared" && other.span.file == w.span.file &&
                    other.span.line == w.span.line;
           });
  });
}

} // namespace warplens::sim
