// `warplens lsp`: the language server. lsp/ has the conversation; here are the streams, the worker, and what answers.
#pragma once
#include "driver/check.h"

namespace warplens::driver {

struct LspOptions {
  CheckOptions check; // as the command line has it, without inputs
  std::string
      compile_commands; // file; empty: the folder's compile_commands.json, or that of its build folder
  std::string last_run; // file; empty: .warplens/last-run.json
  std::string measured; // on a GPU: a profiler's file or a recording; empty: .warplens/measured.ncu-rep
};

// Serves one editor, from initialize to exit or the end of the input. The exit code: 0 after shutdown, 1 where the editor went
// without, 2 where its messages could not be read.
int serve_editor(const LspOptions&, int in, int out);

} // namespace warplens::driver
