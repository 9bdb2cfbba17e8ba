// `run FILE.cu`: the executable that it stands for, compiled into a private folder.
#pragma once
#include "driver/options/run.h"
#include "os/store.h"
#include "os/temp_dir.h"
#include "summary/model.h"
#include "toolchain/find.h"
#include <map>

namespace warplens::driver {

bool is_source_file(std::string_view name);             // by its extension, as compilers go
bool is_cuda_source(std::string_view name);             // that, or a header of CUDA
toolchain::Compiler compiler_named(const std::string&); // of --compiler

// Removed with everything in it when it goes: keep it until the report is written.
struct SourceProgram {
  os::TempDir folder;
  std::string executable;
};

// Compiles options.command[0] for compute capability `sm` / 10; what the compiler says goes to standard error
// as it comes. `runtime` is the folder of the runtime libraries. Fails, too, when a signal came that os::DelayedSignals holds
// back for the caller.
Result<SourceProgram> compile_source(const RunOptions& options, u32 sm, const std::string& runtime,
                                     const cache::Store&, const RunOutput& output);

// What ptxas does with the kernels of that compilation; empty where there is no ptxas, or none that knows
// `sm`.
std::map<std::string, summary::LocalUse> local_use(const SourceProgram&, u32 sm, const cache::Store&);

// The words of a command line as a POSIX shell splits them: blanks, quotes, backslashes; nothing is expanded. `quotes`: the
// characters that quote. Fails on a quote that is not closed.
Result<std::vector<std::string>> split_words(std::string_view line, std::string_view quotes = "\"'");

} // namespace warplens::driver
