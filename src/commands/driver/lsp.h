// `warplens lsp`: the language server. lsp/ has the conversation; here are the streams, the worker, and what answers.
#pragma once
#include "driver/options/lsp.h"

namespace warplens::driver {

// Serves one editor, from initialize to exit or the end of the input. The exit code: 0 after shutdown, 1 where the editor went
// without, 2 where its messages could not be read.
int serve_editor(const LspOptions&, int in, int out);

} // namespace warplens::driver
