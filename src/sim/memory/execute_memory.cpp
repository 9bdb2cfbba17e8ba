// Loads and stores. An address in closed form is checked, performed and handed to the sink once for the whole
// CTA; any other is written out as 64-bit addresses, checked by its extremes, and handed over as one batch of
// warps. A generic address is split by the window each lane's address falls in.
//
// Checks, in the order a GPU would complain: alignment to the whole access, then place. Global addresses are
// compared with the allocation that the site hit last; what lies outside every allocation but inside a mapped
// page is reported and tolerated, as GPUs do.
#include "sim/memory/execute_memory.h"
#include "sim/value/lanes.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace warplens::sim {

using ir::StateSpace;

access::Space sink_space(StateSpace space) {
  switch (space) {
  case StateSpace::shared: return access::Space::shared;
  case StateSpace::local: return access::Space::local;
  case StateSpace::constant: return access::Space::constant;
  default: return access::Space::global;
  }
}

namespace {

std::byte* host_base(Exec& x, StateSpace space) {
  switch (space) {
  case StateSpace::shared: return x.cta->shared.data();
  case StateSpace::local: return x.cta->local.get();
  case StateSpace::param: return x.launch.parameters.data();
  default: return nullptr; // device addresses are host addresses
  }
}

const access::Site& site_of(Exec& x, const Op& op) { return x.code->module->sites[op.site.value]; }
// Parameters have no sites: they are not counted.
std::string_view kind_name(Exec& x, const Op& op) {
  return op.site.valid() ? access::name(site_of(x, op).kind) : "load";
}

u64 space_size(Exec& x, StateSpace space) {
  switch (space) {
  case StateSpace::shared: return x.shared_bytes();
  case StateSpace::local: return x.launch.local_bytes;
  default: return x.launch.parameters.size();
  }
}

[[noreturn]] void outside(Exec& x, const Op& op, StateSpace space, u32 thread, u64 address) {
  if (space == StateSpace::global || space == StateSpace::constant)
    raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
          fmt::format("{} of {} bytes at {:#x} is outside all device memory", kind_name(x, op),
                      op.element_bytes * op.elements, address),
          thread, address, {describe_address(x, address)},
          "check the index against the size that was allocated");
  std::string_view name = space == StateSpace::shared  ? "shared"
                          : space == StateSpace::local ? "local"
                                                       : "parameter";
  raise(x, op, FaultKind::illegal_address, "kernel-illegal-address",
        fmt::format("access of {} bytes at offset {:#x} is outside the {} bytes of {} memory",
                    op.element_bytes * op.elements, address, space_size(x, space), name),
        thread, address, {},
        space == StateSpace::shared ? "check the index, and the dynamic shared size in the launch <<<…>>>"
                                    : "check the index");
}

// Lanes that are not all inside one allocation: look at each.
void check_each(Exec& x, const Op& op, const Mask& mask, const u64* address) {
  const Memory& memory = *x.launch.device.memory;
  u64 bytes = u64{op.element_bytes} * op.elements;
  for (u32 w = 0; w < x.shape.warps; ++w)
    for_each_lane(mask.word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      u64 a = address[thread];
      Memory::Range range = memory.range(a);
      if (range.contains(a, a + bytes)) return;
      if (!memory.mapped(a, bytes)) outside(x, op, StateSpace::global, thread, a);
      if (x.launch.options.strict_memory)
        raise(x, op, FaultKind::illegal_address, "kernel-out-of-bounds",
              fmt::format("access of {} bytes at {:#x} is past its allocation", bytes, a), thread, a,
              {describe_address(x, a)}, "check the index against the size that was allocated");
      warn(x, op, "kernel-out-of-bounds",
           fmt::format(
               "access of {} bytes at {:#x} is past its allocation, inside a mapped page: a GPU lets it pass",
               bytes, a),
           thread, {describe_address(x, a)});
    });
}

} // namespace

