// Files that hold a run: reports that `run --json` wrote, and what a GPU's counters were kept in (src/measured). All become
// the same value, so that whoever shows or compares runs need not know which it was.
#pragma once
#include "report/read.h"

namespace warplens::driver {

// What is in such a file; "-" is standard input. Errors: report-unreadable.
Result<std::string> saved_text(const std::string& path);

// Names with the files that a pattern in quotes stands for in its place: "run.*.json". One that no file matches stays.
std::vector<std::string> with_patterns(const std::vector<std::string>& names);

// A file, or "-" for standard input. Errors: report-unreadable, those of report::read_json and of measured::read; `foreign`:
// the latter of a file that is neither.
Result<report::Saved> read_saved(const std::string& file, bool foreign = false);

// Several, as one run. Errors: those, and report-mismatch.
Result<report::Saved> read_saved(const std::vector<std::string>& files, bool foreign = false);

} // namespace warplens::driver
