// Which of the checks that a user asks for (`run --check`) a diagnostic is a finding of: a fact of its kind, in one table.
#pragma once
#include "base/types.h"
#include <string_view>

namespace warplens::diag {

enum class Check : u8 { none, sync, memory, race };

Check check_of(std::string_view kind);

} // namespace warplens::diag
