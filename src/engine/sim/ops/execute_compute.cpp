// Lane-by-lane instructions: run once when every source is uniform, on affine forms where a rule knows how,
// else the vector kernel over all lanes, or under a mask; one that knows no masks into scratch, and merged.
#include "sim/exec/exec.h"
#include "sim/ops/alias.h"
#include "sim/value/lanes.h"
#include <cstring>

namespace warplens::sim {

namespace {

u64 cut(u64 value, u32 bits) { return bits >= 64 ? value : value & ((u64{1} << bits) - 1); }

// What a kernel stored. As wide as it stored it: a processor lets a wider load wait until the store has reached the cache.
u64 stored(const u64& at, u32 bits) {
  switch (bits) {
  case 64: return at;
  case 16: {
    u16 value;
    std::memcpy(&value, &at, sizeof value);
    return value;
  }
  default: { // a predicate is a mask of lanes
    u32 value;
    std::memcpy(&value, &at, sizeof value);
    return value;
  }
  }
}

// All sources uniform: one lane says it for all. The kernel reads and writes the bases themselves.
void compute_uniform(Exec& x, const Op& op) {
  KernelArguments arguments;
  u64 in[5], out[2] = {0, 0};
  for (u32 i = 0; i < op.sources; ++i) {
    const Value& v = x.values[op.source(i)];
    in[i] = cut(v.base, v.bits);
    arguments.source[i] = &in[i];
  }
  for (u32 i = 0; i < op.destinations; ++i) arguments.destination[i] = &out[i];
  arguments.lanes = 1;
  arguments.variant = op.arithmetic().variant;
  op.arithmetic().kernel(arguments);
  for (u32 i = 0; i < op.destinations; ++i) {
    if (op.destination(i) == no_slot) continue;
    Value& result = x.values[op.destination(i)];
    result.set_uniform(stored(out[i], result.bits));
  }
}

bool compute_affine(Exec& x, const Op& op) {
  const Value* source[5];
  bool uniform = true;
  for (u32 i = 0; i < op.sources; ++i) {
    source[i] = &x.values[op.source(i)];
    if (!source[i]->affine) return false;
    uniform &= source[i]->uniform();
  }
  if (uniform) {
    compute_uniform(x, op);
    return true;
  }
  AffineRule affine = op.arithmetic().affine;
  if (affine == nullptr || op.destinations != 1 || op.destination(0) == no_slot) return false;
  Value& destination = x.values[op.destination(0)];
  Value result;
  result.bits = destination.bits;
  if (!affine(x.shape, op, source, result)) return false;
  destination.set_affine(result.base, result.stride);
  return true;
}

bool is_written(const Op& op, SlotId slot) {
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) == slot) return true;
  return false;
}

// Makes a source readable for the kernel: a uniform value as the first 32 lanes alone, which saves the cache
// from thousands of copies of a constant, unless the kernel writes over them. Says which
// (KernelArguments::blocks).
u32 need_blocks(Exec& x, const Op& op, SlotId slot) {
  Value& v = x.values[slot];
  if (!v.uniform() || v.bits == 1 || is_written(op, slot)) {
    need_lanes(v, x.shape);
    return every_block;
  }
  if (v.lanes) return one_block;
  if (v.bits == 16)
    lanes::fill16(v.writable<u16>(0), warp_size, static_cast<u16>(v.base));
  else if (v.bits == 32)
    lanes::fill32(v.writable<u32>(0), warp_size, static_cast<u32>(v.base));
  else
    lanes::fill64(v.writable<u64>(0), warp_size, v.base);
  return one_block;
}

// For the warps that take part; `to` is where the results of the first of them go.
void run_kernel(Exec& x, const Op& op, KernelFunction kernel, void* const* to) {
  KernelArguments arguments;
  for (u32 i = 0; i < op.sources; ++i) {
    arguments.blocks[i] = need_blocks(x, op, op.source(i));
    arguments.source[i] = x.values[op.source(i)].read(arguments.blocks[i] & x.first_warp);
  }
  for (u32 i = 0; i < op.destinations; ++i) arguments.destination[i] = to[i];
  arguments.lanes = (x.end_warp - x.first_warp) * warp_size;
  arguments.masks = x.mask->word.data() + x.first_warp;
  arguments.variant = op.arithmetic().variant;
  kernel(arguments);
}

