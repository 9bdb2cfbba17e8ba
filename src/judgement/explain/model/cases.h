// The textbook cases, built in: each a few accesses drawn with their numbers, and the lesson in words.
#pragma once
#include "explain/model/explanation.h"

namespace warplens::explain {

struct Frame {
  std::string caption;
  Explanation explanation;
};

struct Case {
  std::string_view group; // "Half-warps": those of a group stand together
  std::string_view name;  // "coalesced-1.0"
  std::string_view title; // one line
  std::string_view words; // what to see, and why
  std::vector<Frame> (*shots)();
  // For the playground: the number to turn (a name that the accesses use, or "@base", "@block.x"), and what to try.
  std::string_view vary{}, look{};
  bool is_typed = true; // its accesses can be typed: they are expressions
};

std::span<const Case> cases();
const Case* find_case(std::string_view name);

} // namespace warplens::explain
