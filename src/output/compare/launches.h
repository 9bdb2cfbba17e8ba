// Which launches of the sides belong together: those of one kernel, in order. Internal to the room.
#pragma once
#include "compare/compare.h"

namespace warplens::compare {

// What both compilers' and profilers' spellings of a kernel's name have in common: no return type, no parameters, no blanks,
// numbers without their types ("256" for "256u", "1" for "true").
std::string plain_name(const std::string& demangled);

// Launches that are alike on every side; null: the side has none.
struct Match {
  std::array<const summary::Launch*, most_sides> launch{};
  u64 first = 0, count = 1;
};
struct MatchedKernel {
  std::string name;
  std::array<u64, most_sides> launches{};
  std::vector<Match> matches; // in order
};

// In the order of the first side. Errors: compare-too-large.
Result<std::vector<MatchedKernel>> match_launches(const std::vector<Side>&);

} // namespace warplens::compare
