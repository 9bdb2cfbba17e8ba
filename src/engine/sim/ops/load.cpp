// Loads: memory to registers, by the form of the access.
//
// Where no waiting lane needs the destination's old value, a load under a mask whose whole batch lies in one
// allocation reads for all lanes, as if there were no mask: what the others read is never used.
#include "sim/memory/element.h"
#include "sim/ops/alias.h"
#include "sim/ops/move.h"
#include "sim/value/lanes.h"
#include <algorithm>

namespace warplens::sim {
namespace {

// Whether few warps take part, so that it does not pay to read for all.
bool is_sparse(const Exec& x) {
  u32 warps = 0;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) warps += x.mask->word[w] != 0;
  return warps * 2 < x.shape.warps;
}

// Whether all threads read the same bytes.
bool is_uniform(const AccessView& a) {
  return (a.stride[0] | a.stride[1] | a.stride[2] | a.stride[3]) == 0 && a.host.cta_stride == 0;
}

void load_uniform(Exec& x, const Op& op, const AccessView& a) {
  u64 from = a.host_begin();
  for (u32 e = 0; e < op.elements; ++e, from += op.element_bytes)
    if (op.destination(e) != no_slot)
      x.values[op.destination(e)].set_uniform(read_one(host_pointer(from), op.element_bytes, op.sign));
}

// M: as in memory, C: as in the register
template <class M, class C> void load_block_rows(const Shape& shape, const AccessView& a, u64 skip, C* out) {
  u64 step = static_cast<u64>(a.stride[0]);
  each_block_row(shape, a, skip, [&](u64 from, u32 lane) {
    C* to = out + lane;
    u32 length = shape.block.x;
    if (step == 0)
      std::fill_n(to, length, static_cast<C>(read_element<M>(from)));
    else
      for (u32 i = 0; i < length; ++i, from += step) to[i] = static_cast<C>(read_element<M>(from));
  });
}

// For every lane of the batch.
void load_all(Exec& x, const Op& op, const AccessView& a) {
  if (is_uniform(a)) return load_uniform(x, op, a);
  const Strides stride = a.host_stride();
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    u64 skip = u64{e} * op.element_bytes;
    u64 from = a.host_begin() + skip;
    if (alias_source(x, op, stride, from, to)) continue;
    if (op.element_bytes == 4 && to.bits == 32)
      lanes::load_rows32(to.writable<u32>(0), x.shape.extent.data(), from, stride.data());
    else if (op.element_bytes == 8 && to.bits == 64)
      lanes::load_rows64(to.writable<u64>(0), x.shape.extent.data(), from, stride.data());
    else
      with_types(op.element_bytes, op.sign, to.bits,
                 [&]<class M, class C>() { load_block_rows<M>(x.shape, a, skip, to.writable<C>(0)); });
    to.set_lanes();
  }
}

void load_masked(const Op& op, const AccessView& a, Value& to, u64 skip) {
  const u32* masks = a.mask->word.data();
  if (!is_contiguous(op, a, to.bits))
    with_types(op.element_bytes, op.sign, to.bits, [&]<class M, class C>() {
      each_masked(a, skip, [out = to.writable<C>(0)](u64 from, u64 lane) {
        out[lane] = static_cast<C>(read_element<M>(from));
      });
    });
  else if (to.bits == 32)
    lanes::load_some32(to.writable<u32>(0), a.rows, a.host_begin() + skip, masks);
  else
    lanes::load_some64(to.writable<u64>(0), a.rows, a.host_begin() + skip, masks);
}

void load_listed(const Op& op, const AccessView& a, Value& to, u64 skip) {
  with_types(op.element_bytes, op.sign, to.bits, [&]<class M, class C>() {
    each_listed(a, skip, [out = to.writable<C>(0)](u64 from, u16 lane) {
      out[lane] = static_cast<C>(read_element<M>(from));
    });
  });
}

