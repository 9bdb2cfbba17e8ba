// What a change would cost: the warps of every class, changed and counted by the same architecture.
#include "advise/rules/rules.h"
#include "arch/occupancy.h"
#include "base/bits.h"
#include "findings/words.h"
#include <fmt/format.h>
#include <memory>

namespace warplens::advise::rules {

const measure::SiteRecord& in_launch(const Subject& s) {
  const measure::SiteRecord* found =
      s.context.launch == nullptr ? nullptr : s.context.launch->find(s.site.site.id, s.site.space);
  return found == nullptr ? s.site : *found;
}

std::string name_of(const Subject& s) {
  const access::Array& array = s.site.site.array;
  const bool is_name = !array.name.empty() && !array.indirect && array.name.find(' ') == std::string::npos;
  return is_name ? array.name : "a";
}

arch::Counts predicted(const Subject& s, const Change& change) {
  const measure::Distribution& warps = s.site.distribution;
  arch::Counts sum;
  for (const measure::WarpClass& c : warps.classes) {
    access::WarpAccess access = c.example;
    change(access);
    sum += arch::count(*s.context.architecture, access) * c.warps;
  }
  u64 all = warps.warps(), kept = all - warps.other_warps;
  if (warps.other_warps != 0 && kept != 0)
    for (const arch::CountMember& member : arch::count_members)
      sum.*member.value = static_cast<u64>(static_cast<double>(sum.*member.value) * static_cast<double>(all) /
                                           static_cast<double>(kept));
  return sum;
}

access::WarpAccess changed(const Subject& s, const Change& change) {
  access::WarpAccess access = main_class(s).example;
  change(access);
  access.copied_to = access.copied_from = nullptr; // which the site owns
  return access;
}

void predict(const Subject& s, const Change& change, Advice& out) {
  out.after = predicted(s, change);
  out.lanes = changed(s, change);
}

double share_at_place(const Subject& s, const std::function<bool(const measure::SiteRecord&)>& f) {
  if (s.context.launch == nullptr) return f(s.site) ? 1 : 0;
  u64 of_these = 0, all = 0;
  for (const measure::SiteRecord& other : at_place(s)) {
    if (other.distribution.classes.empty()) continue;
    const u64 times = other.counters[s.context.column].instructions;
    all += times, of_these += f(other) ? times : 0;
  }
  return all == 0 ? 0 : static_cast<double>(of_these) / static_cast<double>(all);
}

void predict_share(const Subject& s, const Change& most, double share, const Change& some, Advice& out) {
  predict(s, most, out);
  const double rest = static_cast<double>(out.after.sectors),
               part = static_cast<double>(predicted(s, some).sectors);
  set_sectors(out.after, static_cast<u64>(rest + share * (part - rest) + 0.5));
}

Change neighbouring_destinations() {
  return [end = std::make_shared<std::array<u64, warp_size>>()](access::WarpAccess& access) {
    *end = access.address;
    if (access.copied_to != nullptr) access.copied_to = end->data();
  };
}

Change consecutive(const Subject& subject) {
  u32 bytes = subject.site.space == access::Space::local ? 0 : subject.site.site.bytes;
  std::array<u64, warp_size> address;
  for (u32 lane = 0; lane < warp_size; ++lane) address[lane] = u64{lane} * bytes;
  // An asynchronous copy moves a sector once for each place that parts of it go to.
  return [end = std::make_shared<const std::array<u64, warp_size>>(address)](access::WarpAccess& access) {
    access.address = *end;
    if (access.copied_to != nullptr) access.copied_to = end->data();
  };
}

std::string cost_of_shared(const Subject& s, u64 bytes) {
  if (s.context.launch == nullptr) return {};
  const arch::Architecture& device = *s.context.architecture;
  const measure::LaunchRecord& launch = s.context.launch->record();
  const u64 there_are = ceil_div(launch.grid.count(), u64{std::max(1u, device.part.multiprocessors)});
  arch::BlockNeeds block{static_cast<u32>(launch.block.count()), launch.registers, launch.shared_bytes};
  const u64 now = std::min(arch::occupancy(device.limits, block).blocks(), there_are);
  block.shared_bytes += bytes;
  const u64 then = arch::occupancy(device.limits, block).blocks();
  return then >= now
             ? std::string()
             : fmt::format("; it takes {} of shared memory, with which {} instead of {} blocks fit on an SM",
                           findings::bytes(bytes), then, now);
}

const measure::WarpClass& main_class(const Subject& s) { return s.site.distribution.classes.front(); }

bool moves_more_than_sectors(const Subject& s) {
  return is_device(s.site.space) && s.counters.transaction_bytes > 32 * s.counters.sectors;
}

bool is_device(access::Space space) { return space == access::Space::global; }

bool reads(access::Kind kind) { return kind == access::Kind::load || kind == access::Kind::async_copy; }

Advice draft(const Subject& subject, findings::Rule rule, Metric metric) {
  Advice out;
  out.rule = rule;
  out.metric = metric;
  out.before = subject.counters;
  out.after = out.before;
  return out;
}

} // namespace warplens::advise::rules