bool in_known_range(Exec& x, const Op& op, u64 low, u64 end) {
  if (!op.site.valid()) return x.launch.device.memory->range(low).contains(low, end);
  Exec::RangeCache& cache = x.ranges[op.site.value];
  const Memory& memory = *x.launch.device.memory;
  u64 epoch = memory.epoch();
  if (cache.epoch == epoch && cache.range.contains(low, end)) return true;
  Memory::Range range = memory.range(low);
  if (!range.contains(low, end)) return false;
  cache = {range, epoch};
  return true;
}

Extremes span_of(const Exec& x, const Mask& mask, const u64* address) {
  return lane_memory().extremes(address + x.first_warp * warp_size, mask.word.data() + x.first_warp,
                                x.end_warp - x.first_warp);
}

void check_lanes(Exec& x, const Op& op, StateSpace space, const Mask& mask, const u64* address,
                 const Extremes& e) {
  u64 bytes = u64{op.element_bytes} * op.elements;
  if (e.lowest > e.highest) return;
  if (e.bits & (bytes - 1))
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(mask.word[w], [&](u32 lane) {
        u64 a = address[w * warp_size + lane];
        if (a & (bytes - 1))
          raise(x, op, FaultKind::misaligned_address, "kernel-misaligned-address",
                fmt::format("{} of {} bytes at {:#x}, which is not a multiple of {}", kind_name(x, op), bytes,
                            a, bytes),
                w * warp_size + lane, a, {}, "align the pointer, or access smaller elements");
      });
  if (space == StateSpace::global || space == StateSpace::constant) {
    if (e.highest + bytes < e.highest || !in_known_range(x, op, e.lowest, e.highest + bytes))
      check_each(x, op, mask, address);
    return;
  }
  u64 size = space_size(x, space);
  if (e.highest + bytes <= size && e.highest + bytes >= e.highest) return;
  for (u32 w = 0; w < x.shape.warps; ++w)
    for_each_lane(mask.word[w], [&](u32 lane) {
      u64 a = address[w * warp_size + lane];
      if (a > size || bytes > size - a) outside(x, op, space, w * warp_size + lane, a);
    });
}

namespace {

access::AccessHeader header_of(Exec& x, const Op& op, StateSpace space) {
  const access::Site& site = site_of(x, op);
  return {.site = op.site,
          .space = sink_space(space),
          .kind = site.kind,
          .cache = site.cache,
          .bytes = static_cast<u8>(op.element_bytes * op.elements),
          .matrices = site.matrices};
}

} // namespace

void report_lanes(Exec& x, const Op& op, StateSpace space, const Mask& mask, const u64* address) {
  if (x.sink == nullptr || !op.site.valid() || space == StateSpace::param) return;
  u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  access::LaneBatch batch{header_of(x, op, space)};
  batch.cta = x.cta->index + first / x.shape.cta_warps;
  batch.active = {mask.word.data() + first, x.end_warp - first};
  batch.address = address + first * warp_size;
  batch.cta_warps = x.shape.cta_warps;
  x.sink->lanes(batch);
}

LaneAddresses lane_addresses(Exec& x, const Op& op, SlotId slot) {
  Value& v = x.values[slot];
  need_lanes(v, x.shape);
  u32 first = x.first_warp, warps = x.end_warp - first;
  u64* out = x.address + first * warp_size;
  const u32* masks = x.mask->word.data() + first;
  const LaneMemory& memory = lane_memory();
  if (v.bits == 32)
    return {x.address, memory.addresses32(out, v.at<u32>(first), static_cast<u32>(op.offset), masks, warps)};
  return {x.address, memory.addresses64(out, v.at<u64>(first), static_cast<u64>(op.offset), masks, warps)};
}

Place place_of(Exec& x, StateSpace space) {
  bool per_cta = space == StateSpace::shared && x.shape.ctas > 1;
  return {host_base(x, space), space == StateSpace::local ? x.launch.local_bytes : 0,
          per_cta ? x.launch.shared_stride : 0, x.shape.cta_warps};
}

