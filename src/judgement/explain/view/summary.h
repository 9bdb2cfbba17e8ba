// The two lines at the top of the page: is it coalesced, and what would help most.
#pragma once
#include "explain/model/explanation.h"
#include "explain/view/theme.h"

namespace warplens::explain {

// "coalesced": "every byte that moves is asked for"
struct Verdict {
  bool fine = false;
  std::string word, why;
};
// Of the whole block; none where no lane takes part, or where bursts are counted.
std::optional<Verdict> verdict(const Explanation&);
// Two lines for a terminal: the verdict, and what would help most; empty where there is none.
std::string summary(const Explanation&, const Theme&);
// A fix of an access that loses nothing as it is.
bool optional(const advise::Advice&);

} // namespace warplens::explain
