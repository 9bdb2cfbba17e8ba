// Starting the user's program and waiting for it: input, output, arguments and working directory are its own.
#pragma once
#include "diag/diagnostic.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warplens::driver {

struct ChildSpec {
  std::string path;
  std::vector<std::string> arguments;                           // first = the name it sees
  std::vector<std::pair<std::string, std::string>> environment; // set in addition to ours
  bool stdout_to_stderr = false;                                // keeps our standard output for a report
};

struct ChildEnd {
  int exit_code = 0;
  int signal = 0; // that killed it; exit_code is then 128 + signal
};

// Runs it to its end. A terminal's Ctrl-C reaches it directly; SIGINT and SIGTERM sent to us alone are passed
// on; we survive both. A second SIGINT kills a program that outlived the first. `tick`, when given, is called
// a few times a second while it runs.
Result<ChildEnd> run_child(const ChildSpec&, const std::function<void()>& tick = {});

} // namespace warplens::driver
