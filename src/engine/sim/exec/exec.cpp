// What a worker's view of its batch (exec.h) does for itself: its scratch memory, where a group goes on, who
// performs an op, and lanes of registers one by one or under a mask.
#include "sim/exec/exec.h"
#include "sim/exec/splits.h"
#include "sim/kernels/lane_memory.h"
#include "sim/program/program.h"
#include "sim/value/lanes.h"

namespace warplens::sim {

// With what is reserved behind the kernel's own (grid/prepare.cpp).
u64 Exec::shared_bytes() const {
  u64 own = launch.shared_bytes + launch.spec.dynamic_shared;
  return launch.shared_stride > launch.shared_granted ? launch.shared_stride : own;
}

Exec::Exec(LaunchState& l, const Shape& s) : launch(l), shape(s) {
  auto room = [&] {
    u64 bytes = storage_bytes(64, shape.lanes) + 64;
    scratch_storage.push_back(std::make_unique<std::byte[]>(bytes));
    return reinterpret_cast<void*>(align_up(reinterpret_cast<u64>(scratch_storage.back().get()), 64));
  };
  for (void*& s : scratch) s = room();
  address = static_cast<u64*>(room());
  few.resize(shape.lanes + list_slack);
  ranges.resize(l.program.module.sites.size());
}

Exec::~Exec() = default;
Group::Group() = default;
Group::~Group() = default;

void Exec::load_top() {
  const FrameLink& link = group->frames.back();
  frame = link.frame;
  code = frame->code;
  values = frame->values.data();
  const StackEntry& top = group->stack.back();
  pc = top.pc;
  set_active(top.mask);
}

// What a profiler counts of an access whose guard holds for no lane of a warp.
static void report_off(const Exec& x, const Op& op, u32 warps) {
  if (warps != 0 && op.site.valid() && x.sink != nullptr && x.code->function->is_machine_code)
    x.sink->predicated_off(op.site, warps);
}

bool Exec::enter_guarded(const Op& op) {
  Value& guard = values[op.guard];
  if (guard.uniform()) {
    if ((guard.base & 1) != op.guard_negated) return true;
    report_off(*this, op, active_warps);
    return false;
  }
  need_lanes(guard, shape);
  u32 flip = op.guard_negated ? full_mask : 0, any = 0, missing = 0, off = 0;
  const u32* holds = guard.read<u32>(0);
  guarded = {};
  for (u32 w = first_warp; w < end_warp; ++w) {
    guarded.word[w] = active.word[w] & (holds[w] ^ flip);
    any |= guarded.word[w];
    missing |= guarded.word[w] ^ active.word[w];
    off += guarded.word[w] == 0 && active.word[w] != 0;
  }
  if (missing == 0) return true;
  report_off(*this, op, off);
  mask = &guarded;
  unguarded = false;
  return any != 0;
}

void Exec::set_active(const Mask& lanes) {
  active = lanes;
  lanes::MaskSummary summary = lanes::summarise(lanes.word.data(), frame->live.word.data(), shape.warps);
  first_warp = summary.first_warp;
  end_warp = summary.end_warp;
  active_warps = summary.warps;
  active_lanes = summary.lanes;
  full = summary.all;
  whole = full && active_lanes == shape.threads;
  listed = false;
}

std::span<const u16> Exec::compacted_lanes() {
  constexpr u32 few_per_warp = 8; // from there on vectors of whole warps are faster
  if (mask != &active || active_lanes > few_per_warp * active_warps) return {};
  if (!listed) compacted_count = lane_memory().list(few.data(), active.word.data(), first_warp, end_warp);
  listed = true;
  return {few.data(), compacted_count};
}

void Exec::merge(Value& destination, const void* from) {
  need_lanes(destination, shape);
  u32 lanes = (end_warp - first_warp) * warp_size;
  const u32* masks = mask->word.data() + first_warp;
  u32 w = first_warp;
  switch (destination.bits) {
  case 1: {
    u32* into = destination.writable<u32>(0);
    const u32* f = static_cast<const u32*>(from);
    for (; w < end_warp; ++w) into[w] = (into[w] & ~mask->word[w]) | (f[w] & mask->word[w]);
    break;
  }
  case 16:
    lanes::merge16(destination.writable<u16>(w), static_cast<const u16*>(from) + w * 32, masks, lanes);
    break;
  case 32:
    lanes::merge32(destination.writable<u32>(w), static_cast<const u32*>(from) + w * 32, masks, lanes);
    break;
  default: lanes::merge64(destination.writable<u64>(w), static_cast<const u64*>(from) + w * 32, masks, lanes);
  }
  destination.set_lanes();
}

u64 Exec::lane_value(SlotId slot, u32 thread) {
  Value& v = values[slot];
  need_lanes(v, shape);
  switch (v.bits) {
  case 1: return v.read<u32>(0)[thread / 32] >> (thread % 32) & 1;
  case 16: return v.read<u16>(0)[thread];
  case 32: return v.read<u32>(0)[thread];
  default: return v.read<u64>(0)[thread];
  }
}

void Exec::set_lane(Value& v, u32 thread, u64 value) {
  switch (v.bits) {
  case 1: {
    u32& word = v.writable<u32>(0)[thread / 32];
    word = (word & ~(1u << thread % 32)) | static_cast<u32>(value & 1) << thread % 32;
    break;
  }
  case 16: v.writable<u16>(0)[thread] = static_cast<u16>(value); break;
  case 32: v.writable<u32>(0)[thread] = static_cast<u32>(value); break;
  default: v.writable<u64>(0)[thread] = value;
  }
}

} // namespace warplens::sim
