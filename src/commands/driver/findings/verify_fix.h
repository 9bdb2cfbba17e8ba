// `run --verify-fix`: the program before and after its fixes, side by side: what it prints, what it copies from the device to
// the host, what it leaves in memory of both sides, the files that it writes and how it ends must be the same, and what each
// line costs is told.
#pragma once
#include "driver/findings/fixing.h"
#include "driver/options/run.h"

namespace warplens::driver {

struct Verification {
  bool same = false; // in all of that, of which there is something beyond the exit code
  std::string text;  // for people: what is the same or not, and the counts of the lines that changed
};

// Runs the program of the options as it is and changed, and where something differs each once more, as that may change by
// itself; with nothing on standard input, and its output kept back. Files that it changes are then as they were before
// (trial.h). Errors: those of trials; verify-failed only of the program as it is.
Result<Verification> verify_fix(const RunOptions&, const Patch&);

} // namespace warplens::driver
