// A file of a profiler, whichever it is: what it begins with says so.
#pragma once
#include "measured/measured.h"

namespace warplens::measured {

// Is it one of those that read() knows? WarpLens's own reports are none.
bool is_measured(std::string_view content);

// Errors: those of ncu_report.h, csv.h and recording.h; measured-unknown where it is none of these.
Result<Measured> read(std::string_view content, const std::string& name);

} // namespace warplens::measured
