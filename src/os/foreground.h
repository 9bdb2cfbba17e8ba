// Running the user's program and waiting for it: input, output, arguments and working directory are its own.
#pragma once
#include "os/process.h"

namespace warplens::os {

struct Foreground {
  Command command;
  bool stdout_to_stderr = false; // keeps our standard output for a report
  bool again =
      false; // a further run of the same: input that is a file from its beginning, else none; output is discarded
};

struct ForegroundEnd : ProcessEnd {
  std::vector<std::string> left; // the names of processes that it started and that still run
};

// Runs it to its end, and says what it left running. A terminal's Ctrl-C reaches it directly; SIGINT and SIGTERM sent to us
// alone are passed on; we survive both. A second SIGINT kills a program that outlived the first, and so does our own end,
// however it comes: nobody would count what it does.
Result<ForegroundEnd> run_foreground(const Foreground&);

} // namespace warplens::os
