// The two lines at the top of the page: is it coalesced, and what would help most.
#pragma once
#include "explain/model/explanation.h"
#include "explain/view/theme.h"

namespace warplens::explain {

// Two lines about the whole block; empty where no lane takes part.
std::string summary(const Explanation&, const Theme&);
// A fix of an access that loses nothing as it is.
bool optional(const advise::Advice&);

} // namespace warplens::explain