void split_by_space(Exec& x, u64* address, const EachSpace& each) {
  const Memory& memory = *x.launch.device.memory;
  u64 window[3] = {memory.shared_window(), memory.local_window(), memory.param_window()};
  StateSpace names[3] = {StateSpace::shared, StateSpace::local, StateSpace::param};
  Mask rest = *x.mask;
  for (u32 s = 0; s < 3; ++s) {
    Mask here;
    u32 any = 0;
    for (u32 w = 0; w < x.shape.warps; ++w)
      for_each_lane(x.mask->word[w], [&](u32 lane) {
        u64& a = address[w * warp_size + lane];
        if ((rest.word[w] >> lane & 1) == 0 || a - window[s] >= Memory::window_size) return;
        a -= window[s];
        here.word[w] |= 1u << lane;
        any = 1;
      });
    if (any == 0) continue;
    for (u32 w = 0; w < x.shape.warps; ++w) rest.word[w] &= ~here.word[w];
    each(names[s], here, address, span_of(x, here, address));
  }
  if (rest != Mask{}) each(StateSpace::global, rest, address, span_of(x, rest, address));
}

void report_closed(Exec& x, const Op& op, StateSpace space, u64 base, const Strides& stride,
                   const u32* active) {
  if (x.sink == nullptr || !op.site.valid()) return;
  access::AffineAccess affine{header_of(x, op, space)};
  affine.cta = x.cta->index, affine.count = x.shape.ctas;
  affine.base = base, affine.stride = {stride[0], stride[1], stride[2]}, affine.cta_stride = stride[3];
  affine.block = x.shape.block;
  affine.active = {active, active == nullptr ? 0 : x.shape.warps};
  x.sink->affine(affine);
}

bool closed_access(Exec& x, const Op& op, SlotId slot, StateSpace space, ClosedAddress& out) {
  const Value& v = x.values[slot];
  if (!x.mask_full || !x.whole || !v.closed || space == StateSpace::generic || space == StateSpace::local)
    return false;
  u64 bytes = u64{op.element_bytes} * op.elements;
  Value sum;
  sum.bits = v.bits;
  sum.base = v.base + static_cast<u64>(op.offset);
  sum.stride = v.stride;
  Range range = unsigned_range(sum, x.shape);
  if (!range.valid) return false;
  i64 low = range.low, high = range.high;
  out.base = v.bits == 64 ? sum.base : sum.base & 0xffffffffu;
  out.stride = v.stride;
  if ((out.base | static_cast<u64>(v.stride[0] | v.stride[1] | v.stride[2] | v.stride[3])) & (bytes - 1))
    return false;
  if (space == StateSpace::global || space == StateSpace::constant) {
    if (!in_known_range(x, op, static_cast<u64>(low), static_cast<u64>(high) + bytes)) return false;
  } else if (static_cast<u64>(high) + bytes > space_size(x, space)) {
    return false;
  }
  out.host = host_base(x, space);
  report_closed(x, op, space, out.base, v.stride, nullptr);
  if (space == StateSpace::shared && x.shape.ctas > 1)
    out.stride[3] += static_cast<i64>(x.launch.shared_stride);
  return true;
}

namespace {

template <class M> u64 read(const std::byte* at) {
  M value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_signed_v<M>)
    return static_cast<u64>(static_cast<i64>(value));
  else
    return value;
}

// Calls f(host address, first lane) for each row of each block.
template <class F> void each_block_row(const Shape& shape, const ClosedAddress& a, u64 skip, F&& f) {
  u32 lane = 0;
  std::byte* host = a.host + static_cast<i64>(a.base + skip);
  for (u32 c = 0; c < shape.ctas; ++c)
    for (u32 z = 0; z < shape.block.z; ++z)
      for (u32 y = 0; y < shape.block.y; ++y, lane += shape.block.x)
        f(host + a.stride[1] * y + a.stride[2] * z + a.stride[3] * c, lane);
}

// M: as in memory, C: as in the register
template <class M, class C> void load_closed(const Shape& shape, const ClosedAddress& a, u64 skip, C* out) {
  each_block_row(shape, a, skip, [&](std::byte* from, u32 lane) {
    C* to = out + lane;
    u32 length = shape.block.x;
    if (a.stride[0] == 0) {
      C value = static_cast<C>(read<M>(from));
      for (u32 i = 0; i < length; ++i) to[i] = value;
    } else
      for (u32 i = 0; i < length; ++i, from += a.stride[0]) to[i] = static_cast<C>(read<M>(from));
  });
}

