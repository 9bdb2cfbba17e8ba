// Device code in a file of its own: PTX text, a fat binary or a cubin.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"

namespace warplens::launcher {

// The PTX that a device of compute capability `sm` / 10 takes of the file, parsed; without PTX, its machine code, translated. Fails with
// what is wrong: no such file, no code for the device in it, or the place where its text is malformed (Span::file is `path`).
Result<ir::Module> read_kernel_file(const std::string& path, u32 sm);

} // namespace warplens::launcher
