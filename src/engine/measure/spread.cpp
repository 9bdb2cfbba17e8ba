#include "measure/spread.h"
#include "measure/record.h"
#include <algorithm>
#include <cmath>

namespace warplens::measure {
namespace {

// Student's t that 95 of 100 cases stay within, to 1 %.
double student_95(double freedom) { return 1.96 + 2.5 / freedom + 8.2 / (freedom * freedom * freedom); }

// `value(i)`, `batches(i)`: of the i-th of `count` strata.
template <class Value, class Batches>
double half_width(std::size_t count, Value&& value, Batches&& batches, double total) {
  if (count == 0 || total == 0) return 0;
  if (count == 1) return 1;
  double squares = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const double step = static_cast<double>(value(i)) - static_cast<double>(value(i - 1));
    const double mean = static_cast<double>(batches(i) + batches(i - 1)) / 2;
    squares += step * step * mean * mean;
  }
  const double freedom = static_cast<double>(count - 1);
  const double variance = squares / 2 * static_cast<double>(count) / freedom;
  return std::min(student_95(freedom) * std::sqrt(variance) / total, 1.0);
}

} // namespace

double spread_of(std::span<const Stratum> strata, const arch::Counts& total) {
  double widest = 0;
  for (const arch::CountMember& member : arch::count_members)
    widest =
        std::max(widest, half_width(
                             strata.size(), [&](std::size_t i) { return strata[i].counts.*member.value; },
                             [&](std::size_t i) { return strata[i].batches; },
                             static_cast<double>(total.*member.value)));
  return widest;
}

double spread_of(std::span<const u64> values, std::span<const u64> batches) {
  std::vector<std::size_t> strata; // parts that stand for more than themselves
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total += static_cast<double>(values[i]) * static_cast<double>(batches[i]);
    if (batches[i] > 1) strata.push_back(i);
  }
  return half_width(
      strata.size(), [&](std::size_t i) { return values[strata[i]]; },
      [&](std::size_t i) { return batches[strata[i]]; }, total);
}

void widen(std::span<SiteRecord> sampled, double off) {
  double widest = 0;
  for (const SiteRecord& site : sampled)
    if (site.spread < 1) widest = std::max(widest, site.spread);
  if (off <= widest) return;
  for (SiteRecord& site : sampled) site.spread = std::max(site.spread, std::min(4 * off, 1.0));
}

} // namespace warplens::measure
