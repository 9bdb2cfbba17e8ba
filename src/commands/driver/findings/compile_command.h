// A command that compiles CUDA source, as compile_commands.json has it: what of it says how the device code is compiled.
#pragma once
#include "base/diagnostic.h"
#include "toolchain/find.h"
#include <optional>

namespace warplens::driver {

struct CompileCommand {
  std::vector<std::string> words; // as a shell splits them; first the compiler, or what starts it (ccache)
  std::string folder;             // absolute; the folder that paths in the words begin at
};

// nvcc or clang if the words compile the source as CUDA: by -x, else by the extension of its name.
std::optional<toolchain::Compiler> cuda_compiler(const CompileCommand&, const std::string& source);

// The options of the command with absolute paths, response files replaced by their content. Left out are the compiler, the
// source, the architectures and everything about outputs. Errors: bad-compile-commands, of a response file.
Result<std::vector<std::string>> options_of(const CompileCommand&, const std::string& source);

// The paths of options made absolute, from `folder`; `nvcc`: the words are nvcc's, which takes lists of paths, and not clang's.
std::vector<std::string> with_absolute_paths(std::vector<std::string> words, const std::string& folder,
                                             bool nvcc);

// The words with response files (@FILE, --options-file FILE, -optf FILE) replaced by the words in them; `folder`: where
// relative names begin. Errors: bad-response-file.
Result<std::vector<std::string>> without_response_files(const std::vector<std::string>& words,
                                                        const std::string& folder);

} // namespace warplens::driver
