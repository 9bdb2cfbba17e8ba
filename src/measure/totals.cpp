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

u64 excess_bytes(const Counters& counters, access::Space space) {
  switch (space) {
  case access::Space::shared: return excess(counters, space) * wavefront_bytes;
  case access::Space::constant: return excess(counters, space) * constant_bytes;
  default: return excess(counters, space) * sector_bytes;
  }
}

double efficiency(const Counters& counters, access::Space space) {
  u64 moved = 0, useful = counters.bytes_used;
  switch (space) {
  case access::Space::shared: moved = counters.wavefronts, useful = counters.ideal_wavefronts; break;
  case access::Space::constant: moved = counters.requests, useful = counters.instructions; break;
  default: moved = counters.sectors * sector_bytes; break;
  }
  return moved == 0 ? 1 : std::min(1.0, static_cast<double>(useful) / static_cast<double>(moved));
}

} // namespace warplens::measure
