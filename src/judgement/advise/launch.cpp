#include "advise/launch.h"

namespace warplens::advise {

Launch::Launch(const measure::LaunchRecord& record, u64 blocks, std::map<access::SiteId, Turns> by_code)
    : record_(record), blocks_(blocks != 0 ? blocks : record.grid.count()), by_code_(std::move(by_code)) {
  for (const measure::SiteRecord& site : record.sites)
    if (!site.distribution.classes.empty()) {
      by_stride_[site.distribution.classes.front().shape.distance()].push_back(&site);
      by_id_[site.site.id.value].push_back(&site);
    }
}

const measure::SiteRecord* Launch::find(access::SiteId id, access::Space space) const {
  if (auto found = by_id_.find(id.value); found != by_id_.end())
    for (const measure::SiteRecord* site : found->second)
      if (site->space == space) return site;
  return nullptr;
}

Turns Launch::turns(access::SiteId id) const {
  const auto known = by_code_.find(id);
  return known == by_code_.end() ? Turns::counted : known->second;
}

const std::vector<const measure::SiteRecord*>& Launch::of_stride(u64 stride) const {
  static const std::vector<const measure::SiteRecord*> none;
  auto found = by_stride_.find(stride);
  return found == by_stride_.end() ? none : found->second;
}

} // namespace warplens::advise
