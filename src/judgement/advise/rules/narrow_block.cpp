// A block that is narrower than a warp: its warps cover several rows of threads, and each row of lanes ends inside a sector.
// Predicted is a block as wide as a warp: all lanes in the row in which the warp begins, at the step that they have now.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <cstdlib>
#include <fmt/format.h>

namespace warplens::advise::rules {

namespace {

Change one_row(i64 step) {
  return [step](access::WarpAccess& access) {
    if (access.active == 0) return;
    const u32 first = static_cast<u32>(std::countr_zero(access.active));
    const u64 start = access.address[first];
    for_each_lane(access.active, [&](u32 lane) {
      access.address[lane] = start + static_cast<u64>(static_cast<i64>(lane - first) * step);
    });
  };
}

} // namespace

void narrow_block(const Subject& s, std::vector<Advice>& list) {
  const measure::Shape& shape = s.site.pattern.shape;
  if (!is_device(s.site.space) || is_atomic(s.site.site.kind) || s.context.launch == nullptr) return;
  const Dim3 block = s.context.launch->record().block;
  if (shape.rows < 2 || block.x >= warp_size || shape.row_lanes != block.x || block.count() < warp_size ||
      s.counters.sectors <= s.counters.ideal_sectors)
    return;
  const i64 step = shape.stride != 0 ? shape.stride : static_cast<i64>(s.site.site.bytes);
  if (shape.gap != 0 && std::abs(shape.gap) < warp_size * std::abs(step))
    return; // the array's rows end before
  Advice out = draft(s, findings::uncoalesced(s.site.site.kind), Metric::sectors);
  predict(s, one_row(step), out);
  if (20 * out.after.sectors > 19 * s.counters.sectors) return;
  out.title = fmt::format("a warp covers {} rows of {} threads", shape.rows, block.x);
  out.cause = fmt::format(
      "the block is {} threads wide, so that a warp goes to {} places in memory, and each begins or ends "
      "inside a sector",
      block.x, shape.rows);
  out.change =
      fmt::format("make the block at least {} threads wide, so that a warp covers one row", warp_size);
  out.example = fmt::format("dim3 block(32, {})", std::max<u64>(1, block.count() / warp_size));
  list.push_back(std::move(out));
}

} // namespace warplens::advise::rules