// For kernels that know no masks, and where a result is not wanted.
void compute_and_merge(Exec& x, const Op& op) {
  void* to[2];
  for (u32 i = 0; i < op.destinations; ++i) {
    u32 bits = op.destination(i) == no_slot ? 64 : x.values[op.destination(i)].bits;
    to[i] = Value::in_scratch(x.scratch[i], bits, x.shape.lanes).writable(x.first_warp);
  }
  run_kernel(x, op, op.arithmetic().kernel, to);
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) != no_slot) x.merge(x.values[op.destination(i)], x.scratch[i]);
}

// Where the next op would only copy the result to memory: computes it there.
bool compute_in_memory(Exec& x, const Op& op) {
  void* target = result_target(x, op);
  if (target == nullptr) return false;
  run_kernel(x, op, op.arithmetic().kernel, &target);
  x.values[op.destination(0)].alias(target);
  return true;
}

} // namespace

namespace ops {

void compute(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  bool whole = x.kills(op);
  if (op.may_alias) x.values[op.destination(0)].forget_alias();
  if (whole && compute_affine(x, op)) return;
  if (op.may_alias && compute_in_memory(x, op)) return;
  const Op::Arithmetic& how = op.arithmetic();
  bool in_place = x.unguarded || how.masked_kernel != nullptr;
  for (u32 i = 0; i < op.destinations; ++i) in_place &= op.destination(i) != no_slot;
  if (!in_place) return compute_and_merge(x, op);
  void* to[2];
  for (u32 i = 0; i < op.destinations; ++i) {
    Value& result = x.values[op.destination(i)];
    if (!whole) need_lanes(result, x.shape);
    to[i] = result.writable(x.first_warp);
  }
  run_kernel(x, op, x.unguarded ? how.kernel : how.masked_kernel, to);
  for (u32 i = 0; i < op.destinations; ++i) x.values[op.destination(i)].set_lanes();
}

// Between register widths. An affine form survives cutting always, widening where the range is known.
void resize(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Value& to = x.values[op.destination(0)];
  Value& from = x.values[op.source(0)];
  bool whole = x.kills(op);
  if (whole && from.affine) {
    Range range = op.sign ? signed_range(from, x.shape) : unsigned_range(from, x.shape);
    if (to.bits <= from.bits || range.valid) {
      u64 base = cut(from.base, from.bits);
      if (op.sign && from.bits < 64 && base >> (from.bits - 1)) base |= ~u64{0} << from.bits;
      to.set_affine(base, from.stride);
      return;
    }
  }
  need_lanes(from, x.shape);
  Value scratch = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
  Value& result = whole ? to : scratch;
  lanes::resize(result.writable(x.first_warp), to.bits, from.read(x.first_warp), from.bits, op.sign,
                (x.end_warp - x.first_warp) * warp_size);
  if (whole)
    to.set_lanes();
  else
    x.merge(to, x.scratch[0]);
}

void move(Exec& x, const Op& op) {
  if (!x.enter(op) || op.destination(0) == no_slot) return;
  Value& to = x.values[op.destination(0)];
  Value& from = x.values[op.source(0)];
  if (&to == &from) return;
  bool whole = x.kills(op);
  if (whole && from.affine) {
    to.set_affine(from.base, from.stride);
    return;
  }
  need_lanes(from, x.shape);
  if (whole) {
    u64 warp_bytes = from.bits * (warp_size / 8);
    std::memcpy(to.writable(x.first_warp), from.read(x.first_warp), (x.end_warp - x.first_warp) * warp_bytes);
    to.set_lanes();
  } else {
    x.merge(to, from.read(0));
  }
}

} // namespace ops
} // namespace warplens::sim
