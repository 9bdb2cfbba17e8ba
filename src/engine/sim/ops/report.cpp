// From an access to the sink (access/access.h): what loads, stores and atomics do.
#include "sim/ops/access.h"

namespace warplens::sim {
namespace {

access::Space sink_space(ir::StateSpace space) {
  switch (space) {
  case ir::StateSpace::shared: return access::Space::shared;
  case ir::StateSpace::local: return access::Space::local;
  case ir::StateSpace::constant:
  case ir::StateSpace::param: return access::Space::constant; // where a kernel's parameters lie
  default: return access::Space::global;
  }
}

access::AccessHeader header_of(const Exec& x, const Op& op, const AccessView& a) {
  const access::Site& site = x.code->module->sites[op.site.value];
  return {.site = op.site,
          .space = sink_space(a.space),
          .kind = site.kind,
          .cache = site.cache,
          .bytes = static_cast<u8>(a.bytes),
          .matrices = site.matrices,
          .atomic = site.atomic};
}

void report_affine(Exec& x, const Op& op, const AccessView& a) {
  access::AffineAccess affine{header_of(x, op, a)};
  affine.cta = x.cta->index;
  affine.count = x.shape.ctas;
  affine.base = a.base;
  affine.stride = {a.stride[0], a.stride[1], a.stride[2]};
  affine.cta_stride = a.stride[3];
  affine.block = x.shape.block;
  affine.active = {a.mask->word.data(), a.whole ? 0 : x.shape.warps};
  x.sink->affine(affine);
}

// From the CTA of the first warp that takes part to the last warp that does.
void report_lanes(Exec& x, const Op& op, const AccessView& a) {
  u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  access::LaneBatch batch{header_of(x, op, a)};
  batch.cta = x.cta->index + first / x.shape.cta_warps;
  batch.active = {a.mask->word.data() + first, x.end_warp - first};
  batch.address = a.address + first * warp_size;
  batch.cta_warps = x.shape.cta_warps;
  x.sink->lanes(batch);
}

// An asynchronous copy is counted where it reads; where it writes is for the store behind it to say (lower_copy.cpp). Lanes
// that read nothing are not in the access.
void report_copy(Exec& x, const Op& op, const AccessView& a) {
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

} // namespace

void report_to_sink(Exec& x, const Op& op, const AccessView& a) {
  if (x.code->module->sites[op.site.value].kind == access::Kind::async_copy) return report_copy(x, op, a);
  if (a.form == AddressForm::affine)
    report_affine(x, op, a);
  else
    report_lanes(x, op, a);
}

} // namespace warplens::sim
