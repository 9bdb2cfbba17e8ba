#include "fold/footprint.h"
#include <algorithm>

namespace warplens::fold {

void Footprint::add(sim::Memory::Range range, bool writes) {
  TouchedMemory& at = touched_[range.begin];
  at.range = range;
  (writes ? at.written : at.read) = true;
}

bool Footprint::constants_are_safe() const {
  return std::none_of(touched_.begin(), touched_.end(), [&](const auto& entry) {
    return entry.second.written && constants_.contains(entry.first);
  });
}

std::vector<TouchedMemory> Footprint::list() const {
  std::vector<TouchedMemory> out;
  for (const auto& [_, touched] : touched_) out.push_back(touched);
  return out;
}

std::vector<sim::Memory::Range> Footprint::constants() const {
  std::vector<sim::Memory::Range> out;
  for (const auto& [begin, touched] : touched_)
    if (constants_.contains(begin)) out.push_back(touched.range);
  return out;
}

} // namespace warplens::fold
