// What helps an access whose array has to keep its layout, as another kernel goes along its rows: a warp that takes a row, or a tile.
#include "advise/rules/rules.h"
#include "base/bits.h"

namespace warplens::advise {

Advice with_same_layout(Advice advice, const measure::SiteRecord& site, const Context& context) {
  const rules::Subject s{site, site.counters[context.column], context};
  const bool load = rules::reads(site.site.kind);
  constexpr u64 short_row = 8; // elements, below which a warp has nothing to do there
  const bool is_long = site.pattern.kind() != measure::PatternKind::strided ||
                       site.pattern.shape.distance() >= short_row * site.site.bytes;
  u64 performed = 0;
  for (const measure::SiteRecord& other : rules::at_place(s))
    performed += other.counters[context.column].instructions;
  const measure::LaunchRecord& launch = context.launch->record();
  const u64 warps = launch.grid.count() * ceil_div(launch.block.count(), warp_size);
  if (is_long && 2 * performed > 3 * warps) {
    advice.way = Way::row_per_warp;
    advice.change = load ? "give each row to a warp, whose lanes read it side by side"
                         : "give each row to a warp, whose lanes write it side by side";
    advice.example = load ? "for (int j = lane; j < n; j += 32) … a[row*n + j] …;"
                          : "for (int j = lane; j < n; j += 32) a[row*n + j] = …;";
  } else {
    advice.way = Way::tile;
    advice.change = load ? "load a tile into shared memory row by row, and read it there by column"
                         : "collect a tile in shared memory, and store it from there row by row";
    advice.example.clear();
  }
  advice.before = s.counters;
  rules::predict(s, rules::consecutive(s), advice);
  return advice;
}

} // namespace warplens::advise
