// Programs that a process of the run starts in a way that keeps WarpLens out: what they launch is missing in the report.
#pragma once
#include "os/elf.h"

namespace warplens::runtime {

// The C library with these symbols is mapped at `base`. From here on each program that this process starts is looked at, and the
// run's ledger is told of those that use CUDA and that WarpLens will not be in.
void watch_starts(const std::vector<os::Elf::Symbol>& symbols, u64 base);

} // namespace warplens::runtime
