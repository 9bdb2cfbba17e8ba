// Advice on many accesses of one launch: its other accesses are found by their stride, where going through all of them for each
// would take quadratic time. Unrolled kernels have tens of thousands.
#pragma once
#include "advise/advise.h"
#include "findings/remedy.h"
#include <unordered_map>

namespace warplens::advise {

class Siblings {
public:
  explicit Siblings(const measure::LaunchRecord&); // which it refers to
  // Those that ran, and whose lanes are so many bytes apart; in the launch's order.
  const std::vector<const measure::SiteRecord*>& of_stride(u64 stride) const;

private:
  std::unordered_map<u64, std::vector<const measure::SiteRecord*>> by_stride_;
};

// As advise() and remedy() of advise.h and remedy.h say, of accesses of the context's launch.
std::vector<Advice> advise(const measure::SiteRecord&, const Context&, const Siblings&);
findings::Remedy remedy(const Advice&, const measure::SiteRecord&, const Context&, const Siblings&);

} // namespace warplens::advise
