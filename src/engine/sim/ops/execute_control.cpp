// Branches, calls, returns, traps. Conditional branches on a uniform predicate just jump; lanes that disagree
// go onto the group's SIMT stack and meet at the branch's immediate post-dominator (Op::Jump::join).
#include "sim/exec/fault.h"
#include "sim/exec/simt.h"
#include "sim/exec/splits.h"
#include "sim/ops/builtins.h"
#include "sim/program/program.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace warplens::sim {
namespace {

// How often a waiting loop may go round before others get a turn, and before its lanes are split off from the
// lanes that wait for them at the reconvergence point. The first is cheap and changes no count; the second is
// only for lanes of one warp that wait for each other, so it comes late, and early once a loop has shown
// itself to be such a one. Rounds count only while nothing is written: a loop full of atomics that change
// memory is getting on with something.
constexpr u64 turn_limit = 64;
constexpr u64 turn_limit_writing = 1 << 14; // who writes and yet waits lets others run too, now and then
constexpr u64 split_limit = 65536, split_limit_known = 64;
constexpr u64 return_address_bytes =
    16; // of local memory that a call takes at least: recursion ends somewhere
constexpr u64 silent_split_limit = u64{1} << 26; // for loops that only spin on plain loads

bool others_in_stack(const Exec& x) {
  for (const StackEntry& entry : x.group->stack)
    for (u32 w = 0; w < x.shape.warps; ++w)
      if (entry.mask.word[w] & ~x.active.word[w]) return true;
  return false;
}

// Raises a fault when the launch was cancelled or its time is over, or ends a worker that another one's fault stops.
void check_clock(Exec& x, const Op& op) {
  x.next_look = x.warp_instructions + instructions_per_look;
  x.launch.tell_progress();
  if (x.cta->index >= x.launch.stop_from.load(std::memory_order_relaxed)) throw FaultError{};
  if (!x.launch.closing.is_over()) return;
  if (x.launch.closing.why() == FaultKind::cancelled)
    raise(x, op, FaultKind::cancelled, "launch-cancelled", "the launch was interrupted",
          first_thread(x.active));
  raise(x, op, FaultKind::timeout, "launch-timeout", "the launch ran longer than the time limit",
        first_thread(x.active), 0, {},
        "give it more with --timeout, or look for a loop or a recursion that never ends here");
}

void pass_time(Exec& x, const Op& op) {
  if (x.warp_instructions >= x.next_look) [[unlikely]]
    check_clock(x, op);
}

// Going backwards: where a kernel can run for ever. Recursion takes as long where each call makes two.
void backward(Exec& x, const Op& op) {
  pass_time(x, op);
  Group& group = *x.group;
  if (group.writes != x.writes) {
    group.writes = x.writes;
    group.spins = 0;
  }
  ++group.rounds;
  ++group.spins;
  bool waits = op.jump().spins;
  u64 limit = !waits                                                            ? silent_split_limit
              : x.launch.splits(op.instruction).load(std::memory_order_relaxed) ? split_limit_known
                                                                                : split_limit;
  if ((group.spins >= limit || group.rounds >= silent_split_limit) && others_in_stack(x)) {
    if (waits) x.launch.splits(op.instruction).store(true, std::memory_order_relaxed);
    group.stack.back().pc = x.pc;
    x.cta->groups.push_back(split_off(x, group, x.active)); // the spinning lanes; the others go on
    group.rounds = group.spins = group.turn = 0;
    x.stop = true;
    return;
  }
  u64 since = group.rounds - group.turn;
  if (since >= (!waits ? silent_split_limit : group.spins >= turn_limit ? turn_limit : turn_limit_writing)) {
    group.turn = group.rounds;
    group.stack.back().pc = x.pc;
    group.spinning = true;
    x.stop = true;
  }
}

void jump(Exec& x, const Op& op, u32 target) {
  bool back = target < x.pc;
  x.pc = target;
  if (back) backward(x, op);
}

// Machine code that calls itself: it takes all local memory for its stack (alloca). Its regions alone have meetings, so that an entry that
// is at the place where those above it meet is what goes on from there, whichever call of the function it belongs to.
bool calls_itself(const Exec& x) { return x.code->allocates && !x.code->function->meetings.empty(); }

// Lanes that wait at `pc` while others of their branch go on: with those of their warp that wait there already.
void put_off(Exec& x, u32 pc, u32 join, Mask lanes) {
  std::vector<StackEntry>& stack = x.group->stack;
  for (std::size_t i = stack.size(); i > x.group->frames.back().floor && stack[i - 1].reconvergence == join;
       --i) {
    if (stack[i - 1].pc == join && calls_itself(x)) break; // of the call around this one
    for (u32 w = 0; stack[i - 1].pc == pc && w < x.shape.warps; ++w)
      if (u32& waiting = stack[i - 1].mask.word[w]; waiting != 0) waiting |= std::exchange(lanes.word[w], 0);
  }
  if (pc != join && !empty(lanes, x.shape.warps)) stack.emplace_back(pc, join, lanes);
}

// Parts the lanes that a branch takes, Exec::mask, from the others. These go first: those that pass over a loop go before those that
// take it, and so meet nobody who comes from it. by_lanes: each warp's others go first unless they are more, as on an H200.
void diverge(Exec& x, const Op& op) {
  std::vector<StackEntry>& stack = x.group->stack;
  u32 next = x.pc, target = op.jump().target, join = op.jump().reconvergence;
  u32 inner = join == no_target ? stack.back().reconvergence : join;
  Mask taken = *x.mask, rest = x.active;
  if (Splits* splits = splits_here(*x.group))
    return part_at_branch(x, taken.word[splits->warp], target, next);
  for (u32 w = x.first_warp; w < x.end_warp; ++w) rest.word[w] &= ~taken.word[w];
  if (join == no_target)
    stack.pop_back(); // no point to meet again: each path ends on its own (or at the outer join, entry below)
  else
    stack.back().pc = join;
  if (op.jump().by_lanes) {
    Mask taken_later, rest_later;
    for (u32 w = x.first_warp; w < x.end_warp; ++w) {
      u32 &t = taken.word[w], &r = rest.word[w];
      if (t == 0 || r == 0) continue;
      if (std::popcount(r) <= std::popcount(t))
        taken_later.word[w] = std::exchange(t, 0);
      else
        rest_later.word[w] = std::exchange(r, 0);
    }
    put_off(x, target, inner, taken_later);
    put_off(x, next, inner, rest_later);
  }
  const std::size_t first = stack.size();
  if (target != inner && !empty(taken, x.shape.warps)) stack.emplace_back(target, inner, taken);
  if (next != inner && !empty(rest, x.shape.warps)) stack.emplace_back(next, inner, rest);
  if (!op.jump().by_lanes && target > next && stack.size() == first + 2 &&
      x.code->loops[target] != x.code->loops[next])
    std::swap(stack[first], stack[first + 1]);
  x.load_top();
}

} // namespace

