// What is not known and can be a few things only: flags, thresholds, tables. Who wants to know what follows from a value tries
// them all.
#pragma once
#include "symbolic/warp/pool.h"

namespace warplens::symbolic {

struct Case {
  Lanes value{};
  u32 zero = 0; // a polynomial that is 0 in this case; 0: none is known
};
// What a symbol can be in the lanes of a warp: of a table in the order of its rows. Empty where that is not known.
std::vector<Case> cases_of(Pool&, u32 symbol);

// The value without as many of its distances between lanes as follow from `zero` being 0.
Value where_zero(Pool&, Value, u32 zero);

} // namespace warplens::symbolic
