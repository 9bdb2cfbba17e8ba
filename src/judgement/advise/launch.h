// A launch as advice asks for it: its shape, and its accesses by what makes one concern another. Made once for all the accesses
// of the launch: unrolled kernels have tens of thousands, and looking through all of them for each takes quadratic time.
#pragma once
#include "measure/record.h"
#include <map>
#include <unordered_map>
#include <vector>

namespace warplens::advise {

// How often a thread performs an access, as code alone tells. Where it ran, its counts tell.
enum class Turns : u8 { counted, one, several, along_row };

class Launch {
public:
  // Refers to the record. `blocks`: of all launches whose accesses are asked about together; 0: of this one. `by_code`: of accesses
  // that did not run.
  explicit Launch(const measure::LaunchRecord&, u64 blocks = 0, std::map<access::SiteId, Turns> by_code = {});
  const measure::LaunchRecord& record() const { return record_; }
  u64 blocks() const { return blocks_; }
  // Do the threads lie in rows? Else nothing shows that arrays have any.
  bool has_rows() const { return record_.block.y > 1 || record_.grid.y > 1; }
  // Those that ran, and whose main class has lanes so many bytes apart; in the launch's order.
  const std::vector<const measure::SiteRecord*>& of_stride(u64 stride) const;
  // That instruction's, where it ran; else null.
  const measure::SiteRecord* find(access::SiteId, access::Space) const;
  Turns turns(access::SiteId) const;

private:
  const measure::LaunchRecord& record_;
  u64 blocks_;
  std::map<access::SiteId, Turns> by_code_;
  std::unordered_map<u64, std::vector<const measure::SiteRecord*>> by_stride_;
  std::unordered_map<u64, std::vector<const measure::SiteRecord*>> by_id_;
};

} // namespace warplens::advise