// The most that a lane which performs a call holds by alloca, bytes.
static u64 most_held(Exec& x, const Op& op) {
  u64 most = 0;
  for (u32 w = x.first_warp; x.code->allocates && w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      most = std::max(most, x.lane_value(op.source(op.sources - 1u), w * warp_size + lane));
    });
  return most;
}

// A GPU keeps the registers of callers in local memory, too; here they have memory of their own, which ends where no
// thread of a GPU could have as much.
static void check_stack(Exec& x, const Op& op, const ir::Function& callee, u64 local_end) {
  if (local_end <= x.launch.local_bytes && x.cta->frame_bytes <= most_local_bytes * x.shape.lanes) return;
  std::string too_much =
      local_end > x.launch.local_bytes
          ? fmt::format("more local memory than the {} bytes a thread has", x.launch.local_bytes)
          : fmt::format("more than {} bytes per thread for the registers of all calls", most_local_bytes);
  raise(x, op, FaultKind::stack_overflow, "kernel-stack-overflow",
        fmt::format("call of '{}' needs {}", callee.name, too_much), first_thread(*x.mask), 0, {},
        "reduce the recursion depth, ask for more with cudaDeviceSetLimit(cudaLimitStackSize, …), or end a "
        "recursion "
        "that never ends");
}

// What is behind it, where that is known; empty where the instruction is just not there.
static std::string why_unsupported(const ir::Form& form) {
  // By the text: modifiers that nobody knows leave no opcode.
  if (form.text.starts_with("multimem"))
    return "multicast memory, of several GPUs that NVSwitch joins, is not emulated";
  if (form.text.starts_with("tcgen05"))
    return "tensor memory, which compute capability 10.0 introduced, is not emulated";
  // Of 10.0, too, but with ways around that compilers take for 9.0.
  for (std::string_view part : {"clusterlaunchcontrol", ".cta_group::", "::gather4", "::scatter4", ".cp_mask",
                                "st.bulk", "st.async.mmio", ".im2col::w"})
    if (form.text.find(part) != form.text.npos)
      return "compute capability 10.0 introduced it: compile the kernel for 9.0, which does without";
  if (form.family() == ir::Family::unsupported) return {};
  return "the instruction is known, but not with these operands: one is of a kind or a width that it does "
         "not take, such as "
         "a predicate where a value belongs";
}