// Elements as wide as the register.
void gather(Exec& x, const AccessView& a, u64 skip, Value& to) {
  u32 first = x.first_warp, end = x.end_warp;
  const u64* address = a.address;
  if (a.host.thread_stride != 0) {
    u64* own = static_cast<u64*>(x.scratch[3]);
    lanes::spread(own + first * warp_size, address + first * warp_size, a.host.thread_stride,
                  first * warp_size, (end - first) * warp_size);
    address = own;
  }
  u32 step = a.host.cta_stride == 0 ? end - first : x.shape.cta_warps;
  if (a.host.cta_stride != 0) first -= first % step;
  for (u32 w = first; w < end; w += step) {
    u32 warps = std::min(step, end - w);
    u64 base = a.host.at_warp(w) + skip;
    if (to.bits == 32)
      lane_memory().gather32(to.writable<u32>(w), base, address + w * warp_size, a.mask->word.data() + w,
                             warps);
    else
      lane_memory().gather64(to.writable<u64>(w), base, address + w * warp_size, a.mask->word.data() + w,
                             warps);
  }
}

template <class M, class C> void load_each(const Exec& x, const AccessView& a, u64 skip, C* out) {
  const HostPlace host = a.host;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u64 base = host.at_warp(w) + skip;
    u32 mask = a.mask->word[w];
    const u64* address = a.address + w * warp_size;
    C* to = out + w * warp_size;
    u64 thread = u64{w} * warp_size;
    if (mask == full_mask && host.thread_stride == 0)
      for (u32 i = 0; i < warp_size; ++i) to[i] = static_cast<C>(read_element<M>(base + address[i]));
    else
      for_each_lane(mask, [&](u32 i) {
        to[i] = static_cast<C>(read_element<M>(base + address[i] + (thread + i) * host.thread_stride));
      });
  }
}

void load_lanes(Exec& x, const Op& op, const AccessView& a, Value& to, u64 skip) {
  if (op.element_bytes * 8 == to.bits && to.bits >= 32) return gather(x, a, skip, to);
  with_types(op.element_bytes, op.sign, to.bits,
             [&]<class M, class C>() { load_each<M>(x, a, skip, to.writable<C>(0)); });
}

// Under a mask, or with an address per lane.
void load_some(Exec& x, const Op& op, const AccessView& a) {
  bool overwrites = x.kills(op);
  for (u32 e = 0; e < op.elements; ++e) {
    if (op.destination(e) == no_slot) continue;
    Value& to = x.values[op.destination(e)];
    // Where nothing of the old value survives it need not be written out.
    if (!overwrites || a.mask != x.mask) need_lanes(to, x.shape);
    u64 skip = u64{e} * op.element_bytes;
    switch (a.form) {
    case AddressForm::affine: load_masked(op, a, to, skip); break;
    case AddressForm::listed: load_listed(op, a, to, skip); break;
    case AddressForm::lanes: load_lanes(x, op, a, to, skip); break;
    }
    to.set_lanes();
  }
}

// Whether to read for the lanes that do not perform it, too.
bool reads_for_all(const Exec& x, const Op& op, const AccessView& a) {
  if (a.form != AddressForm::affine || !a.readable_whole || !x.kills(op)) return false;
  return a.whole || is_uniform(a) || !is_sparse(x);
}

void load_entered(Exec& x, const Op& op) {
  resolve(x, op, Purpose::load, [&](const AccessView& a) {
    check(x, op, a);
    report(x, op, a);
    if (reads_for_all(x, op, a))
      load_all(x, op, a);
    else
      load_some(x, op, a);
  });
}

// Kernel parameters are half of the ops of a small kernel, and nearly always at a known address, which is no access. That is
// resolved at a glance, with nothing to check or to report; other such accesses are resolved like any.
bool resolve_parameter(const Exec& x, const Op& op, AccessView& a) {
  const Value& address = x.values[op.source(0)];
  u64 size = x.launch.parameters.size();
  a.bytes = u32{op.element_bytes} * op.elements;
  a.base = address.base + static_cast<u64>(op.offset);
  a.host.base = host_address(x.launch.parameters.data());
  return address.uniform() && address.bits == 64 && (a.base & (a.bytes - 1)) == 0 && a.bytes <= size &&
         a.base <= size - a.bytes;
}

} // namespace

namespace ops {

// slots: destinations (elements), address
void load(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  if (op.may_alias) x.values[op.destination(0)].forget_alias();
  load_entered(x, op);
}

void load_param(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  AccessView a;
  if (!op.site.valid() && x.kills(op) && resolve_parameter(x, op, a))
    load_uniform(x, op, a);
  else
    load_entered(x, op);
}

} // namespace ops
} // namespace warplens::sim
