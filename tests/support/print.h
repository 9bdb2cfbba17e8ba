// PTX text of a module or of one instruction, as far as the IR keeps it. parse(print(m)) is m again, up to
// ids.
#pragma once
#include "ir/module.h"

namespace warplens::ir {
std::string print(const Module&);
std::string print(const Module&, const Function&, const Instruction&);
} // namespace warplens::ir
