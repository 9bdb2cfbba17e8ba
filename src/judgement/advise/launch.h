// A launch as advice asks for it: its shape, and its accesses by what makes one concern another. Made once for all the accesses
// of the launch: unrolled kernels have tens of thousands, and looking through all of them for each takes quadratic time.
#pragma once
#include "measure/record.h"
#include <unordered_map>
#include <vector>

namespace warplens::advise {

class Launch {
public:
  explicit Launch(const measure::LaunchRecord&); // which it refers to
  const measure::LaunchRecord& record() const { return record_; }
  // Those that ran, and whose main class has lanes so many bytes apart; in the launch's order.
  const std::vector<const measure::SiteRecord*>& of_stride(u64 stride) const;
  // That instruction's, where it ran; else null.
  const measure::SiteRecord* find(access::SiteId, access::Space) const;

private:
  const measure::LaunchRecord& record_;
  std::unordered_map<u64, std::vector<const measure::SiteRecord*>> by_stride_;
  std::unordered_map<u64, std::vector<const measure::SiteRecord*>> by_id_;
};

} // namespace warplens::advise
