// The command line as a function.
#pragma once

namespace warplens::cli {

// What main() does, and its exit code: run gives the program's own (2 when WarpLens itself failed); the other commands
// 0 clean, 1 findings or a failed gate, 2 error. A broken pipe is not an error.
int run_command_line(int argc, char** argv);

} // namespace warplens::cli
