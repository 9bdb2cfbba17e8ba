// Counts that can be added. Counts of 64 bits are added over sites and launches, and multiplied to bytes and cycles: sums of what
// a program did stay far below 2^64. Those of a saved report may be any numbers, and no sum of them may wrap.
#pragma once
#include "summary/model.h"

namespace warplens::summary {

inline constexpr std::string_view counts_too_large = "counts-too-large"; // the kind of the message

// Where a sum could pass 2^64 each count is cut to its share of that, and a message says so; the distribution of such an access
// is forgotten. Elsewhere nothing changes. False: they were cut.
bool make_summable(Input&);

} // namespace warplens::summary
