// The source page of `ncu --csv`: a row for each instruction, with the lines that it belongs to (ncu_csv.h).
#pragma once
#include "measured/measured.h"
#include <string_view>

namespace warplens::measured {

// By its first line.
bool is_source_page(std::string_view row);

// Errors: measured-empty, of a page without instructions or without counters.
Result<void> read_source_page(std::string_view text, const std::string& name, Measured& out);

// The kernel's name, as --print-kernel-base has it.
void name_kernel(Launch&, const std::string& name);

} // namespace warplens::measured
