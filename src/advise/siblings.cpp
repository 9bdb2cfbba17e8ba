#include "advise/siblings.h"
#include <cstdlib>

namespace warplens::advise {

Siblings::Siblings(const measure::LaunchRecord& launch) {
  for (const measure::SiteRecord& site : launch.sites)
    if (!site.distribution.classes.empty())
      by_stride_[static_cast<u64>(std::llabs(site.distribution.classes.front().shape.stride))].push_back(
          &site);
}

const std::vector<const measure::SiteRecord*>& Siblings::of_stride(u64 stride) const {
  static const std::vector<const measure::SiteRecord*> none;
  auto found = by_stride_.find(stride);
  return found == by_stride_.end() ? none : found->second;
}

} // namespace warplens::advise
