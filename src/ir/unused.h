// Atomic operations whose result no instruction reads. Compilers write `atom` for them all the same, and the assembler makes
// `red` of it: it may then combine the lanes of a warp by itself, and nobody waits for an answer.
#pragma once
#include "ir/module.h"
#include <set>

namespace warplens::ir {

// The sites of such `atom`s in one function. A result that is copied counts as read.
std::set<SiteId> unused_results(const Module&, const Function&);

} // namespace warplens::ir
