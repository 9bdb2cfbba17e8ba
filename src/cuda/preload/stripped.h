// The CUDA runtime that is linked into an object without a symbol table, as Python's packages ship them.
//
// Each function that profilers may trace tells them its name ("cudaMalloc"), so its code loads the address of that text; and
// the table for unwinding, which exceptions need, still says where functions begin. The two together are what the symbol
// table was: all of the API, 407 functions of the runtime of CUDA 13.0, each by one name. What lies between nvcc's code and
// the runtime (`__cudaRegisterFatBinary` and 15 more) is not traced, so kernels that are linked into such an object stay
// unknown.
#pragma once
#include "os/elf.h"
#include <functional>

namespace warplens::runtime {

// The functions of that runtime under their names; empty where `elf` has no such runtime, or has symbols. `is_name`: whether
// the runtime has a function of that name.
std::vector<os::Elf::Symbol>
functions_of_stripped_runtime(const os::Elf& elf, const std::function<bool(std::string_view)>& is_name);

} // namespace warplens::runtime
