// What `ncu --csv` prints: of the pages raw (a row for each launch), details (a row for each metric of a launch) and source
// (a row for each instruction, or for each line).
//
// A source page says neither grids nor modules. With machine code alone (--print-source sass) it has no lines either; with
// --print-source cuda,sass it has both, and is the one to give. Columns are found by their names, as labels and as metric
// names.
#pragma once
#include "measured/measured.h"
#include <string_view>

namespace warplens::measured {

bool is_ncu_csv(std::string_view text);

// `name` is for messages. Errors: measured-malformed (with the line), measured-empty (no row of a launch).
Result<Measured> read_ncu_csv(std::string_view text, const std::string& name);

} // namespace warplens::measured
