// The steps of `run` before the program starts: everything that can be checked is, so that nothing is found out after an hour
// of emulation.
#pragma once
#include "driver/options/outputs.h"
#include "driver/options/run.h"
#include "driver/program/program.h"
#include "driver/program/source_program.h"
#include "launcher/plan.h"
#include "os/store.h"
#include <optional>

namespace warplens::driver {

inline constexpr const char* libraries_folder =
    "libraries/"; // within the runtime's: stand-ins for cuBLAS and others

inline constexpr const char* changed_files =
    "libwarplens-changed-files.so"; // of a trial (driver/findings/trial.h)

// Everything that is ready before the program starts.
struct Prepared {
  const RunOptions& options;
  const RunOutput& output;
  cache::Settings cache;
  std::vector<u32> sm;
  std::string runtime; // the folder of the runtime libraries
  std::optional<SourceProgram> compiled;
  std::optional<launcher::Plan> plan; // of a kernel file
  Program program;
  Outputs outputs;
  std::string preload;
};

// The program, source or kernel file that was named.
inline const std::string& given(const Prepared& run) { return run.options.command[0]; }

// Fails with what stands in the way: of the options, a file, the compiler, the program, the installation.
Result<Prepared> prepare(const RunOptions&, const RunOutput&, const cache::Settings&);

} // namespace warplens::driver
