// Which launch runs, on the terminal: a line that the process that launches draws and erases itself, because a launch runs
// inside the program's own call. So it is gone before the program writes again.
//
// It is drawn behind the cursor, which stays where it is, and is cut off at the margin instead of wrapped. What the
// program writes all the same, from another of its threads, begins where it would have begun.
#pragma once
#include "base/types.h"
#include <chrono>
#include <string_view>

namespace warplens::runtime {

class ProgressLine {
public:
  // Where standard error is no terminal, nothing is ever drawn.
  explicit ProgressLine(bool wanted);
  bool wanted() const { return wanted_; }
  // Draws at most a few times a second, and not before the process has run for a while: most programs need no such line.
  // `done` of `total` CTAs are told where some are done.
  void show(u64 launch, std::string_view kernel, u64 done, u64 total);
  void erase();

private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  Clock::time_point next_;
};

} // namespace warplens::runtime
