// `run --verify-fix`: the program before and after its fixes, side by side: what it prints and how it ends must be the same,
// and what each line costs is told.
#pragma once
#include "driver/findings/fixing.h"
#include "driver/run.h"

namespace warplens::driver {

struct Verification {
  bool same = false; // standard output and exit code
  std::string text;  // for people: what is the same or not, and the counts of the lines that changed
};

// Runs the program of the options twice (a third time where what it prints changes by itself), with nothing on standard
// input and its output kept back. Errors: of temporary files, and verify-failed where the program cannot be run as it is.
Result<Verification> verify_fix(const RunOptions&, const Patch&);

} // namespace warplens::driver
