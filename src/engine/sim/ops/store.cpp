// Stores: registers to memory, by the form of the access.
//
// Where lanes write different values to one address, PTX leaves open which one stays. An H100 (driver 580.159.04,
// November 2026) takes a warp in the groups that its width is served in, the whole warp up to 4 bytes and halves of it
// for 8, and in each group the lowest lane stays; quarters for 16 bytes are inferred. Programs rely on it: a sum by
// shuffles that every lane stores. So rows are copied in the order of memory only where each thread has bytes of its
// own, and pieces of warps in the order of warps only where no two lanes of a warp meet (AccessView::distinct).
#include "sem/bits.h"
#include "sim/memory/element.h"
#include "sim/ops/alias.h"
#include "sim/ops/move.h"
#include "sim/value/lanes.h"

namespace warplens::sim {
namespace {

using ir::StateSpace;

// M: as in memory, C: as in the register
template <class M, class C>
void store_block_rows(const Shape& shape, const AccessView& a, u64 skip, const C* in) {
  u64 step = static_cast<u64>(a.stride[0]);
  each_block_row(shape, a, skip, [&](u64 to, u32 lane) {
    for (u32 i = 0; i < shape.block.x; ++i, to += step) write_element(to, static_cast<M>(in[lane + i]));
  });
}

// From every lane of the batch.
void store_all(Exec& x, const Op& op, const AccessView& a) {
  const Strides stride = a.host_stride();
  for (u32 e = 0; e < op.elements; ++e) {
    Value& from = x.values[op.source(1 + e)];
    need_lanes(from, x.shape);
    u64 skip = u64{e} * op.element_bytes;
    u64 to = a.host_begin() + skip;
    if (host_address(from.read(0)) == to) continue; // computed there (result_target)
    if (!may_copy(from, to)) from.materialize();
    if (op.element_bytes == 4 && from.bits == 32)
      lanes::store_rows32(to, x.shape.extent.data(), stride.data(), from.read<u32>(0));
    else if (op.element_bytes == 8 && from.bits == 64)
      lanes::store_rows64(to, x.shape.extent.data(), stride.data(), from.read<u64>(0));
    else
      with_types(op.element_bytes, false, from.bits,
                 [&]<class M, class C>() { store_block_rows<M>(x.shape, a, skip, from.read<C>(0)); });
  }
}

void store_masked(const Op& op, const AccessView& a, const Value& from, u64 skip) {
  const u32* masks = a.mask->word.data();
  if (!is_contiguous(op, a, from.bits))
    with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
      each_masked(a, skip,
                  [in = from.read<C>(0)](u64 to, u64 lane) { write_element(to, static_cast<M>(in[lane])); });
    });
  else if (from.bits == 32)
    lanes::store_some32(a.host_begin() + skip, a.rows, masks, from.read<u32>(0));
  else
    lanes::store_some64(a.host_begin() + skip, a.rows, masks, from.read<u64>(0));
}

void store_listed(const Op& op, const AccessView& a, const Value& from, u64 skip) {
  with_types(op.element_bytes, false, from.bits, [&]<class M, class C>() {
    each_listed(a, skip,
                [in = from.read<C>(0)](u64 to, u16 lane) { write_element(to, static_cast<M>(in[lane])); });
  });
}

// Calls f(lane) for a warp's lanes group by group, the lowest lane of each last.
template <class F> [[gnu::always_inline]] inline void each_in_order(u32 mask, u32 group, F&& f) {
  if (mask == full_mask) {
    for (u32 first = 0; first < warp_size; first += group)
      for (u32 i = first + group; i-- > first;) f(i);
    return;
  }
  // Mirrored, as for_each_lane finds the next lane without waiting for where this one is.
  const u32 mirrored = sem::Brev::apply(mask);
  for (u32 rest = warp_size; rest != 0; rest -= group)
    for_each_lane(mirrored & low_lanes(group) << (rest - group), [&](u32 bit) { f(warp_size - 1 - bit); });
}

template <class M, class C>
void store_each(const Exec& x, const AccessView& a, u64 skip, u32 group, const C* in) {
  const HostPlace host = a.host;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    u32 mask = a.mask->word[w];
    if (mask == 0) continue;
    const u64* address = a.address + w * warp_size;
    const C* from = in + w * warp_size;
    u64 base = host.at_warp(w) + skip + u64{w} * warp_size * host.thread_stride;
    if (host.thread_stride == 0)
      each_in_order(mask, group, [=](u32 i) { write_element(base + address[i], static_cast<M>(from[i])); });
    else
      each_in_order(mask, group, [=, step = host.thread_stride](u32 i) {
        write_element(base + address[i] + i * step, static_cast<M>(from[i]));
      });
  }
}

void store_lanes(const Exec& x, const Op& op, const AccessView& a, const Value& from, u64 skip) {
  u32 group = a.bytes <= 4 ? warp_size : a.bytes == 8 ? warp_size / 2 : warp_size / 4;
  with_types(op.element_bytes, false, from.bits,
             [&]<class M, class C>() { store_each<M>(x, a, skip, group, from.read<C>(0)); });
}

// Under a mask, or with an address per lane. Lanes may go where others that are still in memory come from.
void store_some(Exec& x, const Op& op, const AccessView& a) {
  for (u32 e = 0; e < op.elements; ++e) {
    Value& from = x.values[op.source(1 + e)];
    need_lanes(from, x.shape);
    from.materialize();
  }
  for (u32 e = 0; e < op.elements; ++e) {
    const Value& from = x.values[op.source(1 + e)];
    u64 skip = u64{e} * op.element_bytes;
    switch (a.form) {
    case AddressForm::affine: store_masked(op, a, from, skip); break;
    case AddressForm::listed: store_listed(op, a, from, skip); break;
    case AddressForm::lanes: store_lanes(x, op, a, from, skip); break;
    }
  }
}

} // namespace

namespace ops {

// slots: address, then elements
void store(Exec& x, const Op& op) {
  if (!x.enter(op)) return;
  x.writes += op.space != StateSpace::local;
  ++x.effects;
  resolve(x, op, Purpose::store, [&](const AccessView& a) {
    check(x, op, a);
    report(x, op, a);
    if (!x.performs_stores) return;
    if (a.form == AddressForm::affine && a.distinct)
      store_all(x, op, a);
    else
      store_some(x, op, a);
  });
}

} // namespace ops
} // namespace warplens::sim
