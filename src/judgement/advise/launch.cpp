#include "advise/launch.h"

namespace warplens::advise {

Launch::Launch(const measure::LaunchRecord& record) : record_(record) {
  for (const measure::SiteRecord& site : record.sites)
    if (!site.distribution.classes.empty())
      by_stride_[site.distribution.classes.front().shape.distance()].push_back(&site);
}

const std::vector<const measure::SiteRecord*>& Launch::of_stride(u64 stride) const {
  static const std::vector<const measure::SiteRecord*> none;
  auto found = by_stride_.find(stride);
  return found == by_stride_.end() ? none : found->second;
}

} // namespace warplens::advise
