// What `ncu` prints without --csv, as it stands in posts and logs: for each launch a line with its name, then tables of
// metrics (pages details and raw), between the sentences of rules and what the program printed.
#pragma once
#include "measured/measured.h"
#include <string_view>

namespace warplens::measured {

bool is_ncu_text(std::string_view text);

// `name` is for messages. Errors: measured-empty (no metric of a launch).
Result<Measured> read_ncu_text(std::string_view text, const std::string& name);

// A value as a page of Nsight Compute has it, under the metric's name or the label of a section: `Duration` is
// gpu__time_duration.sum. One label can stand for two metrics: the second one has its unit with it.
// False: it is no number.
bool add_counter(Launch&, const std::string& name, const std::string& unit, std::string_view value);

// "(256, 1, 1)"
Dim3 dim_of(std::string_view text);

} // namespace warplens::measured
