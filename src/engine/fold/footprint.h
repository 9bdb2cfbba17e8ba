// What a launch touches, over all classes of its CTAs.
#pragma once
#include "fold/fold.h"
#include <map>
#include <unordered_set>

namespace warplens::fold {

class Footprint {
public:
  void add(sim::Memory::Range, bool writes);
  void add_constant(sim::Memory::Range range) { constants_.insert(range.begin); }
  // Constants that the launch itself may write are no constants.
  bool constants_are_safe() const;
  std::vector<TouchedMemory> list() const;
  std::vector<sim::Memory::Range> constants() const;

private:
  std::map<u64, TouchedMemory> touched_; // by address
  std::unordered_set<u64> constants_;
};

} // namespace warplens::fold
