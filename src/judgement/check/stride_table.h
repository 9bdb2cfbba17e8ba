// What a warp pays by the number that its lanes are apart by, as a line for a reader.
#pragma once
#include "check/claim.h"
#include "check/text.h"

namespace warplens::check {

// "sectors by n: 1: 4, 2: 8, 3: 12, …"; empty where the number makes no difference, or a table of a
// few numbers would not show which.
std::string stride_table(Analysis&, access::Space, const Claim::Stride&, const Words&);

} // namespace warplens::check
