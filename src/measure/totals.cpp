#include "measure/totals.h"
#include <algorithm>
#include <array>

namespace warplens::measure {
namespace {

using Member = u64 Counters::*;
constexpr std::array<Member, 12> members{
    &Counters::instructions, &Counters::threads,           &Counters::requests,
    &Counters::tags,         &Counters::sectors,           &Counters::ideal_sectors,
    &Counters::wavefronts,   &Counters::ideal_wavefronts,  &Counters::data_wavefronts,
    &Counters::transactions, &Counters::transaction_bytes, &Counters::bytes_used};
static_assert(sizeof(Counters) == members.size() * sizeof(u64), "a new counter belongs in this list too");

constexpr u64 sector_bytes = 32, wavefront_bytes = 128, constant_bytes = 4;

u64 above(u64 actual, u64 ideal) { return actual > ideal ? actual - ideal : 0; }

} // namespace

Counters& operator+=(Counters& sum, const Counters& other) {
  for (Member member : members) sum.*member += other.*member;
  return sum;
}

bool operator==(const Counters& a, const Counters& b) {
  return std::all_of(members.begin(), members.end(), [&](Member member) { return a.*member == b.*member; });
}

void add(Counters& sum, const Counters& other, u64 times) {
  for (Member member : members) sum.*member += other.*member * times;
}

void add(Counters& sum, const arch::Counts& counts, u64 times) {
  sum.instructions += counts.instructions * times;
  sum.threads += counts.threads * times;
  sum.requests += counts.requests * times;
  sum.tags += counts.tags * times;
  sum.sectors += counts.sectors * times;
  sum.ideal_sectors += counts.ideal_sectors * times;
  sum.wavefronts += counts.wavefronts * times;
  sum.ideal_wavefronts += counts.ideal_wavefronts * times;
  sum.data_wavefronts += counts.data_wavefronts * times;
  sum.transactions += counts.transactions * times;
  sum.transaction_bytes += counts.transaction_bytes * times;
  sum.bytes_used += counts.bytes_used * times;
}

Counters total(const LaunchRecord& launch, std::size_t architecture) {
  Counters sum;
  for (const SiteRecord& site : launch.sites)
    if (architecture < site.counters.size()) sum += site.counters[architecture];
  return sum;
}

Counters total(const LaunchRecord& launch, std::size_t architecture, access::Space space) {
  Counters sum;
  for (const SiteRecord& site : launch.sites)
    if (site.space == space && architecture < site.counters.size()) sum += site.counters[architecture];
  return sum;
}

u64 excess(const Counters& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return above(counters.wavefronts, counters.ideal_wavefronts);
  case access::Space::constant: return above(counters.requests, counters.instructions);
  default: return above(counters.sectors, counters.ideal_sectors);
  }
}

u64 bytes_moved(const Counters& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return counters.wavefronts * wavefront_bytes;
  case access::Space::constant: return counters.requests * constant_bytes;
  default:
    // Sectors of 32 bytes since 5.0; lines or segments of other sizes before, which only `transactions`
    // knows.
    return counters.transactions != 0 ? counters.transaction_bytes : counters.sectors * sector_bytes;
  }
}

u64 bytes_needed(const Counters& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return counters.ideal_wavefronts * wavefront_bytes;
  case access::Space::constant: return counters.instructions * constant_bytes;
  default: return counters.ideal_sectors * sector_bytes;
  }
}

u64 excess_bytes(const Counters& counters, access::Space space) {
  return above(bytes_moved(counters, space), bytes_needed(counters, space));
}

double efficiency(const Counters& counters, access::Space space) {
  u64 moved = bytes_moved(counters, space);
  bool by_passes = space == access::Space::shared || space == access::Space::constant;
  u64 useful = by_passes ? bytes_needed(counters, space) : counters.bytes_used;
  return moved == 0 ? 1 : std::min(1.0, static_cast<double>(useful) / static_cast<double>(moved));
}

} // namespace warplens::measure
