// Running the user's program and waiting for it: input, output, arguments and working directory are its own.
#pragma once
#include "os/process.h"
#include <span>

namespace warplens::os {

struct Foreground {
  Command command;
  bool stdout_to_stderr = false; // keeps our standard output for a report
  std::string stderr_to;         // a file for what it says on standard error; empty: ours
  bool again =
      false; // a further run of the same: input that is a file from its beginning, else none; output is discarded
};

struct ForegroundEnd : ProcessEnd {
  u64 peak_bytes = 0;            // the most memory that it held, or one of those that it waited for
  bool signalled = false;        // while it ran, a signal to end came to us or to the terminal's foreground
  std::vector<std::string> left; // the names of processes that it started and that still run
};

// Runs it to its end, and says what it left running. A terminal's Ctrl-C reaches it directly; SIGINT and SIGTERM sent to us
// alone are passed on; we survive both. A second SIGINT kills a program that outlived the first, and so does our own end,
// however it comes: nobody would count what it does.
Result<ForegroundEnd> run_foreground(const Foreground&);

// As if the signal had been sent to us alone, for the program that run_foreground() runs at that moment. From any thread.
void signal_foreground(int number);

// Several at once, until the last has ended; signals go to all. One that cannot be started is an error of its own. `left` is of
// all together, and with the first.
constexpr std::size_t most_side_by_side = 64;
std::vector<Result<ForegroundEnd>> run_side_by_side(std::span<const Foreground>); // no more than that

} // namespace warplens::os
