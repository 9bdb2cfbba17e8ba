// What a change would cost: warps of the new shape, counted by the same architecture, times how many run.
#include "advise/rules/rules.h"
#include "base/bits.h"

namespace warplens::advise::rules {

namespace {

arch::Counts one_warp(const Subject& subject, const Change& change, u32 lanes) {
  const access::Site& site = subject.site.site;
  access::WarpAccess access{{.site = site.id,
                             .space = change.space,
                             .kind = site.kind,
                             .cache = site.cache,
                             .bytes = static_cast<u8>(change.bytes)},
                            low_lanes(lanes)};
  for_each_lane(access.active, [&](u32 lane) { access.address[lane] = change.address(lane); });
  return arch::count(*subject.context.architecture, access);
}

} // namespace

arch::Counts predicted(const Subject& subject, const Change& change, u64 instructions, u64 threads) {
  if (instructions == 0) return {};
  u64 fewer = threads / instructions, more = threads % instructions;
  arch::Counts sum = one_warp(subject, change, static_cast<u32>(fewer)) * (instructions - more);
  if (more != 0) sum += one_warp(subject, change, static_cast<u32>(fewer) + 1) * more;
  return sum;
}

arch::Counts predicted(const Subject& subject, const Change& change) {
  return predicted(subject, change, subject.counters.instructions, subject.counters.threads);
}

Change consecutive(const Subject& subject) {
  u32 bytes = subject.site.site.bytes;
  if (subject.site.space == access::Space::local)
    return {subject.site.space, bytes, [](u32) { return u64{0}; }};
  return {subject.site.space, bytes, [bytes](u32 lane) { return u64{lane} * bytes; }};
}

bool moves_more_than_sectors(const Subject& s) {
  return is_device(s.site.space) && s.counters.transaction_bytes > 32 * s.counters.sectors;
}

bool is_device(access::Space space) { return space == access::Space::global; }

Advice draft(const Subject& subject, std::string rule, Metric metric) {
  Advice out;
  out.rule = std::move(rule);
  out.metric = metric;
  out.before = subject.counters;
  out.after = out.before;
  return out;
}

} // namespace warplens::advise::rules
