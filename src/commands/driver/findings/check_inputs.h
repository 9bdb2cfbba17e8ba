// What `check` is given, as PTX: from .ptx files and standard input as they are, from CUDA sources by a compiler, from
// executables, fat binaries and cubins out of what compilers leave there.
#pragma once
#include "base/diagnostic.h"
#include "os/store.h"
#include "toolchain/find.h"
#include <functional>
#include <optional>
#include <stop_token>

namespace warplens::driver {

struct CheckInput {
  std::string path;                  // "-": PTX or CUDA source from standard input
  std::vector<std::string> options;  // of a source: what the compiler is told, as nvcc takes it
  std::optional<std::string> text{}; // of a source or .ptx file: what it is taken to hold
  std::optional<toolchain::Compiler>
      compiler{}; // that a compile_commands.json compiles it with: a source by any name
  std::optional<diag::Diagnostic> error{}; // why it cannot be read
  bool outside_build = false;              // check -p names a build, which does not compile it
};
bool is_source(const CheckInput&); // of CUDA, in a file

struct PtxText {
  std::string name; // for diagnostics
  std::string text;
};

// The CUDA sources that a compile_commands.json names, with its options and then these, or that lie below a folder (.cu, in no
// folder whose name begins with a dot); any other path as it is. Of several, those that are `wanted`, where that is given.
// Errors: bad-compile-commands, no-input.
Result<std::vector<CheckInput>> inputs_in(const std::string& path, const std::vector<std::string>& options,
                                          const std::function<bool(const std::string&)>& wanted = {});

// What the content of such a file names, each way to compile a source once; a "directory" that is relative begins at the folder
// of `path`. Errors: bad-compile-commands, no-input; what is wrong with one command is in CheckInput::error.
Result<std::vector<CheckInput>> compile_commands(std::string_view text, const std::string& path);

struct CompileFor {
  toolchain::Compiler compiler = toolchain::Compiler::automatic;
  u32 sm = 90;
  cache::Settings cache{}; // of compilations
  std::stop_token stop{};  // requested: a compiler is ended
};
// `said` gets what a compiler says. Errors: no-input, no-ptx, those of the toolchain.
Result<std::vector<PtxText>> read_ptx(const CheckInput&, const CompileFor&,
                                      const std::function<void(std::string_view)>& said);

} // namespace warplens::driver
