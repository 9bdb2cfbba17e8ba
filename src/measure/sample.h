// The warps that a site's pattern is named from. Which ones depends on the CTA's index and on how often the CTA
// executed the site, never on the worker: CTAs 0…15 and every 61st (a prime, to meet all columns of a grid) up
// to 80 in all; of each the executions 1 to 4 and then each power of two; of each at most 4 warps.
#pragma once
#include "access/access.h"
#include "arch/arch.h"
#include "measure/classify.h"
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace warplens::measure {

inline constexpr u32 first_ctas = 16, cta_spacing = 61, sampled_ctas = 80;
inline constexpr u64 last_sampled_cta = u64{cta_spacing} * (sampled_ctas - first_ctas - 1);

// The place of a CTA among the sampled ones, or none.
std::optional<u32> sample_slot(u64 cta);

// The first CTA of the sample from `cta` on, or one past the last.
constexpr u64 next_sampled(u64 cta) {
  return cta < first_ctas ? cta : (cta + cta_spacing - 1) / cta_spacing * cta_spacing;
}

// One site in one space, as one worker met it.
class Sample {
public:
  // `device`: whose bank conflicts the pattern tells.
  void add(const arch::Architecture& device, const access::LaneBatch& batch) {
    u32 warps = static_cast<u32>(batch.active.size()),
        cta_warps = batch.cta_warps == 0 ? warps : batch.cta_warps;
    for (u64 cta = next_sampled(batch.cta); cta <= last_sampled_cta && (cta - batch.cta) * cta_warps < warps;
         cta = next_sampled(cta + 1)) {
      u32 first = static_cast<u32>(cta - batch.cta) * cta_warps;
      look(device, batch, cta, first, std::min(cta_warps, warps - first));
    }
  }
  void add(const arch::Architecture& device, const access::AffineAccess& access) {
    for (u64 cta = next_sampled(access.cta); cta <= last_sampled_cta && cta - access.cta < access.count;
         cta = next_sampled(cta + 1))
      look(device, access::cta_of(access, cta - access.cta));
  }
  const PatternTally& patterns() const { return patterns_; }

private:
  // The observed warps of an affine access of all threads that was met before.
  struct Seen {
    std::array<i64, 3> stride{};
    u64 place = 0; // the base modulo the period
    Dim3 block{};
    u8 bytes = 0;
    std::vector<Observation> warps{};
  };

  void look(const arch::Architecture&, const access::LaneBatch&, u64 cta, u32 first_warp, u32 warps);
  void look(const arch::Architecture&, const access::AffineAccess& one_cta);
  void look_whole(const arch::Architecture&, const access::AffineAccess& one_cta);
  bool is_sampled(u64 cta);

  PatternTally patterns_;
  std::vector<Seen> seen_;                     // at most most_seen
  std::array<u32, sampled_ctas> executions_{}; // of each sampled CTA
};

} // namespace warplens::measure
