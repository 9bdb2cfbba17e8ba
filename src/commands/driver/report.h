// `report`: saved runs shown again, in every form that `run` has; and `import`: the same of what profilers measured.
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct ReportOptions {
  std::string command = "report"; // or "import", for messages
  std::vector<std::string>
      files;        // as saved.h reads them; "-" is standard input. Several are shown as one run
  RunOptions shown; // those members of it that say what is written, and how
};

// The exit code: 0; 2 when a file cannot be read or is no report, or nothing can be written; 1 when a finding
// fails, and with `strict` when the report is not complete.
int report(const ReportOptions&, const RunOutput&);

} // namespace warplens::driver
