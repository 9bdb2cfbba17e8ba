// Where the functions of a source text begin and end, as far as braces tell.
#pragma once
#include "base/types.h"
#include <string_view>
#include <vector>

namespace warplens::source {

struct Extent {
  u32 first = 0, last = 0; // lines, from 1: from the start of the declaration to the closing brace
};

// Functions outside of others, members of classes among them, in the order of the text. Macros and conditional compilation
// may hide a brace: what then does not close is not there.
std::vector<Extent> functions_in(std::string_view text);

} // namespace warplens::source
