// One --arg, held against the parameter that it is for.
#pragma once
#include "ir/module.h"
#include "launcher/plan.h"

namespace warplens::launcher {

// An array, a structure (.align 8 .b8 p[24]), or of a type that no number is written in: .b128, .f16x2.
bool is_array(const ir::Variable& parameter);
bool takes_address(const ir::Variable& parameter);    // 64 bits that are no floating-point number
std::string said_name(const ir::Variable& parameter); // without the kernel's mangled name: "param_0"
std::string type_text(const ir::Variable& parameter); // ".u32", ".b8[24]"
std::string described(std::size_t index,
                      const ir::Variable& parameter); // "parameter 1 (n, .u32)", of index 0

// `earlier`: the arguments before it.
Result<Argument> read_argument(const std::string& word, const ir::Variable& parameter,
                               std::span<const Argument> earlier);

} // namespace warplens::launcher
