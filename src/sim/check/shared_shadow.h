// What --check memory and --check race know of one CTA's shared memory while it runs.
#pragma once
#include "sim/check/races.h"
#include <vector>

namespace warplens::sim {

struct SharedShadow {
  std::vector<bool> written; // a bit per byte
  Races races;
};

} // namespace warplens::sim
