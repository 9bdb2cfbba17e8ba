// What `lsp` is asked for.
#pragma once
#include "driver/options/check.h"

namespace warplens::driver {

struct LspOptions {
  CheckOptions check; // as the command line has it, without inputs
  std::string
      compile_commands; // file; empty: the folder's compile_commands.json, or that of its build folder
  std::string last_run; // file; empty: .warplens/last-run.json
  std::string measured; // on a GPU: a profiler's file or a recording; empty: .warplens/measured.ncu-rep
};

} // namespace warplens::driver