namespace ops {

void branch(Exec& x, const Op& op) {
  x.warp_instructions += x.active_warps;
  x.thread_instructions += x.active_lanes;
  jump(x, op, op.jump().target);
}

void branch_if(Exec& x, const Op& op) {
  if (Value& guard = x.values[op.guard]; guard.uniform()) {
    x.warp_instructions += x.active_warps;
    x.thread_instructions += x.active_lanes;
    if ((guard.base & 1) != op.guard_negated) jump(x, op, op.jump().target);
    return;
  }
  if (!x.enter(op)) return;
  if (x.mask == &x.active) {
    jump(x, op, op.jump().target);
    return;
  }
  bool back = op.jump().target < x.pc;
  diverge(x, op);
  if (back) backward(x, op);
}

// brx.idx: source 0 is the index into the table
void branch_table(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  part_for_good(x);
  const std::vector<u32>& table = x.code->tables[op.table_index()];
  Value& index = x.values[op.source(0)];
  if (index.uniform() && x.unguarded) {
    if (static_cast<u32>(index.base) < table.size()) jump(x, op, table[static_cast<u32>(index.base)]);
    return;
  }
  std::vector<std::pair<u32, Mask>> paths;
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.active.word[w], [&](u32 lane) {
      bool performs = x.mask->word[w] >> lane & 1;
      u32 entry = static_cast<u32>(x.lane_value(op.source(0), w * warp_size + lane));
      // An index past the table is undefined in PTX; falling through keeps it harmless.
      u32 target = performs && entry < table.size() ? table[entry] : x.pc;
      auto found = std::find_if(paths.begin(), paths.end(), [&](auto& p) { return p.first == target; });
      if (found == paths.end()) found = paths.insert(paths.end(), {target, Mask{}});
      found->second.word[w] |= 1u << lane;
    });
  if (paths.size() == 1) {
    jump(x, op, paths[0].first);
    return;
  }
  std::vector<StackEntry>& stack = x.group->stack;
  u32 join = op.jump().reconvergence, inner = join == no_target ? stack.back().reconvergence : join;
  if (join == no_target)
    stack.pop_back();
  else
    stack.back().pc = join;
  std::sort(paths.begin(), paths.end(), [](auto& a, auto& b) { return a.first > b.first; });
  bool back = paths.back().first < x.pc;
  for (auto& [pc, mask] : paths)
    if (pc != join) stack.push_back({pc, inner, mask});
  x.load_top();
  if (back) backward(x, op);
}

// BSSY: all lanes that are here will be waited for at the region's end, where those come that leave regions inside it, too.
void open_region(Exec& x, const Op& op) {
  std::vector<StackEntry>& stack = x.group->stack;
  if (Splits* splits = splits_here(*x.group)) {
    splits->awaited(op.jump().reconvergence) |= x.active.word[splits->warp];
    x.pc = op.jump().target;
    return;
  }
  stack.back().pc = op.jump().reconvergence;
  stack.emplace_back(op.jump().target, op.jump().reconvergence, x.active);
  x.load_top();
}

// The first op of a block where diverged lanes may meet: arriving paths wait here for the others.
void reconverge(Exec& x, const Op&) {
  std::vector<StackEntry>& stack = x.group->stack;
  u32 here = x.pc - 1;
  if (splits_here(*x.group) != nullptr) return wait_for_region(x, here);
  if (stack.back().reconvergence != here) {
    if (!x.code->function->meetings.empty()) wait_below(x, here);
    return;
  }
  stack.pop_back(); // one path: the entry below is the other path, or the lanes that meet here
  x.load_top();
  if (x.pc != here || !calls_itself(x)) return;
  ++x.pc;
  if (x.code->ops[x.pc].kind() == OpKind::reconverge_early) ++x.pc;
}

// Where paths meet before the post-dominator: the body of `if (a || b)` is reached from both tests. Compilers
// for the hardware turn such tests into one predicate, so that the body runs once; here the path that arrives
// first waits for the others of its branch, as long as nothing between them and this place is a loop.
void reconverge_early(Exec& x, const Op& op) {
  if (splits_here(*x.group) != nullptr) return;
  std::vector<StackEntry>& stack = x.group->stack;
  u32 here = op.block_start(), join = stack.back().reconvergence, floor = x.group->frames.back().floor;
  for (std::size_t i = stack.size() - 1; i > floor && stack[i - 1].reconvergence == join; --i) {
    StackEntry& other = stack[i - 1];
    if (other.pc == join && calls_itself(x)) return; // of the call around this one
    if (other.pc == join) continue;                  // lanes that are through already
    if (other.pc == here) {
      for (u32 w = 0; w < x.shape.warps; ++w) other.mask.word[w] |= stack.back().mask.word[w];
      stack.pop_back();
      x.load_top();
      return;
    }
    if (other.pc < here && x.code->loops[here] == x.code->loops[other.pc]) {
      stack.back().pc = here;
      StackEntry next = other;
      stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(i - 1));
      stack.push_back(next);
      x.load_top();
      return;
    }
  }
}

