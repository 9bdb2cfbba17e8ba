// From an op to its access: the form, the space, the extent, the host's memory (access.h).
//
// A register in affine form makes an affine access where all of it is in order: aligned, in one piece of memory, as
// numbers that do not wrap. Of an access under a mask (`if (i < n) x[i] = …`) the threads that do not take part may
// point anywhere; only when the whole batch does not lie in one allocation are the active lanes' first and last
// address looked for. Everything else has an address per lane: a pass over whole warps, or, where few lanes of each
// take part (searches, walks of trees), one over a list of them that is made once after each branch.
//
// Numbers: an address register of 32 bits is read with its sign, since below 2 GiB that is the same, and since
// `s[tid - 1]` under `if (tid > 0)` makes an address of -4 in the thread that does not perform it. As addresses of
// lanes, 32 bits are extended with zeros, as PTX says; so those from 2 GiB up are found there.
#include "sim/exec/cluster.h"
#include "sim/exec/fault.h"
#include "sim/memory/element.h"
#include "sim/ops/access.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace warplens::sim {

using ir::StateSpace;

namespace {

bool is_device_memory(StateSpace space) {
  return space == StateSpace::global || space == StateSpace::constant;
}

HostPlace place_of(Exec& x, StateSpace space) {
  switch (space) {
  case StateSpace::shared:
    return {host_address(x.cta->shared.data()), 0, x.shape.ctas > 1 ? x.launch.shared_stride : 0,
            x.shape.cta_warps};
  case StateSpace::local:
    return {host_address(x.cta->local.get()), x.launch.local_bytes, 0, x.shape.cta_warps};
  case StateSpace::param: return {host_address(x.launch.parameters.data()), 0, 0, x.shape.cta_warps};
  default: return {0, 0, 0, x.shape.cta_warps}; // device addresses are host addresses
  }
}

bool is_inside(Exec& x, const Op& op, const Range& range, u64 bytes) {
  if (range.low < 0) return false;
  u64 low = static_cast<u64>(range.low), high = static_cast<u64>(range.high);
  if (is_device_memory(op.space)) return in_known_range(x, op, low, high, bytes);
  return Memory::Range{0, space_size(x, op.space)}.covers(low, high, bytes);
}

// The least and the greatest address of a thread in the mask.
Range range_of_active(const Exec& x, const AccessView& a) {
  Rows rows = rows_of(x.shape.extent.data(), a.stride.data());
  u32 piece = segment_of(rows);
  if (piece == 0) return {};
  Range out{std::numeric_limits<i64>::max(), std::numeric_limits<i64>::min(), true};
  each_segment(rows, piece, a.mask->word.data(), [&](i64 offset, u64, u32 lanes) {
    i64 one = offset + rows.stride[0] * std::countr_zero(lanes),
        other = offset + rows.stride[0] * (31 - std::countl_zero(lanes));
    out.low = std::min({out.low, one, other});
    out.high = std::max({out.high, one, other});
  });
  i64 base = static_cast<i64>(a.base);
  return {base + out.low, base + out.high, true};
}

// Whether every thread has bytes of its own: the strides, smallest first, each step over what the smaller ones cover.
bool is_distinct(const Shape& shape, const AccessView& a) {
  std::pair<u64, u64> step[axes];
  for (u32 d = 0; d < axes; ++d) step[d] = {std::abs(a.stride[d]), shape.extent[d]};
  if (a.space == StateSpace::shared) step[3] = {0, 1}; // each CTA has its own
  std::sort(step, step + axes);
  u64 covered = a.bytes;
  for (auto [stride, extent] : step) {
    if (extent == 1) continue;
    if (stride < covered) return false;
    covered = stride * extent;
  }
  return true;
}

// Whether the threads of each warp have bytes of their own. Then warps may be stored one after the other, and in each
// nobody can tell the order.
bool is_distinct_in_warps(const Shape& shape, const AccessView& a) {
  bool rows_are_warps = shape.block.x % warp_size == 0 || is_ramp(a.stride, shape, 3);
  return rows_are_warps ? static_cast<u64>(std::abs(a.stride[0])) >= a.bytes : is_distinct(shape, a);
}

// For accesses that may not be moved as one: in which pieces, and where the active threads' addresses lie.
// Apart from what follows, so that this costs the others nothing.
[[gnu::noinline]] bool resolve_segments(Exec& x, const Op& op, Purpose purpose, AccessView& a, Range& range) {
  bool stores = purpose == Purpose::store;
  a.distinct = stores && a.whole && is_distinct(x.shape, a);
  if (a.distinct) return true;
  if (stores && !is_distinct_in_warps(x.shape, a)) return false;
  a.rows = rows_of(x.shape.extent.data(), a.host_stride().data());
  a.piece = segment_of(a.rows);
  if (a.piece == 0) return false;
  if (!a.readable_whole) range = range_of_active(x, a);
  return a.readable_whole || (range.valid && is_inside(x, op, range, a.bytes));
}

bool resolve_affine(Exec& x, const Op& op, Purpose purpose, AccessView& a) {
  const Value& v = x.values[op.source(0)];
  if (!v.affine || a.space == StateSpace::generic || a.space == StateSpace::local ||
      purpose == Purpose::atomic || (purpose == Purpose::follow && !a.whole))
    return false;
  a.base = v.base + static_cast<u64>(op.offset);
  if (v.bits == 32) a.base = static_cast<u64>(i64{static_cast<i32>(a.base)});
  a.stride = v.stride;
  if ((a.base | static_cast<u64>(v.stride[0] | v.stride[1] | v.stride[2] | v.stride[3])) & (a.bytes - 1))
    return false;
  i64 first = static_cast<i64>(a.base);
  Range range = v.uniform() ? Range{first, first, true} : signed_range(v, x.shape, op.offset);
  if (!range.valid) return false;
  a.readable_whole = is_inside(x, op, range, a.bytes);
  if (a.whole && !a.readable_whole) return false;
  a.host = place_of(x, a.space);
  bool as_one = a.whole && purpose != Purpose::store;
  if (!as_one && !resolve_segments(x, op, purpose, a, range)) return false;
  a.form = AddressForm::affine;
  a.lowest = static_cast<u64>(range.low);
  a.highest = static_cast<u64>(range.high);
  return true;
}

template <class Register>
Extremes list_addresses(u64* address, const Register* in, Register offset, std::span<const u16> lanes) {
  u64 low = ~u64{0}, high = 0, bits = 0; // not an Extremes: the compiler would keep that in memory
  for (u16 lane : lanes) {
    u64 a = static_cast<Register>(in[lane] + offset); // addresses of 32 bits wrap at 32 bits
    address[lane] = a;
    low = std::min(low, a), high = std::max(high, a), bits |= a;
  }
  return {low, high, bits};
}

void set_extent(AccessView& a, const Extremes& e) {
  a.lowest = e.lowest;
  a.highest = e.highest;
  a.bits = e.bits;
}

bool resolve_listed(Exec& x, const Op& op, Purpose purpose, AccessView& a) {
  // Lanes that write to one address: the list's order is right for accesses that take a warp as a whole.
  bool any_order = purpose == Purpose::load ||
                   (purpose == Purpose::store && (a.space == StateSpace::local || a.bytes <= 4));
  if (!any_order || a.space == StateSpace::generic) return false;
  std::span<const u16> list = x.compacted_lanes();
  if (list.empty()) return false;
  Value& v = x.values[op.source(0)];
  need_lanes(v, x.shape);
  set_extent(a, v.bits == 32 ? list_addresses(x.address, v.read<u32>(0), static_cast<u32>(op.offset), list)
                             : list_addresses(x.address, v.read<u64>(0), static_cast<u64>(op.offset), list));
  a.list = list.data();
  a.listed = static_cast<u32>(list.size());
  a.form = AddressForm::listed;
  return true;
}

Extremes extent_of(const Exec& x, const Mask& mask, const u64* address) {
  return lane_memory().extremes(address + x.first_warp * warp_size, mask.word.data() + x.first_warp,
                                x.end_warp - x.first_warp);
}

// Every active lane's address becomes what `of` makes of it.
template <typename Of> void change_addresses(Exec& x, AccessView& a, Of of) {
  Extremes extent{~u64{0}, 0, 0};
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(a.mask->word[w], [&](u32 lane) {
      u64& at = x.address[w * warp_size + lane];
      at = of(at);
      extent = {std::min(extent.lowest, at), std::max(extent.highest, at), extent.bits | at};
    });
  set_extent(a, extent);
}

// An address register may be wider than its space has addresses, and is truncated then (PTX ISA, "Operands", addresses): what
// `s[~i]` of an unsigned i adds to a shared pointer goes round at 32 bits. Seen only where an address is outside.
void truncate_addresses(Exec& x, AccessView& a) {
  change_addresses(x, a, [](u64 at) { return u64{static_cast<u32>(at)}; });
}

// Machine code gives the rank of the CTA with every address of its shared memory (exec/cluster.h).
void leave_rank_out(Exec& x, AccessView& a) {
  change_addresses(x, a, [own = x.cta->cluster_rank](u64 at) {
    u64 truncated = static_cast<u32>(at);
    return truncated >> cluster_rank_shift == own ? truncated & (Memory::window_size - 1) : truncated;
  });
}

// Whether no generic address in it names another space than global memory: the windows are neighbours.
bool misses_windows(const Exec& x, const AccessView& a) {
  return a.lowest >= window_of(x, StateSpace::param) + Memory::window_size ||
         a.highest < window_of(x, StateSpace::shared);
}

// The lanes of `rest` whose generic address lies in a window leave it, with the address made relative to the window.
Mask take_window(Exec& x, Mask& rest, u64 window) {
  Mask here;
  for (u32 w = 0; w < x.shape.warps; ++w) {
    for_each_lane(rest.word[w], [&](u32 lane) {
      u64& a = x.address[w * warp_size + lane];
      if (a - window >= Memory::window_size) return;
      a -= window;
      here.word[w] |= 1u << lane;
    });
    rest.word[w] &= ~here.word[w];
  }
  return here;
}

} // namespace

