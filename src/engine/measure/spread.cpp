#include "measure/spread.h"
#include "measure/record.h"
#include <algorithm>
#include <cmath>

namespace warplens::measure {
namespace {

// Student's t that 95 of 100 cases stay within, to 1 %.
double student_95(double freedom) { return 1.96 + 2.5 / freedom + 8.2 / (freedom * freedom * freedom); }

} // namespace

double spread_of(std::span<const Stratum> strata, const arch::Counts& total) {
  if (strata.empty()) return 0;
  if (strata.size() == 1) return most_spread;
  const double count = static_cast<double>(strata.size());
  double widest = 0;
  for (const arch::CountMember& member : arch::count_members) {
    const double sum = static_cast<double>(total.*member.value);
    if (sum == 0) continue;
    double squares = 0;
    for (std::size_t i = 1; i < strata.size(); ++i) {
      const double step = static_cast<double>(strata[i].counts.*member.value) -
                          static_cast<double>(strata[i - 1].counts.*member.value);
      const double batches = static_cast<double>(strata[i].batches + strata[i - 1].batches) / 2;
      squares += step * step * batches * batches;
    }
    const double variance = squares / 2 * count / (count - 1);
    widest = std::max(widest, student_95(count - 1) * std::sqrt(variance) / sum);
  }
  return std::min(widest, most_spread);
}

void widen(std::span<SiteRecord> sampled, double off) {
  double widest = 0;
  for (const SiteRecord& site : sampled)
    if (site.spread < 1) widest = std::max(widest, site.spread);
  if (off <= widest) return;
  for (SiteRecord& site : sampled) site.spread = std::max(site.spread, std::min(4 * off, 1.0));
}

} // namespace warplens::measure
