#include "advise/advise.h"
#include <algorithm>

namespace warplens::advise {

std::string_view name(Confidence confidence) {
  switch (confidence) {
  case Confidence::possible: return "possible";
  case Confidence::likely: return "likely";
  case Confidence::certain: return "certain";
  }
  return "";
}

std::string_view name(Metric metric) {
  switch (metric) {
  case Metric::instructions: return "instructions";
  case Metric::requests: return "requests";
  case Metric::sectors: return "sectors";
  case Metric::transactions: return "transactions";
  case Metric::wavefronts: return "wavefronts";
  case Metric::threads: return "threads";
  }
  return "";
}

u64 value(Metric metric, const arch::Counts& counts) {
  switch (metric) {
  case Metric::instructions: return counts.instructions;
  case Metric::requests: return counts.requests;
  case Metric::sectors: return counts.sectors;
  case Metric::transactions: return counts.transactions;
  case Metric::wavefronts: return counts.wavefronts;
  case Metric::threads: return counts.threads;
  }
  return 0;
}

double Advice::gain() const {
  u64 was = value(metric, before), is = value(metric, after);
  if (was == 0) return 1.0;
  return is == 0 ? static_cast<double>(was) : static_cast<double>(was) / static_cast<double>(is);
}

const Advice* same_advice(const std::vector<Advice>& there, const Advice& advice) {
  auto same = std::ranges::find_if(
      there, [&](const Advice& other) { return other.rule == advice.rule && other.metric == advice.metric; });
  return same == there.end() ? nullptr : &*same;
}

} // namespace warplens::advise
