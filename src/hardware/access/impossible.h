// Accesses that come from outside: files of patterns, programs that embed WarpLens.
#pragma once
#include "access/access.h"
#include <string>

namespace warplens::access {

// What is wrong with an access that no GPU could perform: a width or a combination that does not exist, an address whose
// bytes pass 2^64. Empty when nothing is.
std::string impossible(const WarpAccess&);

} // namespace warplens::access
