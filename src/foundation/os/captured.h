// Running a program for its output: a compiler, or one that is asked for its version.
#pragma once
#include "base/diagnostic.h"
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace warplens::os {

using OnOutput = std::function<void(std::string_view)>;

struct Captured {
  int exit_code = 0;  // 128 + signal when one killed it
  std::string output; // stdout and stderr in the order they were written
};

// Runs arguments[0] (a path; PATH is not searched) with standard input empty and waits for it. `on_output`,
// when given, sees the output as it comes. It runs in a process group of its own, which signals reach as DelayedSignals
// (interrupt.h) says. Fails only when the process cannot be started, or one of those signals came before it was.
// Where `stop` is requested, the group is told to end (SIGTERM), and so the process most likely ends.
Result<Captured> run_captured(const std::vector<std::string>& arguments, const OnOutput& on_output = {},
                              const std::stop_token& stop = {});

} // namespace warplens::os
