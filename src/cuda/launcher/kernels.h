// Kernels of a module by name, as people write names.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"

namespace warplens::launcher {

// As the source has it, without parameters: "_Z5saxpyifPKfPf" → "saxpy", "void f<float, 4>(float*)" → "f<float, 4>".
std::string short_name(const std::string& mangled);

// The kernel of that name, as in the file or in the source, template arguments or not; the only kernel where there is no
// name. Fails where there is none, or more than one. `file` is named in messages.
Result<const ir::Function*> find_kernel(const ir::Module&, const std::string& file,
                                        const std::optional<std::string>& wanted);

} // namespace warplens::launcher
