// What is written of a program that has run, and the exit code of that.
#pragma once
#include "driver/run/observe.h"

namespace warplens::driver {

constexpr int cannot = 2; // the exit code where the program could not be started, or a report not be written

// Prints why it cannot be done. Returns `cannot`.
int refuse(const RunOptions&, const RunOutput&, const diag::Diagnostic&);

// Writes what is asked for: reports, findings, fixes. Returns the exit code (run.h).
int conclude(RunOptions&, Observed&, const Job&, const RunOutput&);

} // namespace warplens::driver