void resolve_at_once(Exec& x, const Op& op, Purpose purpose, AccessView& a) {
  a.space = op.space;
  a.remote = false;
  a.whole = x.unguarded && x.whole;
  a.bytes = u32{op.element_bytes} * op.elements;
  a.mask = x.mask;
  if (x.launch.ranks_in_addresses && a.space == StateSpace::shared) {
    a.address = x.address;
    a.form = AddressForm::lanes;
    write_addresses(x, op);
    leave_rank_out(x, a);
    a.host = place_of(x, a.space);
    return;
  }
  if (resolve_affine(x, op, purpose, a)) return;
  a.address = x.address;
  if (!resolve_listed(x, op, purpose, a)) {
    a.form = AddressForm::lanes;
    set_extent(a, write_addresses(x, op));
    if (a.space == StateSpace::generic && misses_windows(x, a)) a.space = StateSpace::global;
  }
  if ((a.space == StateSpace::shared || a.space == StateSpace::local) && a.highest >> 32 != 0 &&
      a.lowest <= a.highest)
    truncate_addresses(x, a);
  a.host = place_of(x, a.space);
}

u64 window_of_rank(const Exec& x, u32 rank) {
  const u64 number = x.launch.ranks_in_addresses ? rank : u64{rank} + 1;
  return window_of(x, StateSpace::shared) + (number << cluster_rank_shift);
}

