// Cuts the straight list of a function's instructions into basic blocks (see the conventions in ir/module.h).
#pragma once
#include "ir/module.h"

namespace warplens::ptx {

// On entry, label operands and Function::targets hold indices into `label_at`, the instruction before which
// each label stands (at most the number of instructions). On return they hold blocks, and every path of the
// function ends. `ret` is the form of the ret that is appended where control would run off the end.
void cut_blocks(ir::Function& function, const std::vector<u32>& label_at, const std::vector<ir::Form>& forms,
                ir::FormId ret, u32 last_line);

} // namespace warplens::ptx
