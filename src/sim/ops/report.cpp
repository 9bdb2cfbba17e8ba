// From an access to the sink (access/access.h): what loads, stores and atomics do is counted here. What machine code makes of it
// decides here how (access::Assembled), and nowhere else.
#include "sim/ops/access.h"
#include <algorithm>
#include <bit>

namespace warplens::sim {
namespace {

using access::Assembled;
using access::AtomicForm;

access::Space sink_space(ir::StateSpace space) {
  switch (space) {
  case ir::StateSpace::shared: return access::Space::shared;
  case ir::StateSpace::local: return access::Space::local;
  case ir::StateSpace::constant: return access::Space::constant;
  default: return access::Space::global;
  }
}

access::AccessHeader header_of(const Exec& x, const Op& op, const Access& a) {
  const access::Site& site = x.code->module->sites[op.site.value];
  const bool widened = site.assembled == Assembled::widened;
  return {.site = op.site,
          .space = sink_space(a.space),
          .kind = site.kind,
          .cache = site.cache,
          .bytes = static_cast<u8>(widened ? site.bytes : a.bytes),
          .matrices = site.matrices,
          .atomic = site.assembled == Assembled::combined ? AtomicForm::combined : AtomicForm::plain};
}

// How far from the address that the instruction names the access begins that machine code makes of it.
i64 begins(const Exec& x, const Op& op) { return x.code->module->sites[op.site.value].begins; }

void report_affine(Exec& x, const Op& op, const Access& a) {
  access::AffineAccess affine{header_of(x, op, a)};
  affine.cta = x.cta->index;
  affine.count = x.shape.ctas;
  affine.base = a.base + static_cast<u64>(begins(x, op));
  affine.stride = {a.stride[0], a.stride[1], a.stride[2]};
  affine.cta_stride = a.stride[3];
  affine.block = x.shape.block;
  affine.active = {a.mask->word.data(), a.whole ? 0 : x.shape.warps};
  x.sink->affine(affine);
}

void report_moved(Exec& x, access::LaneBatch batch, i64 distance) {
  std::vector<u64> address(batch.address, batch.address + batch.active.size() * warp_size);
  for (u64& one : address) one += static_cast<u64>(distance);
  batch.address = address.data();
  x.sink->lanes(batch);
}

// From the CTA of the first warp that takes part to the last warp that does.
void report_lanes(Exec& x, const Op& op, const Access& a) {
  u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  access::LaneBatch batch{header_of(x, op, a)};
  batch.cta = x.cta->index + first / x.shape.cta_warps;
  batch.active = {a.mask->word.data() + first, x.end_warp - first};
  batch.address = a.address + first * warp_size;
  batch.cta_warps = x.shape.cta_warps;
  if (const i64 distance = begins(x, op); distance != 0) return report_moved(x, batch, distance);
  x.sink->lanes(batch);
}

// An asynchronous copy is counted where it reads; where it writes is for the store behind it to say (lower_copy.cpp). Lanes
// that read nothing are not in the access.
void report_copy(Exec& x, const Op& op, const Access& a) {
  const Op& store = x.code->ops[x.pc];
  const bool sized = op.kind() == OpKind::load_sized;
  if (a.form == AddressForm::affine) write_addresses(x, op);
  x.copied_to.resize(x.shape.lanes);
  Value& to = x.values[store.source(0)];
  need_lanes(to, x.shape);
  Mask all = sized ? x.copying : *a.mask, empty;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) {
    for_each_lane(all.word[w], [&](u32 lane) {
      u32 thread = w * warp_size + lane;
      x.copied_to[thread] = x.lane_value(store.source(0), thread) + static_cast<u64>(store.offset);
    });
    empty.word[w] = all.word[w] & ~a.mask->word[w];
  }
  u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  access::LaneBatch batch{header_of(x, op, a)};
  batch.cta = x.cta->index + first / x.shape.cta_warps;
  batch.active = {all.word.data() + first, x.end_warp - first};
  batch.address = x.address + first * warp_size;
  batch.copied_to = x.copied_to.data() + first * warp_size;
  if (sized) batch.empty = {empty.word.data() + first, x.end_warp - first};
  batch.cta_warps = x.shape.cta_warps;
  x.sink->lanes(batch);
}

// An atomic that the last of each warp's lanes performs for all of them.
void report_one_lane(Exec& x, const Op& op, const Access& a) {
  Mask last;
  for (u32 w = x.first_warp; w < x.end_warp; ++w) last.word[w] = std::bit_floor(a.mask->word[w]);
  Access one = a;
  one.mask = &last, one.whole = false;
  if (a.form == AddressForm::affine)
    report_affine(x, op, one);
  else
    report_lanes(x, op, one);
}

// The lanes that a turn of such a loop serves: of those that want one word the last one, and of words of 8 bytes those of the
// first half-warp before those of the second.
u32 served(u32 lanes, const u64* address, u32 bytes) {
  auto last_of_each = [&](u32 some) {
    u32 out = 0;
    for_each_lane(some, [&](u32 lane) {
      u32 above = some & ~low_lanes(lane + 1), same = 0;
      for_each_lane(above, [&](u32 other) { same |= address[other] == address[lane]; });
      if (same == 0) out |= u32{1} << lane;
    });
    return out;
  };
  if (bytes < 8) return last_of_each(lanes);
  u32 out = last_of_each(lanes & 0xffff), second = last_of_each(lanes & 0xffff0000);
  for_each_lane(second, [&](u32 lane) {
    u32 same = 0;
    for_each_lane(lanes & 0xffff, [&](u32 other) { same |= address[other] == address[lane]; });
    if (same == 0) out |= u32{1} << lane;
  });
  return out;
}

// An atomic as a loop of a load and a compare-and-swap, as if no other warp came between.
void report_looped(Exec& x, const Op& op, const Access& a) {
  const access::Site& site = x.code->module->sites[op.site.value];
  if (a.form == AddressForm::affine) write_addresses(x, op);
  const u64* address = a.form == AddressForm::affine ? x.address : a.address;
  const u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  Mask left = *a.mask;
  std::fill(left.word.begin() + first, left.word.begin() + x.first_warp, 0u);
  access::LaneBatch atomic{header_of(x, op, a)};
  atomic.atomic = AtomicForm::cast;
  atomic.cta = x.cta->index + first / x.shape.cta_warps;
  atomic.active = {left.word.data() + first, x.end_warp - first};
  atomic.address = address + first * warp_size;
  atomic.cta_warps = x.shape.cta_warps;
  access::LaneBatch load = atomic;
  load.site = site.loop_load, load.kind = access::Kind::load, load.atomic = AtomicForm::plain;
  auto any = [&] { return std::ranges::any_of(atomic.active, [](u32 lanes) { return lanes != 0; }); };
  while (any()) {
    x.sink->lanes(load);
    x.sink->lanes(atomic);
    for (u32 w = x.first_warp; w < x.end_warp; ++w)
      left.word[w] &= ~served(left.word[w], address + w * warp_size, a.bytes);
  }
}

} // namespace

void report_to_sink(Exec& x, const Op& op, const Access& a) {
  const access::Site& site = x.code->module->sites[op.site.value];
  if (site.kind == access::Kind::async_copy) return report_copy(x, op, a);
  if (site.assembled == Assembled::elsewhere) return;
  if (site.assembled == Assembled::one_lane) return report_one_lane(x, op, a);
  if (site.assembled == Assembled::looped && a.space == ir::StateSpace::shared)
    return report_looped(x, op, a);
  if (a.form == AddressForm::affine)
    report_affine(x, op, a);
  else
    report_lanes(x, op, a);
}

} // namespace warplens::sim
