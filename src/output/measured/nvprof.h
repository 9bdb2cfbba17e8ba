// What `nvprof --metrics` and `--events` print, as text or with --csv. A row is a kernel and a counter, with the least, the most
// and the mean of its launches: which of them had what is not said, and the mean is kept.
#pragma once
#include "measured/measured.h"
#include <string_view>

namespace warplens::measured {

bool is_nvprof(std::string_view text);

// `name` is for messages. Errors: measured-empty (times alone, or no counter).
Result<Measured> read_nvprof(std::string_view text, const std::string& name);

} // namespace warplens::measured
