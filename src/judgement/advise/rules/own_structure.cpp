// A structure of each lane's own, that a loop loads and stores in every round: the state of a generator of random numbers, a particle.
// Where the loop takes other structures in each round, the first block comes to as many sectors more. Where it takes other elements of
// the thread's own row, the thread walks along that.
#include "advise/rules/rules.h"
#include "base/bits.h"
#include <algorithm>
#include <numeric>

namespace warplens::advise::rules {

namespace {

// Do all accesses of the launch to the array go to one structure of each lane, so many bytes apart, and some of them store there?
bool each_lane_has_its_own(const Subject& s, u64 stride) {
  const u64 period = std::gcd(arch::address_period, u64{warp_size} * stride);
  const i64 own = start_of_lanes(in_launch(s).distribution.classes.front());
  i64 least = 0, end = s.site.site.bytes;
  bool stores = false, alone = 2 * stride <= period;
  for (const measure::SiteRecord& other : s.context.launch->record().sites) {
    if (other.site.array != s.site.site.array || other.distribution.classes.empty()) continue;
    const measure::Shape& shape = other.distribution.classes.front().shape;
    stores = stores || other.site.kind == access::Kind::store;
    alone = alone && !is_atomic(other.site.kind) && shape.form == measure::Form::strided &&
            shape.distance() == stride;
    const u64 apart = static_cast<u64>(start_of_lanes(other.distribution.classes.front()) - own) % period;
    const i64 place = static_cast<i64>(apart) - (2 * apart > period ? static_cast<i64>(period) : 0);
    least = std::min(least, place), end = std::max(end, place + i64{other.site.bytes});
  }
  return stores && alone && end - least <= static_cast<i64>(stride);
}

} // namespace

u64 requests_of_own_structure(const Subject& s) {
  const measure::SiteRecord& site = in_launch(s);
  const measure::FirstBlock& block = site.distribution.first_block;
  if (s.context.launch == nullptr || s.site.site.array.kind == access::ArrayKind::unknown ||
      block.requests == 0 || !is_device(s.site.space) ||
      s.site.pattern.kind() != measure::PatternKind::strided)
    return 0;
  u64 instructions = 0;
  for (const measure::SiteRecord& other : at_place(s))
    instructions += other.distribution.classes.empty() ? 0 : 1;
  const u64 once = instructions * ceil_div(s.context.launch->record().block.count(), warp_size);
  if (once == 0) return 0;
  const double rounds = static_cast<double>(block.requests) / static_cast<double>(once);
  const bool walks = block.row_elements > instructions * block.rows;
  const bool again =
      !walks && rounds >= often && rounds > static_cast<double>(instructions) &&
      static_cast<double>(block.sectors) >= rounds * static_cast<double>(block.distinct_sectors);
  return again && each_lane_has_its_own(s, s.site.pattern.shape.distance()) ? once : 0;
}

} // namespace warplens::advise::rules
