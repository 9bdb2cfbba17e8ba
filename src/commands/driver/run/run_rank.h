// A rank of a job that several ranks make: it runs its program, and rank 0 reports on all.
#pragma once
#include "driver/program/ranks.h"

namespace warplens::driver {

// The exit code, as run() has it.
int run_rank(RankOutputs, const Job&, const RunOutput&);

} // namespace warplens::driver
