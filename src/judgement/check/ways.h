// Branches whose answers depend on each other: two edges in a row that no thread takes one after the other.
//
//   m - 1 <u 3 …  skips the loop that was unrolled by 4        so that m is 1, 2 or 3 there,
//   m & 3 == 0 …  skips the rounds that are left over          which is then not so
//
// Compilers write that for every loop that they unroll, and leave what comes over both edges undefined.
#pragma once
#include "check/flow.h"

namespace warplens::check {

// From `first` to `second` and on to `third`: blocks.
bool exclude_each_other(const Flow&, u32 first, u32 second, u32 third);

} // namespace warplens::check
