// `compare`: two or three accounts of one program, laid side by side (src/compare).
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct CompareOptions {
  std::vector<std::string> sides;    // files as saved.h reads them, or programs and .cu files, which are run
  std::string arguments;             // of those programs, as one would write them in a shell
  std::string sm = "90";             // that they are run for
  double tolerance = 0;              // counts this close are equal; 0.01 is 1 %
  std::vector<std::string> accepted; // reasons that do not count as a difference
  std::string kernel;                // as run's
  std::string json, html;            // file, "-" for standard output, empty: none
  u32 top_lines = 5;                 // 0: all
  bool colour = false;
  u32 width = 80;
  std::string version;
};

// The exit code: 0 when all that is compared is equal, 1 when it is not, 2 on an error.
int compare(const CompareOptions&, const RunOutput&);

} // namespace warplens::driver
