// See once.h.
#include "measure/once.h"
#include "measure/distribution_json.h"

namespace warplens::measure {
namespace {

// In somebody else's program: some tens of megabytes at most.
constexpr std::size_t most_sites = 1 << 14, most_records = 1 << 12, most_starts = 1 << 14;

void refer(access::Site& site) {
  access::SiteId id = site.id;
  site = {};
  site.id = id;
  site.bytes = 0;
}

} // namespace

SiteTable::Described SiteTable::shorten(LaunchRecord& record) {
  Described out = Described::none;
  for (SiteRecord& r : record.sites) {
    if (!r.site.id.valid()) continue;
    auto [found, fresh] = sites_.try_emplace({record.module, r.site.id.value, r.space});
    access::Site& known = found->second;
    if (!fresh && known == r.site) {
      refer(r.site);
    } else {
      known = r.site; // new, or another module of the same description
      out = std::max(out, fresh ? Described::some : Described::changed);
    }
  }
  return out;
}

bool SiteTable::complete(LaunchRecord& record) {
  for (SiteRecord& r : record.sites) {
    if (!r.site.id.valid()) continue;
    std::tuple key{record.module, r.site.id.value, r.space};
    if (!r.site.opcode.empty()) {
      sites_[key] = r.site;
    } else if (auto known = sites_.find(key); known != sites_.end()) {
      r.site = known->second;
      measure::complete(r, record.sm);
    } else {
      return false;
    }
  }
  return true;
}

void StartTable::shorten(LaunchStarted& started) {
  Dim3 g = started.grid, b = started.block;
  if (sent_.size() >= most_starts) sent_.clear();
  auto [found, fresh] = sent_.try_emplace(Key{started.name, g.x, g.y, g.z, b.x, b.y, b.z}, started.index);
  if (!fresh) started = {.process = started.process, .index = started.index, .as = found->second};
}

bool StartTable::complete(LaunchStarted& started) {
  if (!started.as) {
    known_[started.index] = started;
    return true;
  }
  auto found = known_.find(*started.as);
  if (found == known_.end()) return false;
  u64 index = started.index;
  started = found->second;
  started.index = index;
  return true;
}

std::optional<u64> RecordTable::find(const LaunchRecord& record) const {
  auto [begin, end] = by_digest_.equal_range(digest(record));
  for (auto found = begin; found != end; ++found) {
    const LaunchRecord& known = records_[found->second];
    if (static_cast<const LaunchContent&>(known) == record) return known.index;
  }
  return {};
}

void RecordTable::add(LaunchRecord record) {
  if (records_.size() >= most_records || sites_ + record.sites.size() > most_sites) clear();
  for (SiteRecord& site : record.sites)
    if (site.site.id.valid()) refer(site.site);
  sites_ += record.sites.size();
  by_digest_.emplace(digest(record), records_.size());
  records_.push_back(std::move(record));
}

void RecordTable::clear() { *this = {}; }

Event Sender::shorten_launch(LaunchRecord record) {
  SiteTable::Described described = sites_.shorten(record);
  if (described == SiteTable::Described::changed) records_.clear(); // their references meant the other site
  if (described == SiteTable::Described::none)
    if (std::optional<u64> as = records_.find(record)) return LaunchAlike{record.process, record.index, *as};
  records_.add(record);
  return record;
}

Event Sender::shorten(Event event) {
  if (auto* launch = std::get_if<LaunchRecord>(&event)) return shorten_launch(std::move(*launch));
  if (auto* started = std::get_if<LaunchStarted>(&event)) starts_.shorten(*started);
  return event;
}

} // namespace warplens::measure
