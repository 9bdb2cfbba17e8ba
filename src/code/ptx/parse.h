// PTX text → ir::Module. Accepts what nvcc 7–13, clang 14–20, Triton, Numba and Julia emit, PTX 1.4 to 9.x.
//
// The whole text is checked: syntax, names, operand counts. An opcode, modifier or special register that is
// not known is not an error of the module: the instruction becomes Opcode-family `unsupported` with its text
// kept, so that only a launch that reaches it stops. What is malformed is an error with line, column and
// caret.
#pragma once
#include "base/diagnostic.h"
#include "ir/module.h"

namespace warplens::ptx {

struct ParseOptions {
  std::string name = "input.ptx"; // for diagnostics
  bool site_stacks = true;        // fill in Site::frames; without, they are to be had from SourceStacks
};
struct Parsed {
  ir::Module module;
  std::vector<diag::Diagnostic> warnings; // e.g. a PTX version newer than any known
};
Result<Parsed> parse(std::string_view text, const ParseOptions& options = {});

// Joins modules that were compiled apart (-rdc=true): external functions and variables are resolved by name.
// What stays unresolved stays external; the engine knows the built-in ones (vprintf, malloc, free,
// __assertfail, __nv_*).
Result<ir::Module> link(std::vector<ir::Module> modules);

// "_Z5saxpyifPKfPf" → "saxpy(int, float, float const*, float*)"; anything else unchanged, but for what nvcc says of
// the file before static names (-rdc=true). What would become longer than 16 KiB stays mangled, and loses its middle where that is longer than 1 KiB.
std::string demangle(std::string_view symbol);
// As the source calls a variable: "_ZZ6kernelPfE4tile" → "tile".
std::string variable_name(std::string_view symbol);

} // namespace warplens::ptx
