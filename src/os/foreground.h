// Running the user's program and waiting for it: input, output, arguments and working directory are its own.
#pragma once
#include "os/process.h"

namespace warplens::os {

struct Foreground {
  Command command;
  bool stdout_to_stderr = false; // keeps our standard output for a report
};

// Runs it to its end. A terminal's Ctrl-C reaches it directly; SIGINT and SIGTERM sent to us alone are passed
// on; we survive both. A second SIGINT kills a program that outlived the first. `tick`, when given, is called
// a few times a second while it runs.
Result<ProcessEnd> run_foreground(const Foreground&, const std::function<void()>& tick = {});

} // namespace warplens::os
