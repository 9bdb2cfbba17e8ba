#include "advise/advise.h"

namespace warplens::advise {

std::string_view name(Confidence confidence) {
  static constexpr std::string_view names[] = {"possible", "likely", "certain"};
  return names[static_cast<u8>(confidence)];
}

std::string_view name(Metric metric) {
  static constexpr std::string_view names[] = {"instructions", "requests", "sectors", "transactions",
                                               "wavefronts"};
  return names[static_cast<u8>(metric)];
}

u64 value(Metric metric, const arch::Counts& counts) {
  switch (metric) {
  case Metric::instructions: return counts.instructions;
  case Metric::requests: return counts.requests;
  case Metric::sectors: return counts.sectors;
  case Metric::transactions: return counts.transactions;
  case Metric::wavefronts: return counts.wavefronts;
  }
  return 0;
}

double Advice::gain() const {
  u64 was = value(metric, before), is = value(metric, after);
  return is == 0 ? 1.0 : static_cast<double>(was) / static_cast<double>(is);
}

} // namespace warplens::advise