template <class M, class C>
void load_lanes(const Exec& x, const Mask& mask, const u64* address, Place place, u64 skip, C* out) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    const std::byte* base = place.at_warp(w) + skip;
    u32 m = mask.word[w];
    const u64* a = address + w * warp_size;
    C* to = out + w * warp_size;
    u64 thread = u64{w} * warp_size;
    if (m == full_mask && place.thread_stride == 0)
      for (u32 i = 0; i < warp_size; ++i) to[i] = static_cast<C>(read<M>(base + a[i]));
    else
      for_each_lane(m, [&](u32 i) {
        to[i] = static_cast<C>(read<M>(base + a[i] + (thread + i) * place.thread_stride));
      });
  }
}

template <class M, class C>
void store_closed(const Shape& shape, const ClosedAddress& a, u64 skip, const C* in) {
  each_block_row(shape, a, skip, [&](std::byte* to, u32 lane) {
    for (u32 i = 0; i < shape.block.x; ++i, to += a.stride[0]) {
      M value = static_cast<M>(in[lane + i]);
      std::memcpy(to, &value, sizeof value);
    }
  });
}

// Where lanes write different values to one address, PTX leaves open which one stays. An H100 (driver
// 580.159.04, November 2026) takes a warp in the groups that its width is served in, the whole warp up to 4
// bytes and halves of it for 8, and in each group the lowest lane stays; quarters for 16 bytes are inferred.
// Programs rely on it: a sum by shuffles that every lane stores.
template <class M, class C>
void store_lanes(const Exec& x, const Mask& mask, const u64* address, Place place, u64 skip, u32 group,
                 const C* in) {
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    if (mask.word[w] == 0) continue;
    const u64* a = address + w * warp_size;
    const C* from = in + w * warp_size;
    std::byte* base = place.at_warp(w) + skip + u64{w} * warp_size * place.thread_stride;
    for (u32 first = 0; first < warp_size; first += group) // the lowest lane of a group last
      for (u32 rest = mask.word[w] & low_lanes(group) << first; rest != 0;) {
        u32 i = 31 - static_cast<u32>(std::countl_zero(rest));
        rest ^= 1u << i;
        M value = static_cast<M>(from[i]);
        std::memcpy(base + a[i] + i * place.thread_stride, &value, sizeof value);
      }
  }
}

} // namespace

// The strides, smallest first, each step over what the smaller ones cover.
bool spread_out(const Exec& x, const Value& address, StateSpace space, u64 bytes) {
  std::pair<u64, u64> step[axes];
  for (u32 d = 0; d < axes; ++d) step[d] = {std::abs(address.stride[d]), x.shape.extent[d]};
  if (space == StateSpace::shared) step[3] = {0, 1}; // each CTA has its own
  std::sort(step, step + axes);
  u64 covered = bytes;
  for (auto [stride, extent] : step) {
    if (extent == 1) continue;
    if (stride < covered) return false;
    covered = stride * extent;
  }
  return true;
}

namespace {

u64 read_one(const std::byte* at, u32 bytes, bool sign) {
  switch (bytes) {
  case 1: return sign ? read<i8>(at) : read<u8>(at);
  case 2: return sign ? read<i16>(at) : read<u16>(at);
  case 4: return sign ? read<i32>(at) : read<u32>(at);
  default: return read<u64>(at);
  }
}

// Active lanes from their own addresses, elements as wide as the register.
void gather(Exec& x, const Mask& mask, const u64* address, const Place& place, u64 skip, Value& to) {
  u32 first = x.first_warp, end = x.end_warp;
  if (place.thread_stride != 0) {
    u64* own = static_cast<u64*>(x.scratch[3]);
    lanes::spread(own + first * warp_size, address + first * warp_size, place.thread_stride,
                  first * warp_size, (end - first) * warp_size);
    address = own;
  }
  u32 step = place.cta_stride == 0 ? end - first : x.shape.cta_warps;
  if (place.cta_stride != 0) first -= first % step;
  for (u32 w = first; w < end; w += step) {
    u32 warps = std::min(step, end - w);
    const std::byte* base = place.at_warp(w) + skip;
    if (to.bits == 32)
      lane_memory().gather32(to.at<u32>(w), base, address + w * warp_size, mask.word.data() + w, warps);
    else
      lane_memory().gather64(to.at<u64>(w), base, address + w * warp_size, mask.word.data() + w, warps);
  }
}

} // namespace

