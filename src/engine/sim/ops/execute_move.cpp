// Moves with a meaning: special registers, packing and unpacking of halves, conversions between state spaces.
#include "sim/kernels/lane_exchange.h"
#include "sim/ops/access.h"
#include "sim/program/program.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <chrono>
#include <cstring>

namespace warplens::sim {
namespace {

using ir::Special;
using ir::StateSpace;

u64 nanoseconds(Exec& x) {
  ++x.effects;
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
}

// Special registers with the same value in every thread of the batch; `out` is the first CTA's where each CTA
// has its own.
bool uniform_special(Exec& x, Special special, u64& out) {
  const LaunchSpec& spec = x.launch.spec;
  const DeviceShape& device = x.launch.device.shape;
  const Dim3& cluster = x.launch.cluster;
  switch (special) {
  case Special::ntid_x: out = spec.block.x; return true;
  case Special::ntid_y: out = spec.block.y; return true;
  case Special::ntid_z: out = spec.block.z; return true;
  case Special::ctaid_x: out = x.cta->id.x; return x.shape.ctas == 1;
  case Special::clusterid_x: // without clusters every CTA is a cluster of its own
    out = x.cta->id.x / cluster.x;
    return x.shape.ctas == 1;
  case Special::ctaid_y: out = x.cta->id.y; return true;
  case Special::ctaid_z: out = x.cta->id.z; return true;
  case Special::nctaid_x: out = spec.grid.x; return true;
  case Special::nctaid_y: out = spec.grid.y; return true;
  case Special::nctaid_z: out = spec.grid.z; return true;
  case Special::nwarpid: out = 64; return true;
  case Special::smid: out = x.cta->index % device.multiprocessors; return x.shape.ctas == 1;
  case Special::nsmid: out = device.multiprocessors; return true;
  case Special::gridid: out = 1; return true;
  case Special::clock: out = nanoseconds(x) & 0xffffffffu; return true;
  case Special::clock_hi: out = nanoseconds(x) >> 32; return true;
  case Special::clock64:
  case Special::globaltimer: out = nanoseconds(x); return true;
  case Special::globaltimer_lo: out = nanoseconds(x) & 0xffffffffu; return true;
  case Special::globaltimer_hi: out = nanoseconds(x) >> 32; return true;
  case Special::total_smem_size:
  case Special::aggr_smem_size: out = x.launch.shared_bytes + spec.dynamic_shared; return true;
  case Special::dynamic_smem_size: out = spec.dynamic_shared; return true;
  case Special::reserved_smem_offset_1:
    out = align_up(x.launch.shared_bytes + spec.dynamic_shared, 64);
    return true;
  case Special::envreg1: out = x.launch.grid_workspace >> 32; return true;
  case Special::envreg2: out = x.launch.grid_workspace & 0xffffffffu; return true;
  case Special::envreg3:
    out = x.launch.local_bytes;
    return true; // of a thread: where machine code's stack begins
  case Special::clusterid_y: out = x.cta->id.y / cluster.y; return true;
  case Special::clusterid_z: out = x.cta->id.z / cluster.z; return true;
  case Special::nclusterid_x: out = spec.grid.x / cluster.x; return true;
  case Special::nclusterid_y: out = spec.grid.y / cluster.y; return true;
  case Special::nclusterid_z: out = spec.grid.z / cluster.z; return true;
  case Special::cluster_nctaid_x: out = cluster.x; return true;
  case Special::cluster_nctaid_y: out = cluster.y; return true;
  case Special::cluster_nctaid_z: out = cluster.z; return true;
  case Special::cluster_nctarank: out = cluster.count(); return true;
  case Special::cluster_ctaid_x: out = x.cta->id.x % cluster.x; return x.shape.ctas == 1 || cluster.x == 1;
  case Special::cluster_ctaid_y: out = x.cta->id.y % cluster.y; return true;
  case Special::cluster_ctaid_z: out = x.cta->id.z % cluster.z; return true;
  case Special::cluster_ctarank: out = x.cta->cluster_rank; return true;
  case Special::is_explicit_cluster: out = x.cta->cluster != nullptr; return true;
  case Special::tid_x:
  case Special::tid_y:
  case Special::tid_z:
  case Special::laneid:
  case Special::warpid:
  case Special::lanemask_eq:
  case Special::lanemask_le:
  case Special::lanemask_lt:
  case Special::lanemask_ge:
  case Special::lanemask_gt: return false;
  default: out = 0; return true;
  }
}

u32 per_lane(const Exec& x, Special special, u32 thread) {
  u32 lane = thread % warp_size;
  switch (special) {
  case Special::laneid: return lane;
  case Special::warpid: return thread / warp_size % x.shape.cta_warps;
  case Special::smid:
    return static_cast<u32>((x.cta->index + x.cta_of(thread)) % x.launch.device.shape.multiprocessors);
  case Special::lanemask_eq: return 1u << lane;
  case Special::lanemask_lt: return (1u << lane) - 1;
  case Special::lanemask_le: return (2u << lane) - 1;
  case Special::lanemask_gt: return ~((2u << lane) - 1);
  default: return ~((1u << lane) - 1); // lanemask_ge
  }
}

// The axis that a special register counts along: the thread's coordinates, and the CTA within the batch.
std::optional<u32> axis_of(Special special) {
  switch (special) {
  case Special::tid_x: return 0;
  case Special::tid_y: return 1;
  case Special::tid_z: return 2;
  case Special::ctaid_x:
  case Special::clusterid_x: return 3;
  default: return {};
  }
}

// destination = source + delta, whatever the widths.
void add_offset(Exec& x, const Op& op, u64 delta) {
  Value& to = x.values[op.destination(0)];
  Value& from = x.values[op.source(0)];
  if (x.kills(op) && from.affine) {
    Range range = unsigned_range(from, x.shape);
    if (from.bits == 64 || range.valid) {
      to.set_affine((from.bits == 64 ? from.base : from.base & 0xffffffffu) + delta, from.stride);
      return;
    }
  }
  need_lanes(from, x.shape);
  const void* wide = from.read(0);
  if (from.bits == 32) { // widened first: the sum leaves 32 bits
    lanes::resize(x.scratch[1], 64, from.read(0), 32, false, x.shape.lanes);
    wide = x.scratch[1];
  }
  lanes::addresses(x.address, wide, 64, static_cast<i64>(delta), x.shape.lanes);
  if (to.bits == 32) lanes::resize(x.scratch[0], 32, x.address, 64, false, x.shape.lanes);
  const void* result = to.bits == 32 ? x.scratch[0] : static_cast<void*>(x.address);
  if (x.kills(op)) {
    std::memcpy(to.writable(0), result, storage_bytes(to.bits, x.shape.lanes));
    to.set_lanes();
  } else {
    x.merge(to, result);
  }
}

u64 low_bits(u64 value, u32 bits) { return bits >= 64 ? value : value & ((u64{1} << bits) - 1); }

// Packing and unpacking by the widths that registers come in, warps that take part only; false for any other,
// and then nothing was done.
bool join_parts(Exec& x, const Op& op, Value& result) {
  const void* part[4];
  u32 count = op.sources, bits = result.bits / count, lanes = (x.end_warp - x.first_warp) * warp_size;
  if (count > 4) return false;
  for (u32 i = 0; i < count; ++i) {
    const Value& v = x.values[op.source(i)];
    if (v.bits != bits) return false;
    part[i] = v.read(x.first_warp);
  }
  auto of = [&]<class T>() {
    std::array<const T*, 4> out{};
    for (u32 i = 0; i < count; ++i) out[i] = static_cast<const T*>(part[i]);
    return out;
  };
  const LaneParts& kernels = lane_parts();
  if (bits == 32 && count == 2)
    kernels.join_2x32(result.writable<u64>(x.first_warp), of.template operator()<u32>().data(), lanes);
  else if (bits == 16 && count == 2)
    kernels.join_2x16(result.writable<u32>(x.first_warp), of.template operator()<u16>().data(), lanes);
  else if (bits == 16 && count == 4)
    kernels.join_4x16(result.writable<u64>(x.first_warp), of.template operator()<u16>().data(), lanes);
  else
    return false;
  return true;
}

bool take_part(Exec& x, const Value& from, u32 shift, u32 bits, Value& result) {
  u32 w = x.first_warp, lanes = (x.end_warp - w) * warp_size;
  const LaneParts& kernels = lane_parts();
  if (result.bits != bits) return false;
  if (bits == 32 && from.bits == 64)
    kernels.part_32_of_64(result.writable<u32>(w), from.read<u64>(w), shift, lanes);
  else if (bits == 16 && from.bits == 64)
    kernels.part_16_of_64(result.writable<u16>(w), from.read<u64>(w), shift, lanes);
  else if (bits == 16 && from.bits == 32)
    kernels.part_16_of_32(result.writable<u16>(w), from.read<u32>(w), shift, lanes);
  else
    return false;
  return true;
}

// Two words as one number: what is added up for each lane must not leave the lower word.
bool pack_affine(const Shape& shape, const Value& low, const Value& high, Value& to) {
  const u32 part = to.bits / 2;
  if (!low.affine || !high.affine || low.bits != part || high.bits != part ||
      !unsigned_range(low, shape).valid)
    return false;
  Strides strides;
  for (u32 d = 0; d < axes; ++d)
    strides[d] =
        static_cast<i64>(static_cast<u64>(low.stride[d]) + (static_cast<u64>(high.stride[d]) << part));
  to.set_affine(low_bits(low.base, part) | high.base << part, strides);
  return true;
}

} // namespace

namespace ops {

void special(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  bool whole = x.kills(op);
  Value& to = x.values[op.destination(0)];
  Special which = op.special();
  u64 uniform = 0;
  if (uniform_special(x, which, uniform)) {
    if (whole) {
      to.set_uniform(uniform);
      return;
    }
    Value value = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
    value.set_uniform(uniform);
    write_lanes(value, x.shape);
    x.merge(to, x.scratch[0]);
    return;
  }
  std::optional<u32> axis = axis_of(which);
  if (axis && whole) return to.set_axis(*axis == 3 ? uniform : 0, *axis);
  Value scratch = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
  Value& value = whole ? to : scratch;
  if (axis) {
    value.set_axis(*axis == 3 ? uniform : 0, *axis);
    write_lanes(value, x.shape);
  } else {
    for (u32 i = 0; i < x.shape.lanes; ++i) x.set_lane(value, i, per_lane(x, which, i));
  }
  if (whole)
    to.set_lanes();
  else
    x.merge(to, x.scratch[0]);
}

// mov.b64 d, {a, b, …}: the first element is the least significant. The words of an address stay what they are: machine code keeps it in
// two registers, and the upper one is mostly the same for all lanes.
void pack(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Value& to = x.values[op.destination(0)];
  bool whole = x.kills(op), uniform = true;
  u32 part = to.bits / op.sources;
  for (u32 i = 0; i < op.sources; ++i) uniform &= x.values[op.source(i)].uniform();
  if (whole && uniform) {
    u64 value = 0;
    for (u32 i = 0; i < op.sources; ++i) value |= low_bits(x.values[op.source(i)].base, part) << (i * part);
    to.set_uniform(value);
    return;
  }
  if (whole && op.sources == 2 && pack_affine(x.shape, x.values[op.source(0)], x.values[op.source(1)], to))
    return;
  for (u32 i = 0; i < op.sources; ++i) need_lanes(x.values[op.source(i)], x.shape);
  Value scratch = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
  // The sources are narrower: none of them lies where the result goes.
  if (!join_parts(x, op, whole ? to : scratch)) {
    whole = false;
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      for_each_lane(x.mask->word[w], [&](u32 lane) {
        u32 thread = w * warp_size + lane;
        u64 value = 0;
        for (u32 i = 0; i < op.sources; ++i)
          value |= low_bits(x.lane_value(op.source(i), thread), part) << (i * part);
        x.set_lane(scratch, thread, value);
      });
  }
  if (whole)
    to.set_lanes();
  else
    x.merge(to, x.scratch[0]);
}

void unpack(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  Value& from = x.values[op.source(0)];
  bool whole = x.kills(op), uniform = from.uniform();
  u64 base = from.base;
  u32 part = from.bits / op.destinations;
  // The words of an affine number, where its lanes have the upper one in common.
  if (whole && !uniform && from.affine && op.destinations == 2) {
    const Range range = unsigned_range(from, x.shape);
    bool in_words = op.destination(1) == no_slot || (range.valid && range.low >> part == range.high >> part);
    for (u32 i = 0; i < 2; ++i)
      in_words &= op.destination(i) == no_slot || x.values[op.destination(i)].bits == part;
    if (in_words) {
      const Strides strides = from.stride; // either may be written where `from` lies
      if (op.destination(1) != no_slot)
        x.values[op.destination(1)].set_uniform(static_cast<u64>(range.low >> part));
      if (op.destination(0) != no_slot) x.values[op.destination(0)].set_affine(low_bits(base, part), strides);
      return;
    }
  }
  if (!whole || !uniform) need_lanes(from, x.shape);
  Value copy = Value::in_scratch(x.scratch[1], from.bits, x.shape.lanes);
  const Value* source = &from;
  for (u32 i = 0; i < op.destinations; ++i)
    if (op.destination(i) == op.source(0)) { // which is read after it is written
      need_lanes(from, x.shape);
      std::memcpy(copy.writable(0), from.read(0), storage_bytes(from.bits, x.shape.lanes));
      source = &copy;
    }
  for (u32 i = 0; i < op.destinations; ++i) {
    if (op.destination(i) == no_slot) continue;
    Value& to = x.values[op.destination(i)];
    if (whole && uniform) {
      to.set_uniform(low_bits(base >> (i * part), std::min<u32>(part, to.bits)));
      continue;
    }
    Value scratch = Value::in_scratch(x.scratch[0], to.bits, x.shape.lanes);
    bool direct = whole && to.bits == part;
    Value& result = direct ? to : scratch;
    if (!take_part(x, *source, i * part, part, result))
      for (u32 w = x.first_warp; w < x.end_warp; ++w)
        for_each_lane(x.mask->word[w], [&](u32 lane) {
          u32 thread = w * warp_size + lane;
          u64 all = source->bits == 64   ? source->read<u64>(0)[thread]
                    : source->bits == 32 ? source->read<u32>(0)[thread]
                                         : source->read<u16>(0)[thread];
          x.set_lane(result, thread, low_bits(all >> (i * part), part));
        });
    if (direct)
      to.set_lanes();
    else
      x.merge(to, x.scratch[0]);
  }
}

void to_generic(Exec& x, const Op& op) {
  if (x.enter(op)) add_offset(x, op, window_of(x, op.space));
}

void from_generic(Exec& x, const Op& op) {
  if (x.enter(op)) add_offset(x, op, u64{0} - window_of(x, op.space));
}

void is_space(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const Memory& memory = *x.launch.device.memory;
  Value& to = x.values[op.destination(0)];
  const u64* address = nullptr;
  Value& from = x.values[op.source(0)];
  need_lanes(from, x.shape);
  lanes::addresses(x.address, from.read(0), from.bits, 0, x.shape.lanes);
  address = x.address;
  u32* result = static_cast<u32*>(x.scratch[0]);
  auto inside = [&](u64 a, u64 window) { return a - window < Memory::window_size; };
  const u64 own =
      x.launch.ranks_in_addresses ? window_of_rank(x, x.cta->cluster_rank) : memory.shared_window();
  auto is = [&](u64 a) {
    switch (op.space) {
    case StateSpace::shared: return inside(a, own);
    case StateSpace::local: return inside(a, memory.local_window());
    case StateSpace::param: return inside(a, memory.param_window());
    case StateSpace::constant: {
      std::optional<Allocation> found = memory.find(a);
      return found && found->constant;
    }
    default: return a - memory.shared_window() >= Memory::all_windows_size; // they are neighbours
    }
  };
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    result[w] = 0;
    for_each_lane(x.mask->word[w],
                  [&](u32 lane) { result[w] |= u32{is(address[w * warp_size + lane])} << lane; });
  }
  x.merge(to, result);
}

} // namespace ops
} // namespace warplens::sim
