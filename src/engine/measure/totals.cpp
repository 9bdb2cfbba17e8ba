// Excess, bytes, cycles and shares of counts. See totals.h.
#include "measure/totals.h"
#include "measure/pattern.h"
#include <algorithm>

namespace warplens::measure {
namespace {

using arch::Counts;

constexpr u64 wavefront_bytes = 128, constant_bytes = 4;

u64 above(u64 actual, u64 ideal) { return actual > ideal ? actual - ideal : 0; }

} // namespace

u64 excess(const Counts& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return above(counters.wavefronts, counters.ideal_wavefronts);
  case access::Space::constant: return above(counters.requests, counters.instructions);
  default: return above(counters.sectors, counters.ideal_sectors);
  }
}

u64 bytes_moved(const Counts& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return counters.wavefronts * wavefront_bytes;
  case access::Space::constant: return counters.requests * constant_bytes;
  default:
    // Sectors of 32 bytes since 5.0; lines or segments of other sizes before, which only `transactions`
    // knows.
    return counters.transactions != 0 ? counters.transaction_bytes : counters.sectors * sector_bytes;
  }
}

u64 bytes_needed(const Counts& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return counters.ideal_wavefronts * wavefront_bytes;
  case access::Space::constant: return counters.instructions * constant_bytes;
  default: return counters.ideal_sectors * sector_bytes;
  }
}

u64 excess_bytes(const Counts& counters, access::Space space) {
  return above(bytes_moved(counters, space), bytes_needed(counters, space));
}

u64 StageCycles::busiest() const { return std::max({tag, data, sectors}); }

namespace {

u64 share_of(u64 value, double share) {
  return share == 1 ? value : static_cast<u64>(static_cast<double>(value) * share + 0.5);
}

} // namespace

StageCycles cycles(const Counts& counters, access::Space space, const arch::Architecture& row,
                   double from_l2) {
  const arch::StageCosts& costs = row.costs;
  switch (space) {
  case access::Space::shared: return {0, counters.wavefronts * costs.wavefront, 0};
  case access::Space::constant: return {counters.requests * costs.constant_request, 0, 0};
  default:
    return {counters.tag_passes * costs.tag_pass, counters.data_wavefronts * costs.wavefront,
            share_of(bytes_moved(counters, space) / sector_bytes * costs.sector, from_l2)};
  }
}

// A pass per instruction is the least for an access to global memory, and a sector takes longer.
StageCycles ideal_cycles(const Counts& counters, access::Space space, const arch::Architecture& row,
                         double from_l2) {
  const arch::StageCosts& costs = row.costs;
  switch (space) {
  case access::Space::shared: return {0, counters.ideal_wavefronts * costs.wavefront, 0};
  case access::Space::constant: return {counters.instructions * costs.constant_request, 0, 0};
  default:
    return {std::min(counters.tag_passes, counters.instructions) * costs.tag_pass,
            std::min(counters.data_wavefronts, counters.instructions) * costs.wavefront,
            from_l2 == 1 ? counters.ideal_sectors * costs.sector
                         : std::min(counters.ideal_sectors * costs.sector,
                                    cycles(counters, space, row, from_l2).sectors)};
  }
}

u64 excess_cycles(const Counts& counters, access::Space space, const arch::Architecture& row,
                  double from_l2) {
  return above(cycles(counters, space, row, from_l2).busiest(),
               ideal_cycles(counters, space, row, from_l2).busiest());
}

u64 excess_bytes(const Counts& counters, access::Space space, const access::Site& site) {
  return is_spill(site) ? bytes_moved(counters, space) : excess_bytes(counters, space);
}

u64 excess_cycles(const Counts& counters, access::Space space, const access::Site& site,
                  const arch::Architecture& row, double from_l2) {
  return is_spill(site) ? cycles(counters, space, row, from_l2).busiest()
                        : excess_cycles(counters, space, row, from_l2);
}

double efficiency(const Counts& counters, access::Space space) {
  u64 moved = bytes_moved(counters, space);
  bool by_passes = space == access::Space::shared || space == access::Space::constant;
  u64 useful = by_passes ? bytes_needed(counters, space) : counters.bytes_used;
  return moved == 0 ? 1 : std::min(1.0, static_cast<double>(useful) / static_cast<double>(moved));
}

} // namespace warplens::measure
