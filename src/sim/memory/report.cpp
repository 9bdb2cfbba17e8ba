// From an access to the sink (access/access.h): the only place where the emulator counts one.
#include "sim/memory/access.h"

namespace warplens::sim {
namespace {

access::Space sink_space(ir::StateSpace space) {
  switch (space) {
  case ir::StateSpace::shared: return access::Space::shared;
  case ir::StateSpace::local: return access::Space::local;
  case ir::StateSpace::constant: return access::Space::constant;
  default: return access::Space::global;
  }
}

void report_affine(Exec& x, const Op& op, const Access& a, const access::Site& site) {
  x.sink->affine({op.site,
                  sink_space(a.space),
                  site.kind,
                  site.cache,
                  static_cast<u8>(a.bytes),
                  x.cta->index,
                  x.shape.ctas,
                  a.base,
                  {a.stride[0], a.stride[1], a.stride[2]},
                  x.shape.block,
                  a.stride[3],
                  {a.mask->word.data(), a.whole ? 0 : x.shape.warps}});
}

// From the CTA of the first warp that takes part to the last warp that does.
void report_lanes(Exec& x, const Op& op, const Access& a, const access::Site& site) {
  u32 first = x.first_warp - x.first_warp % x.shape.cta_warps;
  x.sink->lanes({op.site,
                 sink_space(a.space),
                 site.kind,
                 site.cache,
                 static_cast<u8>(a.bytes),
                 site.matrices,
                 x.cta->index + first / x.shape.cta_warps,
                 {a.mask->word.data() + first, x.end_warp - first},
                 a.address + first * warp_size,
                 nullptr,
                 x.shape.cta_warps});
}

} // namespace

void report_to_sink(Exec& x, const Op& op, const Access& a) {
  const access::Site& site = x.code->module->sites[op.site.value];
  if (a.form == AddressForm::affine)
    report_affine(x, op, a, site);
  else
    report_lanes(x, op, a, site);
}

} // namespace warplens::sim