void call(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  x.next_look -= std::min(x.next_look, instructions_of_call);
  pass_time(x, op);
  const CallSite& site = x.code->calls[op.call_index()];
  const ir::Module& module = *x.code->module;
  ir::FunctionId callee = site.callee;
  Mask lanes = *x.mask;
  if (!callee.valid()) { // through a register: the lanes of one target at a time
    u64 first = x.lane_value(op.source(0), first_thread(lanes));
    Mask same;
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(lanes.word[w], [&](u32 lane) {
        if (x.lane_value(op.source(0), w * warp_size + lane) == first) same.word[w] |= 1u << lane;
      });
    u64 index = (first - function_address_base) / function_address_step;
    if (first < function_address_base || index >= module.functions.size())
      raise(x, op, FaultKind::invalid_instruction, "kernel-bad-function-pointer",
            fmt::format("call through {:#x}, which is no function", first), first_thread(lanes), first);
    callee = ir::FunctionId(static_cast<u32>(index));
    if (module.functions[callee.value].entry)
      raise(x, op, FaultKind::unsupported_call, "kernel-calls-kernel",
            fmt::format("call of '{}', which is a kernel, through a pointer",
                        module.functions[callee.value].name),
            first_thread(lanes), 0, {}, "a kernel launches another one with <<<…>>>");
    if (same != lanes) { // the others come back to this op
      part_for_good(x);
      std::vector<StackEntry>& stack = x.group->stack;
      Mask others;
      for (u32 w = 0; w < x.shape.warps; ++w) others.word[w] = x.active.word[w] & ~same.word[w];
      stack.back().pc = x.pc; // all meet after the call: lowering puts a join there
      u32 meet = x.pc;
      stack.push_back({x.pc - 1, meet, others});
      stack.push_back({x.pc - 1, meet, same});
      x.load_top();
      return;
    }
  }
  const ir::Function& function = module.functions[callee.value];
  if (function.external) {
    if (!call_builtin(x, op, function, site))
      raise(x, op, FaultKind::unsupported_call, "kernel-unresolved-function",
            fmt::format("call of '{}', which is not defined in the program", function.name),
            first_thread(lanes), 0, {}, "link the file that defines it, or compile with -rdc=true");
    return;
  }
  const Code& code = x.launch.program.code_of(callee);
  u64 local_base =
      x.frame->local_base + align_up(x.code->local_bytes + most_held(x, op), 16) + return_address_bytes;
  check_stack(x, op, function, local_base + code.local_bytes);
  const Frame& caller = *x.frame;
  Frame* frame = enter_frame(x, code, lanes, local_base);
  copy_parameters(x, lanes, caller, site.argument_variables, *frame, function.parameters);
  // Guarded calls: the lanes that do not call wait behind it, in the entry below.
  x.group->stack.back().pc = x.pc;
  x.group->frames.push_back({frame, static_cast<u32>(x.group->stack.size()), x.pc, op.call_index()});
  x.group->stack.push_back({0, no_target, lanes});
  x.load_top();
}

void ret(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Mask lanes = *x.mask;
  if (x.group->frames.size() == 1)
    exit_lanes(x, lanes);
  else
    return_lanes(x, lanes);
}

void exit(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Mask lanes = *x.mask;
  exit_lanes(x, lanes);
}

void trap(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  raise(x, op, FaultKind::trap, "kernel-trap", "the kernel executed a trap", first_thread(*x.mask));
}

void nanosleep(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  // Whoever sleeps waits for someone: let the others run.
  x.group->stack.back().pc = x.pc;
  x.group->spinning = true;
  x.stop = true;
}

// Workers are host threads: what orders a GPU's accesses orders theirs.
void fence(Exec& x, const Op& op) {
  if (x.enter(op)) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void yield(Exec& x, const Op& op) {
  if (x.enter(op)) sim::yield(x);
}

void nothing(Exec& x, const Op& op) { x.enter(op); }

void unsupported(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  std::vector<std::string> notes;
  if (std::string why = why_unsupported(*op.form); !why.empty()) notes.push_back(std::move(why));
  raise(x, op, FaultKind::unsupported_instruction, "kernel-unsupported-instruction",
        fmt::format("'{}' is not implemented", op.form->text), first_thread(*x.mask), 0, std::move(notes),
        "the launch's counts are not complete; other launches go on");
}

} // namespace ops
} // namespace warplens::sim