void split_by_space(Exec& x, const AccessView& whole, const std::function<void(const AccessView&)>& each) {
  Mask rest = *whole.mask;
  auto part = [&](StateSpace space, const Mask& mask, const HostPlace& host, bool remote = false) {
    if (mask == Mask{}) return;
    AccessView a = whole;
    a.space = space;
    a.remote = remote;
    a.whole = false;
    a.mask = &mask;
    set_extent(a, extent_of(x, mask, a.address));
    a.host = host;
    each(a);
  };
  if (!x.launch.ranks_in_addresses)
    part(StateSpace::shared, take_window(x, rest, window_of(x, StateSpace::shared)),
         place_of(x, StateSpace::shared));
  for (StateSpace space : {StateSpace::local, StateSpace::param})
    part(space, take_window(x, rest, window_of(x, space)), place_of(x, space));
  if (const Cluster* cluster = x.cta->cluster.get())
    for (u32 rank = 0; rank < cluster->ctas.size(); ++rank)
      part(StateSpace::shared, take_window(x, rest, window_of_rank(x, rank)),
           {host_address(cluster->ctas[rank]->shared.data()), 0, 0, x.shape.cta_warps},
           rank != x.cta->cluster_rank);
  part(StateSpace::global, rest, place_of(x, StateSpace::global));
}

Extremes write_addresses(Exec& x, const Op& op) {
  Value& v = x.values[op.source(0)];
  need_lanes(v, x.shape);
  u32 first = x.first_warp, warps = x.end_warp - first;
  u64* out = x.address + first * warp_size;
  const u32* masks = x.mask->word.data() + first;
  const LaneMemory& memory = lane_memory();
  if (v.bits == 32)
    return memory.addresses32(out, v.read<u32>(first), static_cast<u32>(op.offset), masks, warps);
  return memory.addresses64(out, v.read<u64>(first), static_cast<u64>(op.offset), masks, warps);
}

u64 space_size(const Exec& x, StateSpace space) {
  switch (space) {
  case StateSpace::shared: return x.shared_bytes();
  case StateSpace::local: return x.launch.local_bytes;
  default: return x.launch.parameters.size();
  }
}

u64 window_of(const Exec& x, StateSpace space) {
  const Memory& memory = *x.launch.device.memory;
  switch (space) {
  case StateSpace::shared: return memory.shared_window();
  case StateSpace::local: return memory.local_window();
  case StateSpace::param: return memory.param_window();
  default: return 0;
  }
}

bool in_known_range(Exec& x, const Op& op, u64 lowest, u64 highest, u64 bytes) {
  if (!op.site.valid()) return x.launch.device.memory->range(lowest).covers(lowest, highest, bytes);
  Exec::RangeCache& cache = x.ranges[op.site.value];
  const Memory& memory = *x.launch.device.memory;
  u64 epoch = memory.epoch();
  if (cache.epoch == epoch && cache.range.covers(lowest, highest, bytes)) return true;
  Memory::Range range = memory.range(lowest);
  if (!range.covers(lowest, highest, bytes)) return false;
  cache = {range, epoch};
  return true;
}

} // namespace warplens::sim
