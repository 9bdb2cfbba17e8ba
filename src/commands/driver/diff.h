// `diff`: two runs held against each other.
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct DiffOptions {
  std::string before,
      after;      // a saved report, a baseline, or a program with its arguments, quoted as in a shell
  RunOptions run; // how programs are run; of what is shown: json, report, width, colour, version
  std::vector<std::string> matches; // OLD=NEW, of kernels
  std::string markdown;             // file, "-": standard output, empty: none
  std::vector<std::string> fail_on; // diff/gate.h; empty: nothing fails
  bool strict = false;
  u32 top_lines = 5, top_kernels = 10;
};

// The exit code: 0; 1 when what was asked for with `fail_on` came, or with `strict` a side is not complete; 2 when a side
// cannot be read or run, or nothing can be written.
int diff(const DiffOptions&, const RunOutput&);

} // namespace warplens::driver
