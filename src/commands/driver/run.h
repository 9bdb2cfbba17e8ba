// `run`: starts the user's program with the emulating runtime preloaded, and reports what its kernels did.
#pragma once
#include "base/diagnostic.h"
#include "driver/options/run.h"

namespace warplens::report {
struct Saved;
}

namespace warplens::driver {

// The exit code: the program's own (128 + signal); 2 when it could not be started or the report not be
// written; where that would be 0, 1 when a finding fails, and with `strict` when the report is not complete
// (summary::Model), or `checks` found something.
int run(const RunOptions&, const RunOutput&);

// Runs a program for what a report of it would hold, with no gate; what the program writes to standard output goes to standard
// error. Errors: those of run().
Result<report::Saved> run_saved(RunOptions, const RunOutput&);

bool is_launch_option(std::string_view word); // of those that follow a file with a kernel

} // namespace warplens::driver
