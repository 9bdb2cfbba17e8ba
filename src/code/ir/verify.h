// Checks that a module keeps the conventions of module.h: operand counts and kinds against opcodes.def, ids
// in range, blocks that end where they must. Front ends run it before they hand a module over.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"

namespace warplens::ir {
std::vector<diag::Diagnostic> verify(const Module&);
} // namespace warplens::ir