void load_whole(Exec& x, const Op& op, const ClosedAddress& a) {
  bool uniform = (a.stride[0] | a.stride[1] | a.stride[2] | a.stride[3]) == 0;
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    u64 skip = u64{e} * op.element_bytes;
    if (uniform) {
      to.set_uniform(read_one(a.host + static_cast<i64>(a.base + skip), op.element_bytes, op.sign));
      continue;
    }
    std::byte* base = a.host + static_cast<i64>(a.base + skip);
    if (borrow_source(x, op, a.stride, base, to)) continue;
    if (op.element_bytes == 4 && to.bits == 32)
      lanes::load_rows32(to.at<u32>(0), x.shape.extent.data(), base, a.stride.data());
    else if (op.element_bytes == 8 && to.bits == 64)
      lanes::load_rows64(to.at<u64>(0), x.shape.extent.data(), base, a.stride.data());
    else
      with_types(op.element_bytes, op.sign, to.bits,
                 [&]<class M, class C>() { load_closed<M, C>(x.shape, a, skip, static_cast<C*>(to.data)); });
    to.set_lanes();
  }
}

namespace {

void load_entered(Exec& x, const Op& op) {
  SlotId address_slot = op.source(0);
  if (op.borrows) x.values[op.destination(0)].data = x.values[op.destination(0)].room;
  ClosedAddress closed;
  if (closed_access(x, op, address_slot, op.space, closed)) {
    load_whole(x, op, closed);
    return;
  }
  if (load_masked(x, op) || load_few(x, op)) return;
  LaneAddresses addresses = lane_addresses(x, op, address_slot);
  by_space(x, op, addresses, [&](StateSpace space, const Mask& mask, const u64* a, const Extremes& span) {
    check_lanes(x, op, space, mask, a, span);
    report_lanes(x, op, space, mask, a);
    Place place = place_of(x, space);
    for (u32 e = 0; e < op.elements; ++e) {
      if (op.destination(e) == no_slot) continue;
      Value& to = x.values[op.destination(e)];
      // Where nothing of the old value survives it need not be written out.
      if (&mask != x.mask || !x.overwrites(op)) need_lanes(to, x.shape);
      u64 skip = u64{e} * op.element_bytes;
      if (op.element_bytes * 8 == to.bits && to.bits >= 32)
        gather(x, mask, a, place, skip, to);
      else
        with_types(op.element_bytes, op.sign, to.bits, [&]<class M, class C>() {
          load_lanes<M, C>(x, mask, a, place, skip, static_cast<C*>(to.data));
        });
      to.set_lanes();
    }
  });
}

} // namespace

