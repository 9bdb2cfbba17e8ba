// One run of a program among those that `run --verify-fix` compares: a `warplens run` of its own, so that what the program
// prints can be kept, and none knows of the others. Files that it changes are as they were when it has ended: so each run
// finds what the first one found, and the user's files are those of one ordinary run.
#pragma once
#include "base/diagnostic.h"
#include "summary/model.h"
#include <map>
#include <string>
#include <vector>

namespace warplens::driver {

// What is compared, as pieces that may change from run to run each by itself.
using Pieces = std::vector<std::string>;

struct Trial {
  int exit_code = 0;
  Pieces printed, said; // lines on standard output and standard error
  Pieces copies,
      memory; // from the device to the host, and of memory that both use: "BYTES DIGEST" (runtime/returned.h)
  std::map<std::string, Pieces> files; // that it wrote and left, by path: lines of text, or digests of blocks
  summary::Model model;
};

// `words`: of the command line of warplens, behind its own name, but for --report and --json. `seen`: of a text that is
// compared, as the user knows it. Errors: of temporary files, verify-failed where the program could not be compiled or run,
// verify-files where files of the user could not be kept or put back.
Result<Trial> run_trial(const std::vector<std::string>& words,
                        const std::function<std::string(std::string)>& seen);

} // namespace warplens::driver
