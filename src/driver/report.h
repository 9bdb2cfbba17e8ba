// `report`: saved runs shown again, in every form that `run` has.
#pragma once
#include "driver/run.h"

namespace warplens::driver {

struct ReportOptions {
  std::vector<std::string>
      files;        // that `run --json` wrote; "-" is standard input. Several are shown as one run
  RunOptions shown; // those members of it that say what is written, and how
};

// The exit code: 0; 2 when a file cannot be read or is no report, or nothing can be written; 1 when a finding
// fails, and with `strict` when the report is not complete.
int report(const ReportOptions&, const RunOutput&);

// What is in a file that `run` wrote; "-" is standard input. Errors: report-unreadable.
Result<std::string> saved_text(const std::string& path);

} // namespace warplens::driver