namespace ops {

// slots: destinations (elements), address
void load(Exec& x, const Op& op) {
  if (x.enter(op)) load_entered(x, op);
}

// slots: address, then elements
void store(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  x.writes += op.space != StateSpace::local;
  for (u32 e = 0; e < op.elements; ++e) need_lanes(x.values[op.source(1 + e)], x.shape);
  u32 bytes = u32{op.element_bytes} * op.elements;
  ClosedAddress closed;
  if (x.values[op.source(0)].closed && spread_out(x, x.values[op.source(0)], op.space, bytes) &&
      closed_access(x, op, op.source(0), op.space, closed)) {
    for (u32 e = 0; e < op.elements; ++e) {
      Value& from = x.values[op.source(1 + e)];
      std::byte* base = closed.host + static_cast<i64>(closed.base + u64{e} * op.element_bytes);
      if (from.data == base) continue; // made there (borrow_destination)
      if (!may_copy(from, base, x.shape)) give_back(from, x.shape);
      if (op.element_bytes == 4 && from.bits == 32)
        lanes::store_rows32(base, x.shape.extent.data(), closed.stride.data(), from.at<u32>(0));
      else if (op.element_bytes == 8 && from.bits == 64)
        lanes::store_rows64(base, x.shape.extent.data(), closed.stride.data(), from.at<u64>(0));
      else
        with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
          store_closed<M, C>(x.shape, closed, u64{e} * op.element_bytes, static_cast<const C*>(from.data));
        });
    }
    return;
  }
  for (u32 e = 0; e < op.elements; ++e)
    if (Value& from = x.values[op.source(1 + e)]; from.data != from.room) give_back(from, x.shape);
  if (store_masked(x, op) || store_few(x, op)) return;
  u32 group = bytes <= 4 ? warp_size : bytes == 8 ? warp_size / 2 : warp_size / 4;
  LaneAddresses addresses = lane_addresses(x, op, op.source(0));
  by_space(x, op, addresses, [&](StateSpace space, const Mask& mask, const u64* a, const Extremes& span) {
    check_lanes(x, op, space, mask, a, span);
    report_lanes(x, op, space, mask, a);
    Place place = place_of(x, space);
    for (u32 e = 0; e < op.elements; ++e) {
      Value& from = x.values[op.source(1 + e)];
      with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
        store_lanes<M, C>(x, mask, a, place, u64{e} * op.element_bytes, group,
                          static_cast<const C*>(from.data));
      });
    }
  });
}

// Kernel parameters, nearly always one for all threads: half of the ops of a small kernel.
void load_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const Value& address = x.values[op.source(0)];
  u64 bytes = u64{op.element_bytes} * op.elements, size = x.launch.parameters.size();
  u64 at = address.base + static_cast<u64>(op.offset);
  bool inside = at % bytes == 0 && bytes <= size && at <= size - bytes;
  if (!x.overwrites(op) || !address.uniform() || address.bits != 64 || !inside) return load_entered(x, op);
  for (u32 e = 0; e < op.elements; ++e, at += op.element_bytes)
    if (op.destination(e) != no_slot)
      x.values[op.destination(e)].set_uniform(
          read_one(x.launch.parameters.data() + at, op.element_bytes, op.sign));
}

namespace {
// Parameter bytes of .func frames: per thread, not a memory space of the GPU's, so neither counted nor
// windowed.
std::byte* thread_parameter(Exec& x, const Op& op, u32 thread, u64 offset) {
  u64 size = x.code->parameter_bytes, bytes = u64{op.element_bytes} * op.elements;
  if (offset > size || bytes > size - offset) outside(x, op, StateSpace::param, thread, offset);
  return x.frame->parameters.data() + u64{thread} * size + offset;
}
} // namespace

void load_thread_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const u64* address = lane_addresses(x, op, op.source(0)).address;
  for (u32 e = 0; e < op.elements; ++e)
    if (op.destination(e) != no_slot) need_lanes(x.values[op.destination(e)], x.shape);
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      const std::byte* from = thread_parameter(x, op, thread, address[thread]);
      for (u32 e = 0; e < op.elements; ++e)
        if (op.destination(e) != no_slot)
          x.set_lane(x.values[op.destination(e)], thread,
                     read_one(from + e * op.element_bytes, op.element_bytes, op.sign));
    });
  for (u32 e = 0; e < op.elements; ++e)
    if (op.destination(e) != no_slot) x.values[op.destination(e)].set_lanes();
}

void store_thread_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  const u64* address = lane_addresses(x, op, op.source(0)).address;
  for (u32 w = x.first_warp; w < x.end_warp; ++w)
    for_each_lane(x.mask->word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      std::byte* to = thread_parameter(x, op, thread, address[thread]);
      for (u32 e = 0; e < op.elements; ++e) {
        u64 value = x.lane_value(op.source(1 + e), thread);
        std::memcpy(to + e * op.element_bytes, &value, op.element_bytes);
      }
    });
}

} // namespace ops
} // namespace warplens::sim
