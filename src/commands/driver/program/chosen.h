// Which launches --launches, --launch-skip and --per-kernel mean beside --kernel: those that its expression lets through, as
// Nsight Compute counts them. The program's process knows no regular expressions. It counts so many launches of every kernel
// that the chosen ones are among them, and the others are left out when it has ended.
#pragma once
#include "driver/options/run.h"
#include "summary/model.h"

namespace warplens::driver {

// What the program's process is told.
ProgramOptions options_of_program(const RunOptions&);

// Leaves out the launches that the options do not choose (Input::left_out). `options.kernel` has been checked.
void leave_out_unchosen(const RunOptions& options, summary::Input&);

} // namespace warplens::driver
