// What a warp pays by the number that its lanes are apart by, as a table for a reader.
#pragma once
#include "check/claim.h"
#include "check/expressions.h"

namespace warplens::check {

// Nothing where the number makes no difference, or a table of a few numbers would not show which.
std::optional<StrideTable> stride_table(Analysis&, access::Space, const Claim::Stride&, const Expressions&);

} // namespace warplens::check
