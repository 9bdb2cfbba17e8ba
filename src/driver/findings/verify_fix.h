// `run --verify-fix`: the program before and after its fixes, side by side: what it prints, what it copies from the device to
// the host and how it ends must be the same, and what each line costs is told.
#pragma once
#include "driver/findings/fixing.h"
#include "driver/run.h"

namespace warplens::driver {

struct Verification {
  bool same = false; // standard output, what is copied to the host, and exit code
  std::string text;  // for people: what is the same or not, and the counts of the lines that changed
};

// Runs the program of the options as it is and changed, and where something differs each once more, as that may change by
// itself; with nothing on standard input, and its output kept back. Errors: of temporary files, and verify-failed where the
// program cannot be run as it is.
Result<Verification> verify_fix(const RunOptions&, const Patch&);

} // namespace warplens::driver
